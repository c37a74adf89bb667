import assert from "node:assert/strict";
import { actionOf, actionText, subjectText } from "./action_words.ts";

const SCHEMA = new URL("../../supabase/schemas/operators/tables.sql", import.meta.url);

Deno.test("each action that the database knows has words of its own", async () => {
  const actions = [...(await Deno.readTextFile(SCHEMA)).matchAll(/^ {2}when '(\w+ \w+)' then '\{/gm)].map(([, it]) =>
    it!
  );
  assert(actions.length > 60);
  const words = actions.map(actionText);
  assert.equal(new Set(words).size, words.length);
  for (const each of words) assert.match(each, /^[A-Z][a-z ]+ (\w+ed|off|left|shown|looked up|read again|sent|set)$/);
  assert.deepEqual(
    ["delivery replay", "mapping try", "agent leave", "quick_reply create"].map(actionText),
    ["Delivery replayed", "Mapping tried", "Agent left", "Quick reply created"],
  );
});

Deno.test("a dry run is named as one", () => {
  assert.equal(actionOf({ action: "delivery replay", subject: { dry_run: true } }), "Delivery replayed in a dry run");
  assert.equal(actionOf({ action: "delivery replay", subject: {} }), "Delivery replayed");
});

Deno.test("the subject of an action is named as people name it", () => {
  const id = "1a2b3c4d-0000-4000-8000-000000000000";
  const names = { id, created_at: "", operator: "", action: "", vendor: "acme", agency: "Prairie Life", agent: "Ada" };
  const said = (subject: Record<string, unknown>, others = {}) =>
    subjectText({ ...names, ...others, subject }, (slug) => slug.toUpperCase());
  assert.equal(said({ lead_id: id }), "lead 1a2b3c4d");
  assert.equal(said({ vendor_id: id, key_prefix: "lik_ab" }), "ACME, lik_ab…");
  assert.equal(said({ delivery_ids: [id, id], dry_run: true }), "2 deliveries");
  assert.equal(said({ to_agent_id: id, lead_ids: [id] }), "to Ada, 1 lead");
  assert.equal(
    said({ changes: { daily_cap: null, states: ["TX", "OK"], is_on: true }, agency_id: id, script_id: id }),
    "Prairie Life, daily cap none, states TX, OK, is on true",
  );
  assert.equal(said({ agent_id: id, changed: ["first_name"] }), "Ada, first name");
  assert.equal(said({ agent_id: id, to_agent_id: id }), "Ada");
  assert.equal(said({ destination_id: id, changed: ["rejected_when"] }), "Prairie Life, rejected when");
  assert.equal(said({ destination_id: id, agency_id: id }), "Prairie Life");
  assert.equal(said({ by: "phone" }), "by phone");
  assert.equal(said({ service_phone: "+13125550142" }), "(312) 555-0142");
  // The vendor is gone.
  assert.equal(said({ vendor_id: id }, { vendor: null }), "");
});
