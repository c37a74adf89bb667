import { dayAfter, type Figures } from "../data/figures.ts";
import { BarChart } from "../ui/bar_chart.tsx";
import { countText } from "../ui/count.ts";
import { DateRange } from "../ui/date_range.tsx";
import { Figure } from "../ui/figure.tsx";
import { EmptyState } from "../ui/query_result.tsx";
import { listHref } from "./address.ts";
import { minutesText, shortDayName } from "./time_text.ts";

/** The figures of the last days, each with as many days before, and with the list that it counts. */
export function FigureRow({ figures }: { figures: Figures }) {
  const { days, vendors, first_response, daily, before } = figures;
  const recruits = Array.from({ length: days }, (_, n) => vendors.reduce((sum, { leads }) => sum + leads[n]!, 0));
  const { recruits: wrote, answered, median } = first_response;
  return (
    <section aria-labelledby="figures" className="figures">
      <h2 id="figures">The last {days} days</h2>
      <DateRange />
      <div className="figure-row">
        <Figure
          label="Recruits"
          value={allRecruits(figures)}
          before={before.recruits}
          values={recruits}
          href={listHref("leads", days)}
        />
        <Figure
          label="Not answered"
          value={wrote === 0 ? null : wrote - answered}
          format={(unanswered) => `${countText(unanswered)} of ${countText(wrote)}`}
          href={listHref(wrote > answered ? "unanswered" : "wrote", days)}
          hint={median !== null && `Median first response ${minutesText(median).replaceAll(" ", "\u00a0")}`}
        />
        {([["Texts not delivered", "failed"], ["Opt-outs", "opt_outs"]] as const).map(([label, name]) => (
          <Figure
            key={name}
            label={label}
            value={figures[name]}
            before={before[name]}
            isLessBetter
            values={daily[name]}
            href={listHref(name, days)}
          />
        ))}
      </div>
    </section>
  );
}

/** The number of recruits of all days and vendors. */
export function allRecruits({ vendors }: Pick<Figures, "vendors">): number {
  return vendors.flatMap(({ leads }) => leads).reduce((sum, count) => sum + count, 0);
}

/** The recruits of each day, by vendor. Each bar opens the list of its day. */
export function RecruitChart({ figures: { first_day, days, vendors } }: { figures: Figures }) {
  const bars = Array.from({ length: days }, (_, n) => {
    const day = dayAfter(first_day, n);
    return {
      key: day,
      label: shortDayName(day),
      href: listHref("leads", days, { day }),
      values: Object.fromEntries(vendors.map(({ id, leads }) => [id, leads[n]!])),
    };
  });
  return (
    <div className="panel is-half">
      {vendors.length === 0 ? <EmptyState title="No recruit has come in these days." /> : (
        <BarChart
          label="Recruits by day and vendor"
          unit={["recruit", "recruits"]}
          bars={bars}
          series={vendors.map(({ id, vendor }) => ({ key: id, name: vendor }))}
        />
      )}
    </div>
  );
}
