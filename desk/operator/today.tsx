import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { operatorQueries } from "../data/operator.ts";
import { useAcknowledge } from "../data/operator_acts.ts";
import { ActionButton } from "../ui/action.tsx";
import { Badge, type Meaning } from "../ui/badge.tsx";
import { Drawer } from "../ui/drawer.tsx";
import { useParameter } from "../ui/location.ts";
import { Page } from "../ui/page.tsx";
import { EmptyState } from "../ui/query_result.tsx";
import { Table } from "../ui/table.tsx";
import { sorted } from "../ui/table_sort.ts";
import { Time, useMinute } from "../ui/time.tsx";
import { showToast } from "../ui/toast.tsx";
import { NewestLeads } from "./newest_leads.tsx";
import { isOpen } from "./trouble_words.ts";
import { type Trouble, useTroubles } from "./troubles.ts";
import { TroubleCause } from "./trouble_cause.tsx";
import { WaitingStates } from "./waiting.tsx";

/** The minutes after which the service should have looked again. */
const LATE_AFTER = 5;

/** What is wrong now, each with what mends it, and the leads that came last. */
export function Today() {
  const { isPending, othersError } = useTroubles();
  return (
    <Page title="Today">
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
        Last checked at <Time at={checkedAt} />, once a minute. <Link href="/operator/jobs">All jobs</Link>
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

/** The groups of what is wrong: what loses leads, texts or answers today, what may soon, the rest, and what is in hand. */
const GROUPS: [group: string, meaning?: Meaning][] = [
  ["Now", "bad"],
  ["To do", "warn"],
  ["For information", "info"],
  ["In hand"],
];

/** The kinds that come first in their group: people wait, or something is lost for good. */
const FIRST = new Set(["recruit_waiting", "deliveries_deleted"]);

/** Those whose details say until when there is time. */
const WITHOUT_AGE = new Set(["key_expires", "deliveries_deleted"]);

function Alerts() {
  const { more, data, ...query } = useTroubles();
  const { mutateAsync: acknowledge } = useAcknowledge();
  const [shownId, setShownId] = useParameter("alert");
  // The ages stay true.
  useMinute();
  const shown = data?.find(({ id }) => id === shownId);

  async function take(those: Trouble[]): Promise<void> {
    const alerts = those.flatMap(({ alerts }) => alerts).filter(isOpen);
    await acknowledge(alerts).catch((error: Error) => showToast(error.message, { meaning: "bad" }));
  }

  return (
    <>
      <Table
        label="Problems"
        query={{ ...query, data: data && sorted(data, placeOf, false) }}
        resource="alerts"
        empty={<EmptyState title="Nothing is wrong.">This page looks again each minute.</EmptyState>}
        className="troubles"
        hasSortSelect={false}
        keyOf={({ id }) => id}
        nameOf={nameOf}
        groups={GROUPS.map(([name, meaning]) => ({ name, head: <Badge meaning={meaning}>{name}</Badge> }))}
        groupOf={(trouble) => GROUPS[groupOf(trouble)]![0]}
        hrefOf={({ id }) => `/operator?alert=${id}`}
        menuOf={(alert) => [
          { label: "What to do", run: () => setShownId(alert.id) },
          ...alert.link ? [{ label: labelOf(alert), href: alert.link }] : [],
          ...isNew(alert) ? [{ label: "Acknowledge", run: () => take([alert]) }] : [],
        ]}
        acts={(selected, clear) => (
          <ActionButton act={() => take(selected).then(clear)}>
            Acknowledge
          </ActionButton>
        )}
        columns={[
          {
            title: "Problem",
            key: "name",
            cell: (alert) => (
              <span className="two-lines">
                <span>{titleOf(alert)}</span> <small>{alert.name}</small>
              </span>
            ),
            sortBy: titleOf,
            isHeader: true,
            isSentence: true,
          },
          { title: "Details", cell: (trouble) => <TroubleCause of={trouble} />, isSentence: true, isPlain: true },
          {
            title: "For",
            key: "since",
            cell: (trouble) =>
              !WITHOUT_AGE.has(trouble.kind) && (
                <span className={groupOf(trouble) === 0 ? "is-late" : undefined}>
                  <Time at={trouble.since} isAge />
                </span>
              ),
            sortBy: ({ since }) => since,
            isCorner: true,
          },
          {
            title: "Next step",
            cell: (alert) => alert.link ? <MendLink alert={alert} /> : alert.advice,
            isSentence: true,
            isPlain: true,
          },
        ]}
      />
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

/** Whether an operator can say of it that it is in hand. */
function isNew({ alerts }: Trouble): boolean {
  return alerts.some(isOpen);
}

function groupOf(trouble: Trouble): number {
  return isOpen(trouble) ? trouble.severity - 1 : GROUPS.length - 1;
}

/** In a group: what can't wait comes first, and of that the oldest. */
function placeOf(trouble: Trouble): string {
  return `${FIRST.has(trouble.kind) ? 0 : 1} ${trouble.since}`;
}

function titleOf({ title, kind }: Trouble): string {
  return title ?? kind;
}

function nameOf(trouble: Trouble): string {
  return `${titleOf(trouble)}: ${trouble.name}`;
}

/** The label of a kind is that of its usual link. */
function labelOf({ link, link_label }: Trouble): string {
  return link?.startsWith("/operator/agencies/") ? "See the agency’s orders" : link_label!;
}

/** Leads to the view that mends what an alert is about. */
function MendLink({ alert, className }: { alert: Trouble; className?: string }) {
  return (
    <Link href={alert.link!} className={className}>
      {labelOf(alert)} <span className="visually-hidden">{alert.name}</span>
    </Link>
  );
}
