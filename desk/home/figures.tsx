import { dayAfter, type Figures } from "../data/figures.ts";
import { BarChart } from "../ui/bar_chart.tsx";
import { countText } from "../ui/count.ts";
import { Figure } from "../ui/figure.tsx";
import { EmptyState } from "../ui/query_result.tsx";
import { listHref } from "./address.ts";
import { minutesText, shortDayName } from "./time_text.ts";

/** The figures of the last days, each with as many days before, and with the list that it counts. */
export function FigureRow({ figures }: { figures: Figures }) {
  const { days, vendors, first_response, opt_outs, failed, daily, before } = figures;
  const recruits = Array.from({ length: days }, (_, n) => vendors.reduce((sum, { leads }) => sum + leads[n]!, 0));
  const { answered, median } = first_response;
  const unanswered = first_response.recruits - answered;
  return (
    <section aria-label={`The last ${days} days`} className="figure-row">
      <Figure
        label="Recruits"
        value={allRecruits(figures)}
        before={before.recruits}
        values={recruits}
        href={listHref("leads", days)}
      />
      <Figure
        label="First response"
        value={median}
        before={before.median}
        format={minutesText}
        isLessBetter
        values={daily.median.filter((minutes) => minutes !== null)}
        href={listHref(unanswered > 0 ? "unanswered" : "wrote", days)}
        hint={unanswered > 0 &&
          `median; a person has not answered ${countText(unanswered)} of ${countText(first_response.recruits)}`}
      />
      <Figure
        label="Texts not delivered"
        value={failed}
        before={before.failed}
        isLessBetter
        values={daily.failed}
        href={listHref("failed", days)}
        hint={`${failed === 1 ? "recruit" : "recruits"} who missed a text in these days`}
      />
      <Figure
        label="Opt-outs"
        value={opt_outs}
        before={before.opt_outs}
        isLessBetter
        values={daily.opt_outs}
        href={listHref("opt_outs", days)}
        hint={opt_outs === 1 ? "recruit who wants no more texts" : "recruits who want no more texts"}
      />
    </section>
  );
}

/** The number of recruits of all days and vendors. */
export function allRecruits({ vendors }: Figures): number {
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
