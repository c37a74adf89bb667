import assert from "node:assert/strict";
import { changeText } from "./change_text.ts";

Deno.test("a change of a setting in words", () => {
  const cases: [Parameters<typeof changeText>[0], string][] = [
    [
      { action: "agent update", subject: "Ada Byron", before: { role: "agent" }, after: { role: "manager" } },
      "Agent Ada Byron: role agent → manager",
    ],
    [
      {
        action: "agent update",
        subject: "Ada",
        before: { is_active: true, away_until: null },
        after: { is_active: false, away_until: "2026-12-28T06:00:00+00:00" },
      },
      "Agent Ada: away until none → 2026-12-28; active yes → no",
    ],
    [
      {
        action: "agency update",
        subject: "Kestrel",
        before: { opens_at: "09:00:00" },
        after: { opens_at: "08:30:00" },
      },
      "The agency: opens at 09:00 → 08:30",
    ],
    [
      { action: "destination update", subject: "crm", before: { events: [] }, after: { events: ["a.b", "c.d"] } },
      "Destination crm: events none → a.b, c.d",
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
