import assert from "node:assert/strict";
import { deedsOf, LIST } from "./change_text.ts";

Deno.test("a change of a setting in words", () => {
  const cases: [Parameters<typeof deedsOf>[0], string][] = [
    [
      { action: "agent update", subject: "Ada Byron", before: { role: "agent" }, after: { role: "manager" } },
      "made Ada Byron a manager",
    ],
    [
      {
        action: "agent update",
        subject: "Ada",
        before: { is_active: true, away_until: null },
        after: { is_active: false, away_until: "2026-12-28T06:00:00+00:00" },
      },
      "marked Ada as away until 2026-12-28 and deactivated Ada",
    ],
    [
      {
        action: "agency update",
        subject: "Kestrel",
        before: { opens_at: "09:00:00" },
        after: { opens_at: "08:30:00" },
      },
      "changed the opening time of the agency from 09:00 to 08:30",
    ],
    [
      {
        action: "destination update",
        subject: "crm",
        before: {
          events: ["lead.returned", "recruit.erased"],
          rejected_when: null,
          order_id: "9f",
          template: { a: "b" },
        },
        after: {
          events: ["lead.returned", "recruit.opted_out"],
          rejected_when: "status == `422`",
          order_id: null,
          template: {},
        },
      },
      "added “opt-out” to the events of the destination “crm”, removed “erased recruit” from the events of the destination “crm”, removed the order of the destination “crm”, set the condition for rejected leads of the destination “crm”, and changed the template of the destination “crm”",
    ],
    [
      { action: "bot publish", subject: null, before: {}, after: { version: 3 } },
      "published version 3 of the bot",
    ],
    [{ action: "bot off", subject: null, before: {}, after: { version: 4 } }, "turned the bot off"],
    [
      { action: "quick_reply remove", subject: "call", before: { shortcut: "call" }, after: {} },
      "removed the quick reply “/call”",
    ],
  ];
  for (const [change, words] of cases) assert.equal(LIST.format(deedsOf(change)), words);
});
