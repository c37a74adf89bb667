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
import { ago, left, Time, timeText, useMinute } from "../ui/time.tsx";
import { showToast } from "../ui/toast.tsx";
import { MadeKey } from "./new_key.tsx";
import { NewestLeads } from "./newest_leads.tsx";
import { NextStep } from "./next_step.tsx";
import { Pulse } from "./pulse.tsx";
import { useWords } from "./use_words.ts";
import { isOpen } from "./trouble_words.ts";
import { type Trouble, useTroubles } from "./troubles.ts";
import { WaitingStates } from "./waiting.tsx";

/** The minutes after which the service should have looked again. */
const LATE_AFTER = 5;

/** What is wrong now, each with what mends it, and the leads that came last. */
export function Today() {
  const { data, isPending, othersError } = useTroubles();
  const explained = useWords(data);
  return (
    <Page title="Today">
      <CheckedAt />
      <Pulse />
      <MadeKey>
        <Alerts />
      </MadeKey>
      {othersError && (
        <p className="problem" role="alert">Problems without an alert could not be read: {othersError.message}</p>
      )}
      {/* The alerts would move them down. */}
      {!isPending && explained && <NewestLeads />}
    </Page>
  );
}

/** When the service last looked for alerts. It can't tell by an alert that it looks no more. */
function CheckedAt() {
  const { data: checkedAt } = useQuery(operatorQueries.checkedAt());
  // What is below it does not move when it is known.
  if (checkedAt === undefined) return <p className="checked-at">&nbsp;</p>;
  if (checkedAt !== null && Date.parse(checkedAt) > Date.now() - LATE_AFTER * 60_000) {
    return (
      <p className="checked-at">
        Last checked at <Time at={checkedAt} />. <Link href="/operator/jobs">All jobs</Link>
      </p>
    );
  }
  return (
    <p className="checked-at problem" role="alert">
      {checkedAt === null ? "Nobody has looked for alerts yet." : (
        <>
          Nobody has looked for alerts since <Time at={checkedAt} />.
        </>
      )} Start the scheduler of the database.
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

/** What breaks the law or loses something for good comes first in its group; the rest comes last. */
const HARM = [
  ...["opt_out_unmatched", "deliveries_deleted", "fetch_refused", "recruit_waiting", "worker_late", "number_paused"],
  ...["texts_stuck", "texts_held", "deliveries_rejected", "leads_waiting", "order_stalled", "order_without_leads"],
  ...["texts_failing", "destination_failing", "vendor_silent", "key_expires", "order_filled", "order_nearly_filled"],
];

function Alerts() {
  const { more, data: plain, isPending, ...query } = useTroubles();
  const explained = useWords(plain);
  // No row changes while one reads it.
  const data = isPending ? undefined : plain && explained;
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
          ...alert.link ? [{ label: "See the details", href: alert.link }] : [],
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
            cell: (trouble) => (
              <span className="two-lines is-one" title={nameOf(trouble)}>
                <bdi>{trouble.title}</bdi> {trouble.name && <small>{trouble.name}</small>}
              </span>
            ),
            sortBy: ({ title }) => title,
            isHeader: true,
            isSentence: true,
          },
          { title: "When", key: "since", cell: (trouble) => <When of={trouble} />, sortBy: timeOf, isCorner: true },
          {
            title: "Next step",
            cell: (trouble) => <NextStep of={trouble} />,
            isSentence: true,
            isPlain: true,
          },
        ]}
      />
      {more > 0 && <p className="quiet">There are {more} more, which are shown once some of these have ended.</p>}
      {shown && (
        <Drawer title={shown.title} onClose={() => setShownId(null)}>
          {shown.name && (
            <p>
              <strong>{shown.name}</strong>
            </p>
          )}
          <p>{shown.advice}</p>
          {shown.kind === "leads_waiting" && <WaitingStates />}
          <p className="quiet">
            Since <Time at={shown.since} />
          </p>
          <p className="buttons">
            {shown.link && <Link href={shown.link} className="button primary">See the details</Link>}
            {isNew(shown) && <ActionButton act={() => take([shown])}>Acknowledge</ActionButton>}
            {!isOpen(shown) && <Badge>{shown.state}</Badge>}
          </p>
        </Drawer>
      )}
    </>
  );
}

/** How long it has been so, or how much time is left. */
export function When({ of: trouble }: { of: Trouble }) {
  const { due, since } = trouble;
  const words = due === undefined
    ? ago(since) === "now" ? "now" : `for ${ago(since)}`
    : Date.parse(due) < Date.now()
    ? "overdue"
    : `due in ${left(due)}`;
  const title = timeText(due ?? since, new Date(), true);
  return groupOf(trouble) === 0
    ? <Badge meaning="bad" title={title}>{words}</Badge>
    : <span title={title}>{words}</span>;
}

function timeOf({ due, since }: Trouble): string {
  return due ?? since;
}

/** Whether an operator can say of it that it is in hand. */
function isNew({ alerts }: Trouble): boolean {
  return alerts.some(isOpen);
}

function groupOf(trouble: Trouble): number {
  return isOpen(trouble) ? trouble.severity - 1 : GROUPS.length - 1;
}

function placeOf({ kind, since }: Trouble): string {
  const place = HARM.indexOf(kind);
  return `${place < 0 ? HARM.length : place} ${since}`;
}

function nameOf({ title, name }: Trouble): string {
  return name ? `${title}: ${name}` : title;
}
