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
import { EmptyState, QueryResult, TableSkeleton } from "../ui/query_result.tsx";
import { Table } from "../ui/table.tsx";
import { sorted } from "../ui/table_sort.ts";
import { Time, useMinute } from "../ui/time.tsx";
import { showToast } from "../ui/toast.tsx";
import { NewestLeads } from "./newest_leads.tsx";
import { type Trouble, useTroubles } from "./troubles.ts";
import { useVendorName } from "./vendor_name.tsx";
import { WaitingStates } from "./waiting.tsx";

/** The minutes after which the service should have looked again. */
const LATE_AFTER = 5;

/** What is wrong now, each with what mends it, and the leads that came last. */
export function Today() {
  const { isPending, othersError } = useTroubles();
  return (
    <Page title="Today" isTitleHidden>
      <CheckedAt />
      <Alerts />
      {othersError && (
        <p className="problem" role="alert">Problems without an alert could not be read: {othersError.message}</p>
      )}
      {/* The alerts would move them down. */}
      {!isPending && <NewestLeads />}
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

/** The groups of what is wrong, by severity: what loses leads, texts or answers today, what may soon, and the rest. */
const GROUPS = ["Now", "To do", "For information"];

/** The kinds that come first in their group: people wait, or something is lost for good. */
const FIRST = new Set(["recruit_waiting", "deliveries_deleted"]);

function Alerts() {
  const { more, ...query } = useTroubles();
  const { mutateAsync: acknowledge } = useAcknowledge();
  const [shownId, setShownId] = useParameter("alert");
  const nameOf = useVendorName();
  // The ages stay true.
  useMinute();
  const troubles = query.data?.map((trouble) => ({ ...trouble, ...wordsOf(trouble, nameOf) }));
  const shown = troubles?.find(({ id }) => id === shownId);

  async function take(those: Trouble[]): Promise<void> {
    const alerts = those.flatMap(({ alerts }) => alerts).filter(isOpen);
    await acknowledge(alerts).catch((error: Error) => showToast(error.message, { meaning: "bad" }));
  }

  const table = (rows: Trouble[], label: string) => (
    <Table
      label={label}
      query={{ data: rows, error: null, refetch: () => {} }}
      resource="alerts"
      empty={null}
      hasSortSelect={false}
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
                {!isOpen(alert) && <Badge>{alert.state}</Badge>} {alert.name}
              </span>{" "}
              <small>{titleOf(alert)}</small>
            </span>
          ),
          sortBy: ({ name }) => name,
          isHeader: true,
          isSentence: true,
        },
        { title: "Problem", cell: ({ problem }) => problem, isSentence: true, isPlain: true },
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
  );

  return (
    <>
      <QueryResult query={{ ...query, data: troubles }} resource="alerts" skeleton={<TableSkeleton />}>
        {(troubles) =>
          troubles.length === 0
            ? <EmptyState title="Nothing is wrong.">This page looks again each minute.</EmptyState>
            : GROUPS.map((group, place) => {
              const rows = sorted(troubles.filter(({ severity }) => severity === place + 1), placeOf, false);
              return rows.length > 0 && (
                <section key={group} className="troubles" aria-label={group}>
                  <h2>
                    {group} <small>{countText(rows.length)}</small>
                  </h2>
                  {table(rows, group)}
                </section>
              );
            })}
      </QueryResult>
      {more > 0 && <p className="quiet">There are {more} more. They stand here when some of these have ended.</p>}
      {shown && (
        <Drawer title={titleOf(shown)} onClose={() => setShownId(null)}>
          <p>
            <strong>{shown.name}</strong>: {shown.problem}.
          </p>
          <p>{shown.advice}</p>
          {shown.kind === "leads_waiting" && <WaitingStates />}
          <p className="quiet">
            Since <Time at={shown.since} />
          </p>
          <p className="buttons">
            {shown.link && <MendLink alert={shown} className="button primary" />}
            {isNew(shown) && <ActionButton act={() => take([shown])}>Acknowledge</ActionButton>}
            {!isOpen(shown) && <Badge>{shown.state}</Badge>}
          </p>
        </Drawer>
      )}
    </>
  );
}

function isOpen({ state }: { state: string }): boolean {
  return state === "open";
}

/** Whether an operator can say of it that it is in hand. */
function isNew({ alerts }: Trouble): boolean {
  return alerts.some(isOpen);
}

/** In a group: those that nobody has in hand come first, and of these what can't wait, and the oldest. */
function placeOf(trouble: Trouble): string {
  return `${isOpen(trouble) ? 0 : 1} ${FIRST.has(trouble.kind) ? 0 : 1} ${trouble.since}`;
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
function wordsOf({ kind, name, subject, details, link, link_label }: Trouble, nameOf: (slug: string) => string) {
  const vendor = nameOf(subject);
  return {
    name: kind === "recruit_waiting"
      ? `A conversation of ${(details as { agency: string }).agency}`
      : vendor === subject
      ? `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`
      : vendor,
    // The label of a kind is that of its usual link.
    link_label: link?.startsWith("/operator/agencies/") ? "See the agency’s orders" : link_label,
  };
}
