import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { operatorQueries } from "../data/operator.ts";
import { useAcknowledge } from "../data/operator_acts.ts";
import { ActionButton } from "../ui/action.tsx";
import { Badge } from "../ui/badge.tsx";
import { countText } from "../ui/count.ts";
import { Drawer } from "../ui/drawer.tsx";
import { useParameter } from "../ui/location.ts";
import { Page } from "../ui/page.tsx";
import { EmptyState } from "../ui/query_result.tsx";
import { Table } from "../ui/table.tsx";
import { sorted } from "../ui/table_sort.ts";
import { Time, useMinute } from "../ui/time.tsx";
import { showToast } from "../ui/toast.tsx";
import { NewestLeads } from "./newest_leads.tsx";
import { type Trouble, useTroubles } from "./troubles.ts";
import { useVendorName } from "./vendor_name.tsx";

/** The minutes after which the service should have looked again. */
const LATE_AFTER = 5;

/** What is wrong now, each with what mends it, and the leads that came last. */
export function Today() {
  const { isPending } = useQuery(operatorQueries.alerts());
  const { isPending: isMorePending, error } = useTroubles();
  return (
    <Page title="Today" isTitleHidden>
      <div className="section-head">
        <h2>What needs attention</h2>
        <CheckedAt />
      </div>
      <Alerts />
      {error && <p className="problem" role="alert">Problems without an alert could not be read: {error.message}</p>}
      {/* The alerts would move them down. */}
      {!isPending && !isMorePending && <NewestLeads />}
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
        Last checked at <Time at={checkedAt} />. What is fixed leaves the list at the next check, within a minute.{" "}
        <Link href="/operator/jobs">All jobs</Link>
      </p>
    );
  }
  return (
    <p className="problem" role="alert">
      {checkedAt === null ? "Nobody has looked for alerts yet." : (
        <>
          Nobody has looked for alerts since <Time at={checkedAt} />.
        </>
      )} Operators start its scheduler.
    </p>
  );
}

/** Those that nobody has in hand come first, by their severity and their age. A row opens what to do about it. */
function Alerts() {
  const query = useQuery(operatorQueries.alerts());
  const { mutateAsync: acknowledge } = useAcknowledge();
  const [shownId, setShownId] = useParameter("alert");
  const { troubles } = useTroubles();
  const nameOf = useVendorName();
  // The ages stay true.
  useMinute();
  const alerts = query.data &&
    sorted(
      [...query.data.rows.map((alert) => ({ ...alert, isAlert: true })), ...troubles]
        .map((trouble) => ({ ...trouble, ...wordsOf(trouble, nameOf) })),
      placeOf,
      false,
    );
  const shown = alerts?.find(({ id }) => id === shownId);

  async function take(those: Trouble[]): Promise<void> {
    await acknowledge(those.filter(isNew)).catch((error: Error) => showToast(error.message, { meaning: "bad" }));
  }

  return (
    <>
      {alerts && troubles.length > 0 && (
        <p className="quiet">
          {countText(alerts.length - troubles.length)} alerts, and {countText(troubles.length)}{" "}
          without an alert, which the menu does not count.
        </p>
      )}
      <Table
        label="Alerts"
        query={{ ...query, data: alerts }}
        resource="alerts"
        empty={<EmptyState title="Nothing is wrong.">This page looks again each minute.</EmptyState>}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        hrefOf={({ id }) => `/operator?alert=${id}`}
        menuOf={(alert) => [
          { label: "What to do", run: () => setShownId(alert.id) },
          ...alert.link ? [{ label: alert.link_label, href: alert.link }] : [],
          ...isNew(alert) ? [{ label: "Acknowledge", run: () => take([alert]) }] : [],
        ]}
        acts={(selected, clear) => (
          <ActionButton act={() => take(selected).then(clear)}>
            Acknowledge
          </ActionButton>
        )}
        columns={[
          {
            title: "About",
            key: "name",
            cell: (alert) => (
              <span className="two-lines">
                <span>
                  <StateBadge alert={alert} /> {alert.name}
                </span>{" "}
                <small>{titleOf(alert)}</small>
              </span>
            ),
            sortBy: ({ name }) => name,
            isHeader: true,
            isSentence: true,
          },
          // The column beside it says since when.
          {
            title: "Problem",
            cell: ({ problem }) => problem.replace(/, the first (since|due)? ?.*$/, ""),
            isSentence: true,
            isPlain: true,
          },
          {
            title: "Since",
            key: "since",
            cell: ({ since }) => <Time at={since} isAge />,
            sortBy: ({ since }) => since,
          },
          {
            title: "Next step",
            cell: (alert) => alert.link ? <MendLink alert={alert} /> : alert.advice,
            isSentence: true,
          },
        ]}
      />
      {query.data && query.data.more > 0 && (
        <p className="quiet">There are {query.data.more} more. They stand here when some of these have ended.</p>
      )}
      {shown && (
        <Drawer title={titleOf(shown)} onClose={() => setShownId(null)}>
          <p>
            <strong>{shown.name}</strong>: {shown.problem}.
          </p>
          <p>{shown.advice}</p>
          <p className="quiet">
            Since <Time at={shown.since} />
          </p>
          <p className="buttons">
            {shown.link && <MendLink alert={shown} className="button primary" />}
            {isNew(shown) && <ActionButton act={() => acknowledge([shown])}>Acknowledge</ActionButton>}
            {shown.state !== "open" && <Badge>{shown.state}</Badge>}
          </p>
        </Drawer>
      )}
    </>
  );
}

/** Whether an operator can say of it that it is in hand. */
function isNew({ state, isAlert }: Trouble): boolean {
  return isAlert && state === "open";
}

function placeOf({ state, severity, since }: Trouble): string {
  return `${state === "open" ? 0 : 1} ${severity} ${since}`;
}

/** What is not simply open. */
function StateBadge({ alert: { state, severity } }: { alert: Trouble }) {
  if (state !== "open") return <Badge>{state}</Badge>;
  return severity === 1 && <Badge meaning="bad">urgent</Badge>;
}

function titleOf({ title, kind }: Trouble): string {
  return title ?? kind;
}

/** Leads to the view that mends what an alert is about. */
function MendLink({ alert: { link, link_label, name }, className }: { alert: Trouble; className?: string }) {
  return (
    <Link href={link!} className={className}>
      {link_label} <span className="visually-hidden">{name}</span>
    </Link>
  );
}

/** The words of an alert as people know them: commands, which have the same words, take slugs and ids. */
function wordsOf({ name, problem, subject, details, link, link_label }: Trouble, nameOf: (slug: string) => string) {
  const { vendor } = details as { vendor?: string };
  return {
    name: name === `vendor ${subject}` ? nameOf(subject) : `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`.replace(
      /^Conversation [0-9a-f]{8} of /,
      "A conversation of ",
    ),
    problem: vendor === undefined
      ? problem
      : problem.replace(`leads of ${vendor},`, () => `leads of ${nameOf(vendor)},`),
    // The label of a kind is that of its usual link.
    link_label: link?.startsWith("/operator/agencies/") ? "See the agency’s orders" : link_label,
  };
}
