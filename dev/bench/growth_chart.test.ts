import assert from "node:assert/strict";
import { growthChart } from "./growth_chart.ts";

const POINTS = ["sms/inbound", "ingest: a <new> lead"].flatMap((what, i) =>
  [10_000, 1_000_000].map((rows) => ({ what, rows, milliseconds: i + 0.5, budget: i + 1 }))
);

Deno.test("the same points make the same chart", async () => {
  assert.equal(await growthChart(POINTS), await growthChart(POINTS));
});

Deno.test("the chart has a plot for each request in the order of the points, and a logarithmic scale of rows", async () => {
  const chart = await growthChart(POINTS);
  assert.match(chart, /^<svg [^]*>sms\/inbound<[^]*>ingest: a &lt;new&gt; lead<[^]*<\/svg>\n$/);
  assert.match(chart, /log scale with values from 10k to 1M/);
});

Deno.test("the chart has colours for dark pages", async () => {
  assert.match(await growthChart(POINTS), /@media \(prefers-color-scheme: dark\)/);
});
