import { parse, View } from "vega";
import { compile, type TopLevelSpec } from "vega-lite";

/** What a request costs with so many rows in each table. */
export interface CostPoint {
  what: string;
  rows: number;
  milliseconds: number;
  /** The most that it may cost. */
  budget: number;
}

// A reader may have a dark page. The chart brings its own background, so that it can be read on any page.
const DARK = `<style>
@media (prefers-color-scheme: dark) {
  svg > rect { fill: #0d1117 }
  text { fill: #e6edf3 }
  .role-axis-grid line { stroke: #30363d }
}
</style>`;

/** The chart as SVG: a plot for each kind of request, in the order of the points. The same points make the same chart. */
export async function growthChart(points: CostPoint[]): Promise<string> {
  const { spec } = compile(chart(points));
  const svg = await new View(parse(spec), { renderer: "none" }).toSVG();
  return svg.replace(/(?<=^<svg[^>]*>)/, DARK) + "\n";
}

function chart(points: CostPoint[]): TopLevelSpec {
  return {
    title: {
      text: "What a request costs the database, by the number of rows in each table",
      subtitle: "Milliseconds of CPU of the Postgres process; the dashed line is the budget.",
      anchor: "start",
      fontSize: 16,
      subtitleFontSize: 12,
      offset: 16,
    },
    data: { values: points },
    facet: {
      field: "what",
      sort: [...new Set(points.map(({ what }) => what))],
      header: { title: null, labelFontSize: 11, labelFontWeight: "bold", labelAnchor: "start" },
    },
    columns: 4,
    align: "all",
    bounds: "flush",
    spacing: { row: 72, column: 48 },
    spec: {
      width: 180,
      height: 90,
      encoding: {
        x: {
          field: "rows",
          type: "quantitative",
          scale: { type: "log", nice: false },
          axis: {
            title: "rows",
            values: [...new Set(points.map(({ rows }) => rows))],
            format: "s",
          },
        },
        y: { type: "quantitative", axis: { title: "ms", tickCount: 3 } },
      },
      layer: [
        {
          mark: { type: "line", strokeDash: [3, 3], color: "#888" },
          encoding: { y: { field: "budget" } },
        },
        {
          mark: { type: "line", point: { size: 40, color: "#2f81f7" }, color: "#2f81f7" },
          encoding: { y: { field: "milliseconds" } },
        },
      ],
    },
    resolve: { scale: { y: "independent" }, axis: { x: "independent" } },
    padding: 20,
    background: "#ffffff",
    config: {
      font: "sans-serif",
      view: { stroke: null },
      axis: { titleFontWeight: "normal", labelFontSize: 10, domainColor: "#888" },
      axisX: { grid: false },
    },
  };
}
