import assert from "node:assert/strict";
import type { Notification } from "../data/notifications.ts";
import { isAbout, pathOf, sentenceOf } from "./sentences.ts";

const NOTIFICATION: Notification = {
  id: "n",
  kind: "text",
  reason: null,
  urgent: false,
  conversation_id: "c",
  lead_id: null,
  created_at: "2026-11-23T12:00:00Z",
  recruit: { first_name: "Maya", last_name: null },
  by: { first_name: "Omar", last_name: null },
  by_agent_id: null,
  others: null,
  isWaiting: false,
  hasNoAgent: false,
};

Deno.test("each kind of notification has a sentence of its own, with the recruit's name and without", () => {
  const migration = Deno.readTextFileSync("supabase/schemas/texting/notify.sql");
  const kinds = [...migration.match(/kind in \(('text'[^)]*)\)/)![1]!.matchAll(/'(\w+)'/g)].map(([, kind]) => kind!);
  assert.ok(kinds.length >= 9);
  const named = kinds.map((kind) => sentenceOf({ ...NOTIFICATION, kind }));
  assert.equal(new Set(named).size, kinds.length);
  for (const sentence of named) assert.match(sentence, /Maya|^A destination /);
  for (const kind of kinds) {
    const sentence = sentenceOf({ ...NOTIFICATION, kind, recruit: null, by: null });
    assert.doesNotMatch(sentence, /null|new\.$|Something/);
    assert.match(sentence, /^[A-Z].*\.$/);
  }
});

Deno.test("a conversation that a colleague has given is no bot's", () => {
  assert.equal(
    sentenceOf({ ...NOTIFICATION, kind: "handoff", reason: "assigned" }),
    "You have the conversation with Maya now.",
  );
  assert.equal(
    sentenceOf({ ...NOTIFICATION, kind: "handoff", reason: "done" }),
    "The bot handed Maya over to you.",
  );
});

Deno.test("a destination that was switched off is named, and leads to the settings", () => {
  const notification = { ...NOTIFICATION, kind: "destination_off", reason: "crm", conversation_id: null };
  assert.equal(sentenceOf(notification), "The destination crm was switched off, because it fails.");
  assert.equal(pathOf(notification), "/settings/destinations");
});

Deno.test("many conversations that change hands together are one sentence", () => {
  const others = 11;
  assert.equal(
    sentenceOf({ ...NOTIFICATION, kind: "handoff", reason: "assigned", others }),
    "You have the conversation with Maya and 11 more now.",
  );
  assert.equal(
    sentenceOf({ ...NOTIFICATION, kind: "taken_over", others }),
    "Omar has the conversation with Maya and 11 more now.",
  );
});

Deno.test("a notification about a recruit without a conversation leads to the recruit", () => {
  assert.equal(pathOf(NOTIFICATION), "/inbox/c");
  assert.equal(pathOf({ ...NOTIFICATION, conversation_id: null, lead_id: "l" }), "/recruits/l");
});

Deno.test("a conversation is known by its address in each part of the inbox", () => {
  for (const address of ["#/inbox/c", "#/inbox/all/c", "#/inbox/failed/c?x=1"]) {
    assert.ok(isAbout(address, NOTIFICATION), address);
  }
  for (const address of ["#/inbox", "#/inbox/all", "#/inbox/d", ""]) {
    assert.ok(!isAbout(address, NOTIFICATION), address);
  }
});

Deno.test("what is urgent names the 988 line", () => {
  assert.equal(
    sentenceOf({ ...NOTIFICATION, kind: "handoff", reason: "distress", urgent: true }),
    "Maya may be in danger. The 988 Suicide & Crisis Lifeline takes calls and texts at 988.",
  );
});
