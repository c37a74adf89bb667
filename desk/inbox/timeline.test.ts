import assert from "node:assert/strict";
import type { Message } from "../data/messages.ts";
import type { Note } from "../data/notes.ts";
import { timelineOf } from "./timeline.ts";

function textAt(at: string, sender_type: Message["sender_type"], sent_by: string | null = null): Message {
  return { id: at, created_at: at, sender_type, sent_by } as Message;
}
function noteAt(at: string, agent_id = "ann"): Note {
  return { id: `note ${at}`, created_at: at, agent_id } as Note;
}
/** "[a b" for what stands together; "|" before a new day. */
function shown(texts: Message[], notes: Note[] = [], hasEarlierTexts = false): string {
  return timelineOf(texts, notes, hasEarlierTexts)
    .map(({ id, day, isFirst }) =>
      `${day === null ? "" : "| "}${isFirst ? "[" : ""}${id.replace(/2026-01-0\dT/, "").slice(0, -4)}`
    )
    .join(" ");
}

Deno.test("texts of one person that follow each other within five minutes stand together", () => {
  assert.equal(
    shown([
      textAt("2026-01-01T12:00:00Z", "agent", "ann"),
      textAt("2026-01-01T12:04:00Z", "agent", "ann"),
      textAt("2026-01-01T12:05:00Z", "agent", "bob"),
      textAt("2026-01-01T12:06:00Z", "recruit"),
      textAt("2026-01-01T12:10:00Z", "recruit"),
      textAt("2026-01-01T12:15:00Z", "recruit"),
    ]),
    "| [12:00 12:04 [12:05 [12:06 12:10 [12:15",
  );
});

Deno.test("a new day begins what stands together", () => {
  const midnight = new Date(2026, 0, 2).getTime();
  const [before, after] = [-60_000, 60_000].map((ms) => new Date(midnight + ms).toISOString());
  const days = timelineOf([textAt(before!, "recruit"), textAt(after!, "recruit")], [], false);
  assert.deepEqual(days.map(({ day, isFirst }) => [day !== null, isFirst]), [[true, true], [true, true]]);
});

Deno.test("notes stand among the texts by their time, and never together with them", () => {
  assert.equal(
    shown(
      [textAt("2026-01-01T12:00:00Z", "agent", "ann"), textAt("2026-01-01T12:02:00Z", "agent", "ann")],
      [noteAt("2026-01-01T12:01:00Z")],
    ),
    "| [12:00 [note 12:01 [12:02",
  );
});

Deno.test("notes from before the first text wait until earlier texts are read", () => {
  const [texts, notes] = [[textAt("2026-01-01T12:00:00Z", "recruit")], [noteAt("2026-01-01T11:00:00Z")]];
  assert.equal(shown(texts, notes, true), "| [12:00");
  assert.equal(shown(texts, notes, false), "| [note 11:00 [12:00");
  assert.equal(shown([], notes, true), "| [note 11:00");
});
