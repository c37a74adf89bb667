import { type KeyboardEvent, useRef, useState } from "react";
import { Link } from "wouter";
import { colourOf, COLOURS, seriesOf } from "./avatar.tsx";
import { countText } from "./count.ts";
import { Rows } from "./list.tsx";

/** One bar, which is stacked of the values of its series. */
export interface Bar {
  key: string;
  /** Its words at the axis, such as "Nov 23". */
  label: string;
  /** The list that it counts. */
  href?: string;
  /** By the keys of the series. */
  values: Record<string, number>;
}

/** A part of each bar, such as a vendor. */
export interface Series {
  key: string;
  name: string;
}

/** The maximum number of series with a colour of their own. The smallest are combined. */
const MOST = 4;
const OTHERS: Series = { key: "\0others", name: "Others" };
/** How many bars have their words at the axis. */
const MOST_LABELS = 10;

/**
 * Bars by day, stacked by series, with the same numbers as a table one click away. Arrow keys go from bar to bar, and
 * Enter opens the list of one.
 *
 * @param label the chart's name
 * @param unit the noun for one thing that is counted, and for several: "recruit" and "recruits"
 */
export function BarChart({ label, unit, bars: given, series: all }: {
  label: string;
  unit: [one: string, several: string];
  bars: Bar[];
  series: Series[];
}) {
  const [isTable, setTable] = useState(false);
  const { bars, series: greatestFirst, each } = grouped(given, all);
  // By the name, so that it is the same in each chart. Of two that have the same, the smaller takes the next.
  const taken = new Set<number>();
  const series = greatestFirst.map((one) => {
    let colour = one === OTHERS ? COLOURS : colourOf(one.name, COLOURS - 1);
    while (taken.has(colour)) colour = colour % (COLOURS - 1) + 1;
    taken.add(colour);
    return { ...one, colour };
  });
  return (
    <figure className="chart" aria-label={label}>
      <figcaption>
        <h2>{label}</h2>
        {!isTable && (
          <ul className="legend" aria-label="Colours">
            {series.map(({ key, name, colour }) => (
              <li key={key}>
                <span className="swatch" style={seriesOf(colour)} />
                <bdi>{name}</bdi>
              </li>
            ))}
          </ul>
        )}
        <button type="button" aria-pressed={isTable} onClick={() => setTable(!isTable)}>Table</button>
      </figcaption>
      {isTable
        ? (
          <Rows
            label={label}
            rows={given.toReversed()}
            keyOf={({ key }) => key}
            columns={[
              {
                title: "Day",
                cell: (bar) => bar.href ? <Link href={bar.href}>{bar.label}</Link> : bar.label,
                isHeader: true,
              },
              ...each.map(({ key, name }) => ({
                title: name,
                cell: ({ values }: Bar) => countText(values[key] ?? 0),
                isNumber: true,
              })),
              { title: "Total", cell: (bar) => countText(totalOf(bar)), isNumber: true },
            ]}
          />
        )
        : <Plot bars={bars} series={series} unit={unit} />}
    </figure>
  );
}

