import assert from "node:assert/strict";
import { paceOf } from "./pace.ts";

const NOW = Date.parse("2026-11-23T12:00:00Z");
const ORDER = { status: "open", leads_7_days: 70, per_day: 2.5, full_in_days: 4, starts_at: null, ends_at: null };

Deno.test("an order says when it will be full, or why it will not", () => {
  const cases: [Partial<Parameters<typeof paceOf>[0]>, string][] = [
    [{}, "2.5 a day, full in about 4 days"],
    [{ full_in_days: 1 }, "2.5 a day, full in about a day"],
    [{ full_in_days: 366 }, "2.5 a day, not full within a year!"],
    [{ ends_at: "2026-11-27T11:59:59Z" }, "2.5 a day, ends before it is full!"],
    [{ ends_at: "2026-11-27T12:00:00Z" }, "2.5 a day, full in about 4 days"],
    [{ ends_at: "2026-11-23T12:00:00Z", status: "paused" }, "has ended, gets no more!"],
    [{ starts_at: "2026-11-23T12:00:01Z" }, "has not begun"],
    [{ per_day: null, full_in_days: null }, "too new for a forecast"],
    [{ leads_7_days: 0 }, "no recruits in 7 days!"],
    [{ status: "paused" }, "paused, gets none now"],
    [{ status: "filled" }, "full"],
    [{ status: "closed" }, "closed, gets no more"],
  ];
  for (const [order, expected] of cases) {
    const { pace, words, isWrong } = paceOf({ ...ORDER, ...order }, NOW);
    assert.equal((pace === undefined ? "" : `${pace}, `) + words + (isWrong ? "!" : ""), expected);
  }
});
