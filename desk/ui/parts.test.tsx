/** What the parts show without an act. e2e/desk/components.test.ts shows what acts. */
import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server";
import { Avatar, initialsOf } from "./avatar.tsx";
import { Badge } from "./badge.tsx";
import { BarChart, grouped, ticksTo } from "./bar_chart.tsx";
import { Figure, Sparkline } from "./figure.tsx";
import { hasWords } from "./palette.tsx";
import { sorted } from "./table_sort.ts";

Deno.test("a badge has its meaning's colour and its words", () => {
  assert.equal(
    renderToStaticMarkup(<Badge meaning="bad">Not delivered</Badge>),
    '<span class="badge is-bad">Not delivered</span>',
  );
});

Deno.test("an avatar has initials, a colour that its id alone decides, and the name for a screen reader", () => {
  assert.deepEqual(["Maya Ortiz", "James  de la Cruz", "omar", "Élodie", "", "(312) 555-0142"].map(initialsOf), [
    "MO",
    "JC",
    "O",
    "É",
    "",
    "35",
  ]);
  const html = renderToStaticMarkup(<Avatar id="a1" name="Maya Ortiz" />);
  assert.match(
    html,
    /class="avatar" style="--series:var\(--series-\d\)" title="Maya Ortiz" aria-hidden="true">MO<.*visually-hidden">Maya Ortiz</,
  );
  assert.equal(html, renderToStaticMarkup(<Avatar id="a1" name="Maya Ortiz" />));
  const colours = new Set(Array.from("abcdefgh", (id) => renderToStaticMarkup(<Avatar id={id} name="A" />)));
  assert.equal(colours.size, 8);
});

Deno.test("a figure says what it was before, and whether that is better", () => {
  const up = renderToStaticMarkup(<Figure label="Recruits" value={1200} before={9} />);
  assert.match(up, /<strong>1,200<\/strong><span class="figure-before is-good">.*up,<.*9 before/);
  assert.match(renderToStaticMarkup(<Figure label="Recruits" value={150} before={100} />), /up,<.*>50%, 100 before/);
  assert.match(renderToStaticMarkup(<Figure label="Recruits" value={137} before={136} />), /before"><span>136 before/);
  assert.match(renderToStaticMarkup(<Figure label="Minutes" value={12} before={9} isLessBetter />), /before is-bad/);
  assert.match(renderToStaticMarkup(<Figure label="Minutes" value={null} before={null} />), /–.*none before/);
  assert.match(renderToStaticMarkup(<Sparkline values={[0, 0]} />), /points="0,28 100,28"/);
});

Deno.test("a chart's axis reaches above its bars in even steps", () => {
  assert.deepEqual(ticksTo(14), [0, 5, 10, 15]);
  assert.deepEqual(ticksTo(0), [0, 1]);
  assert.deepEqual(ticksTo(1_001), [0, 500, 1_000, 1_500]);
});

Deno.test("a chart tells five parts apart: the greatest, and the others as one", () => {
  const series = Array.from({ length: 10 }, (_, n) => ({ key: `v${n}`, name: `Vendor ${n}` }));
  const bars = [{ key: "1", label: "Nov 1", values: Object.fromEntries(series.map(({ key }, n) => [key, n])) }];
  const few = grouped(bars, series.slice(0, 4));
  assert.deepEqual(few.series.map(({ name }) => name), ["Vendor 3", "Vendor 2", "Vendor 1"]);
  const many = grouped(bars, series);
  assert.deepEqual(many.series.map(({ name }) => name).slice(-2), ["Vendor 6", "Others"]);
  assert.equal(many.bars[0]!.values[many.series.at(-1)!.key], 0 + 1 + 2 + 3 + 4 + 5);
});

Deno.test("a part has the same colour in each chart, and no two in one have the same", () => {
  const coloursOf = (...names: string[]) => {
    const values = Object.fromEntries(names.map((name, n) => [name, 9 - n]));
    const bars = [{ key: "1", label: "Nov 1", values }];
    const series = names.map((name) => ({ key: name, name }));
    const page = renderToStaticMarkup(<BarChart label="Leads" unit={["lead", "leads"]} bars={bars} series={series} />);
    return [...page.matchAll(/swatch" style="--series:var\(--series-(\d)\)"><\/span><bdi>(.*?)</g)].map((
      [, colour, name],
    ) => [name, colour]);
  };
  const many = coloursOf("Bright Careers", "Indeed Apply", "Lead House", "ZipRecruiter", "Talroo");
  assert.equal(new Set(many.map(([, colour]) => colour)).size, 5);
  assert.deepEqual(coloursOf("Indeed Apply", "Bright Careers"), [many[1], many[0]]);
});

Deno.test("rows are sorted by number or by words, and those without a value stand last", () => {
  const rows = [{ a: 10 }, { a: null }, { a: 9 }];
  assert.deepEqual(sorted(rows, ({ a }) => a, true).map(({ a }) => a), [10, 9, null]);
  assert.deepEqual(sorted(rows, ({ a }) => a, false).map(({ a }) => a), [9, 10, null]);
  assert.deepEqual(sorted(["b", "É", "e", "B10", "B9"], (row) => row, false), ["b", "B9", "B10", "e", "É"]);
});

Deno.test("the palette finds an act by each of its words", () => {
  assert(hasWords("Go to Recruits", "rec GO"));
  assert(!hasWords("Go to Recruits", "recruits maya"));
});
