import assert from "node:assert/strict";
import { Random } from "./random.ts";
import { trendOf } from "./trend.ts";

const random = new Random(1);
const noisy = (value: (n: number) => number) =>
  Array.from({ length: 60 }, (_, n) => value(n) + (random.next() - 0.5) * 20);

Deno.test("a figure that varies about the same value is flat", () => {
  const { isFlat, growth } = trendOf(noisy(() => 100));
  assert.equal(isFlat, true);
  assert(Math.abs(growth) < 10);
});

Deno.test("a figure that grows slowly beneath its noise is not flat", () => {
  const { isFlat, growth } = trendOf(noisy((n) => 100 + n));
  assert.equal(isFlat, false);
  assert(growth > 20 && growth < 40, String(growth));
});

Deno.test("a figure that grew at first and then stays is flat", () => {
  const { isFlat, start, end } = trendOf(noisy((n) => Math.min(n * 10, 200)));
  assert.equal(isFlat, true);
  assert(end - start > 100);
});

Deno.test("a figure without any noise may grow by a hundredth, or by what is told to be negligible", () => {
  const values = (growth: number) => Array.from({ length: 20 }, (_, n) => 100 + growth * n);
  assert.equal(trendOf(values(0.1)).isFlat, true);
  assert.equal(trendOf(values(1)).isFlat, false);
  assert.equal(trendOf(values(1), 20).isFlat, true);
});
