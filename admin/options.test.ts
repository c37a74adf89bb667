import assert from "node:assert/strict";
import { datesOf, dayIn, pastTime } from "./options.ts";

const DAY = 86_400_000;

Deno.test("today and yesterday are days of a time zone", () => {
  // 25 hours lie between their clocks, so it is never the same day in both.
  const first = dayIn("today", "Pacific/Kiritimati");
  const last = dayIn("today", "Pacific/Pago_Pago");
  assert.match(first, /^\d{4}-\d\d-\d\d$/);
  assert.ok(last < first, `${last} < ${first}`);
  for (const zone of ["Pacific/Kiritimati", "Pacific/Pago_Pago", "UTC"]) {
    const days = ["today", "yesterday"].map((day) => Date.parse(dayIn(day, zone)));
    assert.equal(days[0]! - days[1]!, DAY, zone);
  }
});

Deno.test("the agency's time zone goes before --timezone, and a date stays as it is", () => {
  const period = { since: "today", until: "2026-03-08", timezone: "Pacific/Pago_Pago" };
  assert.deepEqual(datesOf(period, { timezone: "Pacific/Kiritimati" }), {
    since: dayIn("today", "Pacific/Kiritimati"),
    until: "2026-03-08",
  });
  assert.deepEqual(datesOf({ timezone: "UTC" }), { since: null, until: null });
  assert.equal(datesOf(period).since, dayIn("today", "Pacific/Pago_Pago"));
});

Deno.test("an unknown time zone is left to the database, which refuses it", () => {
  assert.equal(dayIn("today", "Mars/Base"), dayIn("today", "UTC"));
});

Deno.test("a time without an offset is one of UTC, wherever the command runs", () => {
  const [before, own] = [Deno.env.get("TZ"), Temporal.Now.timeZoneId()];
  try {
    for (const zone of ["Pacific/Pago_Pago", "Pacific/Kiritimati"]) {
      Deno.env.set("TZ", zone);
      const read = pastTime("--since <time>", "since when").parseArg! as (text: string, previous: unknown) => Date;
      assert.deepEqual(read("2026-01-31T09:00", undefined), new Date("2026-01-31T09:00Z"), zone);
    }
  } finally {
    // Only a set variable changes the zone of a process that runs.
    Deno.env.set("TZ", before ?? own);
    if (before === undefined) Deno.env.delete("TZ");
  }
});
