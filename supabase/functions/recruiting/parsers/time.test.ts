import assert from "node:assert/strict";
import type { Json } from "../../_shared/json.ts";
import { readTime } from "./time.ts";

Deno.test("a time in each of the usual formats", () => {
  for (
    const [given, expected] of [
      ["2024-05-01T10:00:00Z", "2024-05-01T10:00:00.000Z"],
      ["2024-05-01T10:00:00.123456Z", "2024-05-01T10:00:00.123Z"],
      ["2024-05-01T10:00:00,5+02:00", "2024-05-01T08:00:00.500Z"],
      ["2026-07-29T08:00:00+0000", "2026-07-29T08:00:00.000Z"],
      ["2024-05-01T23:30-04", "2024-05-02T03:30:00.000Z"],
      [" 2024-05-01 10:00:00 ", "2024-05-01T10:00:00.000Z"],
      ["2024-05-01 10:00:00 -0500", "2024-05-01T15:00:00.000Z"],
      ["2024-05-01 10:00:00 EST", "2024-05-01T15:00:00.000Z"],
      ["2024-05-01", "2024-05-01"],
      ["Wed, 01 May 2024 10:00:00 +0200", "2024-05-01T08:00:00.000Z"],
      ["1 may 2024 10:00 PDT", "2024-05-01T17:00:00.000Z"],
      [1714557600.5, "2024-05-01T10:00:00.500Z"],
      [1714557600123, "2024-05-01T10:00:00.123Z"],
      ["1714557600123", "2024-05-01T10:00:00.123Z"],
    ] as const
  ) {
    assert.equal(readTime(given), expected);
  }
});

Deno.test("what is not a time, or an ambiguous one", () => {
  for (
    const given of [
      undefined,
      null,
      "",
      "yesterday",
      // The day and the month are ambiguous.
      "05/06/2024 10:00",
      "2024-02-30T10:00:00Z",
      "2023-02-29",
      "2024-05-01T25:00:00Z",
      "2024-05-01T10:00:00+99:99",
      // India, Ireland or Israel
      "2024-05-01 10:00:00 IST",
      "1 Foo 2024 10:00:00 GMT",
      "0001-01-01T00:00:00Z",
      0,
      20240501,
      -1714557600,
      1e300,
      "9".repeat(1_000),
      true,
      {},
    ] as (Json | undefined)[]
  ) {
    assert.equal(readTime(given), undefined);
  }
});
