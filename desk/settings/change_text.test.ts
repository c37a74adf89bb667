import assert from "node:assert/strict";
import { changeText } from "./change_text.ts";

Deno.test("a change of a setting in words", () => {
  const cases: [Parameters<typeof changeText>[0], string][] = [
    [
      { action: "agent update", subject: "Ada Byron", before: { role: "agent" }, after: { role: "manager" } },
      "Agent Ada Byron: role from agent to manager",
    ],
    [
      {
        action: "agent update",
        subject: "Ada",
        before: { is_active: true, away_until: null },
        after: { is_active: false, away_until: "2026-12-28T06:00:00+00:00" },
      },
      "Agent Ada: away until set to 2026-12-28; active from yes to no",
    ],
    [
      {
        action: "agency update",
        subject: "Kestrel",
        before: { opens_at: "09:00:00" },
        after: { opens_at: "08:30:00" },
      },
      "The agency: opening time from 09:00 to 08:30",
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
      "Destination crm: events added opt-out and removed erased person; order removed; rejected when set to status == `422`; template changed",
    ],
    [{ action: "bot publish", subject: null, before: {}, after: { version: 3 } }, "Bot: version 3 published"],
    [{ action: "bot off", subject: null, before: {}, after: { version: 4 } }, "Bot: switched off"],
    [
      { action: "quick_reply remove", subject: "call", before: { shortcut: "call" }, after: {} },
      "Quick reply call: removed",
    ],
  ];
  for (const [change, words] of cases) assert.equal(changeText(change), words);
});
