import { Link } from "wouter";
import { useQuery } from "@tanstack/react-query";
import { type Alert, operatorQueries } from "../data/operator.ts";
import { useAcknowledge } from "../data/operator_acts.ts";
import { usePages } from "../data/pages.ts";
import { ActionButton } from "../ui/action.tsx";
import { Page } from "../ui/page.tsx";
import { EmptyState, QueryResult } from "../ui/query_result.tsx";
import { Time } from "../ui/time.tsx";
import { NewestLeads } from "./newest_leads.tsx";
import { useVendorName } from "./vendor_name.ts";

/** The minutes after which the service should have looked again. */
const LATE_AFTER = 5;

/** The leads that came last, and the alerts of now, each with the act that mends it. */
export function Today() {
  const alerts = useQuery(operatorQueries.alerts());
  return (
    <Page title="Today" isTitleHidden>
      <NewestLeads />
      <Figures />
      <div className="bar">
        <h2>What needs attention</h2>
        <CheckedAt />
      </div>
      <QueryResult query={alerts} resource="alerts">
        {({ rows, more }) => (
          <>
            {rows.length === 0
              ? <EmptyState title="Nothing is wrong.">This page looks again each minute.</EmptyState>
              : Object.entries(Object.groupBy(rows, ({ kind }) => kind)).map(([kind, ofKind]) => (
                <Alerts key={kind} alerts={ofKind!} />
              ))}
            {more > 0 && <p>There are {more} more. They stand here when some of these have ended.</p>}
          </>
        )}
      </QueryResult>
    </Page>
  );
}

/** When the service last looked for alerts. It can't tell by an alert that it looks no more. */
function CheckedAt() {
  const { data: checkedAt } = useQuery(operatorQueries.checkedAt());
  if (checkedAt === undefined) return null;
  if (checkedAt !== null && Date.parse(checkedAt) > Date.now() - LATE_AFTER * 60_000) {
    return (
      <p className="quiet">
        Checked at <Time at={checkedAt} />. <Link href="/operator/jobs">All jobs</Link>
      </p>
    );
  }
  return (
    <p className="problem" role="alert">
      {checkedAt === null ? "Nobody has looked for alerts yet." : (
        <>
          Nobody has looked for alerts since <Time at={checkedAt} />.
        </>
      )} The people who run the service start its scheduler.
    </p>
  );
}

/** The alerts of a kind. A link that all of them have stands once. */
function Alerts({ alerts }: { alerts: Alert[] }) {
  const { kind, title, advice, link, link_label } = alerts[0]!;
  const isShared = alerts.every((alert) => alert.link === link);
  const acknowledge = useAcknowledge();
  const nameOf = useVendorName();
  return (
    <section className="findings">
      <h3>{title ?? kind}</h3>
      <p>
        {advice} {isShared && link !== null && <Link href={link}>{link_label}</Link>}
      </p>
      <ul className="rows">
        {alerts.map((alert) => {
          const { id, state, opened_at } = alert;
          const { name, problem } = wordsOf(alert, nameOf);
          return (
            <li key={id}>
              <p>
                <strong>{name.slice(0, 1).toUpperCase() + name.slice(1)}</strong>: {problem}.{" "}
                <small>
                  Since <Time at={opened_at} />
                </small>
              </p>
              <p className="buttons">
                {!isShared && alert.link !== null && (
                  <Link href={alert.link}>
                    {link_label} <span className="visually-hidden">{name}</span>
                  </Link>
                )}
                {state === "acknowledged"
                  ? <span className="quiet">Acknowledged</span>
                  : (
                    <ActionButton act={() => acknowledge.mutateAsync(id)}>
                      Acknowledge <span className="visually-hidden">{name}</span>
                    </ActionButton>
                  )}
              </p>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** The words of an alert with the names of vendors: commands, which have the same words, take slugs. */
function wordsOf({ name, problem, subject, details }: Alert, nameOf: (slug: string) => string) {
  const { vendor } = details as { vendor?: string };
  return {
    name: name === `vendor ${subject}` ? nameOf(subject) : name,
    problem: vendor === undefined
      ? problem
      : problem.replace(`leads of ${vendor},`, () => `leads of ${nameOf(vendor)},`),
  };
}

/** The numbers of rows that wait for an operator. */
function Figures() {
  const { data: deliveries } = useQuery(operatorQueries.deliveriesCount());
  const { data: waiting } = useQuery(operatorQueries.waitingVendors());
  const { data: recruits } = useQuery(operatorQueries.waitingRecruitsCount());
  const { data: texts, hasNextPage } = usePages(operatorQueries.unmatchedTexts());
  return (
    <ul className="figures">
      <Figure to="/operator/deliveries" label="Rejected deliveries" count={deliveries} />
      <Figure
        to="/operator/waiting"
        label="Waiting leads"
        count={waiting?.reduce((count, { leads }) => count + leads, 0)}
      />
      <Figure to="/operator/recruits" label="Recruits who wait" count={recruits} />
      <Figure
        to="/operator/texts"
        label="Unmatched texts"
        count={texts?.length}
        hasMore={hasNextPage}
      />
    </ul>
  );
}

function Figure(
  { to, label, count, hasMore = false }: { to: string; label: string; count: number | undefined; hasMore?: boolean },
) {
  return (
    <li>
      <Link href={to}>
        <strong>{count === undefined ? "–" : `${count.toLocaleString("en-US")}${hasMore ? "+" : ""}`}</strong> {label}
      </Link>
    </li>
  );
}
