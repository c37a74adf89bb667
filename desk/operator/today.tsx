import { Link } from "wouter";
import { useQuery } from "@tanstack/react-query";
import { type Alert, operatorQueries } from "../data/operator.ts";
import { useAcknowledge } from "../data/operator_acts.ts";
import { usePages } from "../data/pages.ts";
import { ActionButton } from "../ui/action.tsx";
import { Page } from "../ui/page.tsx";
import { EmptyState, QueryResult } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { NewestLeads } from "./newest_leads.tsx";
import { useVendorName } from "./vendor_name.ts";

/** A view that helps with an alert. */
interface View {
  to: string;
  label: string;
}

const ORDER = ({ subject }: Alert): View => ({ to: `/operator/orders/${subject}`, label: "See the order" });

/**
 * The title of each kind of alert, the advice, the view that helps with all of its alerts, and that for each one. What
 * has a secret, such as a key, is not done in a browser: the advice says who does it.
 */
const KINDS: Record<string, { title: string; advice: string; view?: View; viewOf?: (alert: Alert) => View }> = {
  texts_stuck: {
    title: "Texts that are not sent",
    advice: "Find out what holds them.",
    view: { to: "/operator/outbox", label: "See the texts that are not sent" },
  },
  number_paused: {
    title: "Paused numbers",
    advice: "No text leaves a paused number. Find the cause, and resume it.",
    view: { to: "/operator/numbers", label: "Resume numbers" },
  },
  leads_waiting: {
    title: "Waiting leads",
    advice: "Open an order for them. Where open orders want them, distribute them.",
    view: { to: "/operator/waiting", label: "Distribute the waiting leads" },
  },
  deliveries_rejected: {
    title: "Rejected deliveries",
    advice: "Correct what rejects them, such as the mapping. Then replay.",
    view: { to: "/operator/deliveries", label: "Replay or dismiss the rejected deliveries" },
  },
  fetch_refused: {
    title: "Leads that are not fetched",
    advice: "Meta refuses the access token. The people who run the service add a new one. Then all are fetched.",
  },
  vendor_silent: {
    title: "Silent vendors",
    advice: "They have sent nothing for longer than usual. Ask them.",
    view: { to: "/operator/vendors", label: "See the vendors and their keys" },
  },
  order_nearly_filled: {
    title: "Orders that are nearly full",
    advice: "Ask the agency whether it wants more leads.",
    viewOf: ORDER,
  },
  order_filled: {
    title: "Full orders",
    advice: "They get no lead any more. Raise them, or close them.",
    viewOf: ORDER,
  },
  order_stalled: {
    title: "Orders that can't fill",
    advice: "Change these open orders, or close them.",
    viewOf: ORDER,
  },
  recruit_waiting: {
    title: "Recruits who wait",
    advice: "The agent and the managers were told. Ask them.",
    view: { to: "/operator/recruits", label: "See the recruits who wait" },
  },
  texts_failing: {
    title: "Texts that fail",
    advice: "Recruits don't get them, or don't want them. Ask the agency.",
    viewOf: ({ subject }) => ({ to: `/operator/outbox/failed/${subject}`, label: "See the texts that failed" }),
  },
  key_expires: {
    title: "Keys of vendors",
    advice: "The people who run the service make the vendor a new key before the old one expires.",
    view: { to: "/operator/vendors", label: "See the vendors and their keys" },
  },
  opt_out_unmatched: {
    title: "Opt-outs for nobody",
    advice: "These recruits want no texts any more. Give each text a conversation.",
    view: { to: "/operator/texts", label: "Give texts a conversation" },
  },
  worker_late: {
    title: "Sending texts",
    advice: "Nobody sends the texts that are due. The people who run the service start the worker.",
    view: { to: "/operator/outbox", label: "See the texts that are not sent" },
  },
};

/** The minutes after which the service should have looked again. */
const LATE_AFTER = 5;

/** The leads that came last, and the alerts of now, each with the act that mends it. */
export function Today() {
  const alerts = useQuery(operatorQueries.alerts());
  return (
    <Page title="Today">
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
                <Alerts key={kind} kind={kind} alerts={ofKind!} />
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

function Alerts({ kind, alerts }: { kind: string; alerts: Alert[] }) {
  const { title, advice, view, viewOf } = KINDS[kind] ?? { title: kind, advice: "" };
  const acknowledge = useAcknowledge();
  const nameOf = useVendorName();
  return (
    <section className="findings">
      <h3>{title}</h3>
      <p>
        {advice} {view && <Link href={view.to}>{view.label}</Link>}
      </p>
      <ul className="rows">
        {alerts.map((alert) => {
          const { id, state, opened_at } = alert;
          const { name, problem } = wordsOf(alert, nameOf);
          const own = viewOf?.(alert);
          return (
            <li key={id}>
              <p>
                <strong>{name.slice(0, 1).toUpperCase() + name.slice(1)}</strong>: {problem}.{" "}
                <small>
                  Since <Time at={opened_at} />
                </small>
              </p>
              <p className="buttons">
                {own && (
                  <Link href={own.to}>
                    {own.label} <span className="visually-hidden">{name}</span>
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

/** The words of an alert, in which vendors have their names: commands, which have the same words, take slugs. */
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