function Plot({ bars, series, unit }: {
  bars: Bar[];
  series: (Series & { colour: number })[];
  unit: [one: string, several: string];
}) {
  const [active, setActive] = useState(bars.length - 1);
  const [shown, setShown] = useState<number | null>(null);
  const plot = useRef<HTMLOListElement>(null);
  const ticks = ticksTo(Math.max(...bars.map(totalOf), 0));
  const top = ticks.at(-1)!;
  const every = Math.ceil(bars.length / MOST_LABELS);
  const focusable = Math.min(Math.max(active, 0), bars.length - 1);

  function onKeyDown(event: KeyboardEvent): void {
    const to = { ArrowLeft: focusable - 1, ArrowRight: focusable + 1, Home: 0, End: bars.length - 1 }[event.key];
    if (event.key === "Escape") setShown(null);
    if (to === undefined || to < 0 || to >= bars.length) return;
    event.preventDefault();
    setActive(to);
    plot.current!.children[to]!.querySelector<HTMLElement>(".bar")!.focus();
  }

  return (
    <div className="plot">
      <div className="axis" aria-hidden>
        {ticks.map((tick) => <span key={tick} style={{ bottom: `${tick / top * 100}%` }}>{countText(tick)}</span>)}
      </div>
      <ol ref={plot} onKeyDown={onKeyDown} onPointerLeave={() => setShown(null)}>
        {bars.map((bar, place) => {
          const total = totalOf(bar);
          const fromEnd = bars.length - 1 - place;
          const parts = series.map((one) => ({ ...one, value: bar.values[one.key] ?? 0 }))
            .filter(({ value }) => value > 0);
          const given = {
            className: "bar",
            tabIndex: place === focusable ? 0 : -1,
            "aria-label": `${bar.label}: ${countText(total)} ${unit[total === 1 ? 0 : 1]}` +
              parts.map(({ name, value }) => `, ${name} ${countText(value)}`).join(""),
            onFocus: () => {
              setActive(place);
              setShown(place);
            },
            onBlur: () => setShown(null),
          };
          const stack = (
            <span className="bar-stack" style={{ height: `${total / top * 100}%` }}>
              {parts.map(({ key, colour, value: flexGrow }) => (
                <span key={key} style={{ ...seriesOf(colour), flexGrow }} />
              ))}
            </span>
          );
          return (
            <li key={bar.key} onPointerEnter={() => setShown(place)}>
              {bar.href ? <Link href={bar.href} {...given}>{stack}</Link> : <span role="img" {...given}>{stack}</span>}
              {fromEnd % every === 0 && (
                <span className={fromEnd / every % 2 === 1 ? "tick is-second" : "tick"} aria-hidden>{bar.label}</span>
              )}
              {shown === place && (
                <div className={place < bars.length / 2 ? "tip" : "tip is-left"} aria-hidden>
                  <strong>{bar.label}: {countText(total)}</strong>
                  {parts.map(({ key, name, colour, value }) => (
                    <span key={key}>
                      <span className="swatch" style={seriesOf(colour)} />
                      <bdi>{name}</bdi>
                      <span>{countText(value)}</span>
                    </span>
                  ))}
                </div>
              )}
            </li>
          );
        })}
      </ol>
    </div>
  );
}

function totalOf({ values }: Bar): number {
  return Object.values(values).reduce((sum, value) => sum + value, 0);
}

/** The series with the greatest first, and the smallest as one where there are many; and each of them, for a table. */
export function grouped(bars: Bar[], series: Series[]): { bars: Bar[]; series: Series[]; each: Series[] } {
  const sums = new Map(series.map(({ key }) => [key, bars.reduce((sum, { values }) => sum + (values[key] ?? 0), 0)]));
  const sorted = series.filter(({ key }) => sums.get(key)! > 0)
    .sort((one, other) => sums.get(other.key)! - sums.get(one.key)!);
  if (sorted.length <= MOST + 1) return { bars, series: sorted, each: sorted };
  const rest = sorted.slice(MOST);
  return {
    series: [...sorted.slice(0, MOST), OTHERS],
    each: sorted,
    bars: bars.map((bar) => {
      const values = { ...bar.values, [OTHERS.key]: 0 };
      for (const { key } of rest) {
        values[OTHERS.key]! += values[key] ?? 0;
        delete values[key];
      }
      return { ...bar, values };
    }),
  };
}

/** The numbers at the axis, from 0 to one that is at least as great as the greatest bar. */
export function ticksTo(most: number): number[] {
  const raw = Math.max(most, 1) / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = Math.max(1, [1, 2, 5, 10].find((factor) => factor * power >= raw)! * power);
  return Array.from({ length: Math.ceil(Math.max(most, 1) / step) + 1 }, (_, place) => place * step);
}
