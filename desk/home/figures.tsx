import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { figureQueries, type Figures as AgencyFigures, type Listed } from "../data/figures.ts";
import type { Agent } from "../data/user.ts";
import { countText } from "../ui/count.ts";
import { EmptyState, QueryResult } from "../ui/query_result.tsx";
import { ago } from "../ui/time.tsx";
import { listHref } from "./address.ts";
import { Orders } from "./orders.tsx";
import { dayName, minutesText } from "./time_text.ts";

/** The figures of the last days, each with the list that it counts, and the orders. */
export function Figures({ agent }: { agent: Agent }) {
  const query = useQuery(figureQueries.figures());
  return (
    <>
      <section aria-labelledby="figures">
        <h2 id="figures">The last 14 days</h2>
        <QueryResult query={query} resource="figures">
          {(figures) => <Numbers figures={figures} />}
        </QueryResult>
      </section>
      {query.data && <LeadsOfDays figures={query.data} />}
      <Orders agent={agent} />
    </>
  );
}

/** A number that opens its list. */
function Count({ of, href }: { of: number; href: string }) {
  return of === 0 ? "0" : <Link href={href}>{countText(of)}</Link>;
}

function hrefOf(figure: Listed["figure"], day: string | null = null, vendor_id: string | null = null): string {
  return listHref({ figure, day, vendor_id });
}

function Numbers({ figures: { waiting, first_response, opt_outs, failed } }: { figures: AgencyFigures }) {
  const { recruits, answered, median, ninety } = first_response;
  return (
    <dl className="tiles">
      <div>
        <dt>Waiting now</dt>
        <dd>
          <Count of={waiting.recruits} href="/inbox/waiting" />
          {waiting.since !== null && <small>longest: {ago(waiting.since)}</small>}
        </dd>
      </div>
      <div>
        <dt>First response</dt>
        <dd>
          {median === null ? "None yet" : <Link href={hrefOf("answered")}>{minutesText(median)}</Link>}
          <small>
            {median !== null &&
              `in the agency’s hours; nine of ten ${ninety === 0 ? "" : "within "}${minutesText(ninety!)}; `}
            answered: <Count of={answered} href={hrefOf("answered")} /> of{" "}
            <Count of={recruits} href={hrefOf("wrote")} /> recruits who wrote
          </small>
        </dd>
      </div>
      <div>
        <dt>Texts not delivered</dt>
        <dd>
          <Count of={failed} href={hrefOf("failed")} />
          <small>{failed === 1 ? "recruit" : "recruits"} who missed a text</small>
        </dd>
      </div>
      <div>
        <dt>Opt-outs</dt>
        <dd>
          <Count of={opt_outs} href={hrefOf("opt_outs")} />
          <small>{opt_outs === 1 ? "recruit who wants" : "recruits who want"} no more texts</small>
        </dd>
      </div>
    </dl>
  );
}

function LeadsOfDays({ figures: { first_day, days, vendors } }: { figures: AgencyFigures }) {
  const dates = Array.from({ length: days }, (_, n) => {
    const day = new Date(`${first_day}T00:00Z`);
    day.setUTCDate(day.getUTCDate() + n);
    return day.toISOString().slice(0, 10);
  });
  const all = dates.map((_, n) => vendors.reduce((sum, { leads }) => sum + leads[n]!, 0));
  const rows = [...vendors, ...vendors.length > 1 ? [{ id: null, vendor: "All vendors", leads: all }] : []];
  return (
    <section aria-labelledby="days">
      <h2 id="days">Recruits of each day</h2>
      {vendors.length === 0
        ? <EmptyState title="No recruit has come by an order in these days." />
        : (
          <div className="table" role="region" aria-label="By vendor and day" tabIndex={0}>
            <table>
              <caption className="quiet">By vendor, in the time zone of the agency</caption>
              <thead>
                <tr>
                  <th scope="col">Vendor</th>
                  <th scope="col">All days</th>
                  {/* Today first: a phone shows the first columns. */}
                  {dates.toReversed().map((date) => <th key={date} scope="col">{dayName(date)}</th>)}
                </tr>
              </thead>
              <tbody>
                {rows.map(({ id, vendor, leads }) => (
                  <tr key={id}>
                    <th scope="row">
                      <bdi>{vendor}</bdi>
                    </th>
                    <td>
                      <Count of={leads.reduce((sum, count) => sum + count, 0)} href={hrefOf("leads", null, id)} />
                    </td>
                    {dates.map((date, n) => (
                      <td key={date}>
                        {leads[n]! > 0 && <Count of={leads[n]!} href={hrefOf("leads", date, id)} />}
                      </td>
                    )).toReversed()}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
    </section>
  );
}
