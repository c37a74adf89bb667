import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { type Figures as AgencyFigures, teamQueries } from "../data/team.ts";
import { countText } from "../ui/count.ts";
import { EmptyState, QueryResult } from "../ui/states.tsx";
import { ago } from "../ui/time.tsx";

/** The figures of the last days, each with the list that it counts. */
export function Figures() {
  return (
    <section aria-labelledby="figures">
      <h2 id="figures">The last 14 days</h2>
      <QueryResult query={useQuery(teamQueries.figures())} resource="figures">
        {(figures) => (
          <>
            <Numbers figures={figures} />
            <LeadsOfDays figures={figures} />
          </>
        )}
      </QueryResult>
    </section>
  );
}

function Numbers({ figures: { waiting, first_response, opt_outs, failed } }: { figures: AgencyFigures }) {
  const { recruits, answered, median, ninety } = first_response;
  return (
    <dl className="figures">
      <div>
        <dt>Waiting now</dt>
        <dd>
          <Link href="/inbox/waiting">{countText(waiting.recruits)}</Link>
          {waiting.since !== null && <small>the first for {ago(waiting.since)}</small>}
        </dd>
      </div>
      <div>
        <dt>First response</dt>
        <dd>
          {median === null ? "None yet" : minutesText(median)}
          <small>
            {median !== null && `nine of ten within ${minutesText(ninety!)}; `}
            {countText(answered)} of {countText(recruits)} recruits who wrote
          </small>
        </dd>
      </div>
      <div>
        <dt>With texts not delivered</dt>
        <dd>
          <Link href="/inbox/failed">{countText(failed)}</Link>
        </dd>
      </div>
      <div>
        <dt>Opt-outs</dt>
        <dd>
          <Link href="/inbox/all">{countText(opt_outs)}</Link>
        </dd>
      </div>
    </dl>
  );
}

function LeadsOfDays({ figures: { first_day, days, vendors } }: { figures: AgencyFigures }) {
  if (vendors.length === 0) {
    return <EmptyState title="No recruit has come by an order in these days." />;
  }
  const names = Array.from({ length: days }, (_, n) => {
    const day = new Date(`${first_day}T00:00Z`);
    day.setUTCDate(day.getUTCDate() + n);
    return DAY.format(day);
  });
  return (
    <div className="table" role="region" aria-label="Recruits of each day" tabIndex={0}>
      <table>
        <caption>
          <Link href="/recruits">Recruits</Link> of each day and vendor, in the time zone of the agency
        </caption>
        <thead>
          <tr>
            <th scope="col">Vendor</th>
            {names.map((name) => <th key={name} scope="col">{name}</th>)}
            <th scope="col">All</th>
          </tr>
        </thead>
        <tbody>
          {vendors.map(({ vendor, leads }) => (
            <tr key={vendor}>
              <th scope="row">
                <bdi>{vendor}</bdi>
              </th>
              {leads.map((count, place) => <td key={place}>{count === 0 ? "" : countText(count)}</td>)}
              <td>{countText(leads.reduce((sum, count) => sum + count, 0))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const DAY = new Intl.DateTimeFormat("en-US", { month: "short", day: "numeric", timeZone: "UTC" });

/** A time in minutes of the agency's hours: "12 min", "3 h 5 min". */
function minutesText(minutes: number): string {
  return minutes < 60 ? `${minutes} min` : `${countText(Math.floor(minutes / 60))} h ${minutes % 60} min`;
}
