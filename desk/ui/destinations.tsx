import { useState } from "react";
import { Link, useLocation } from "wouter";
import {
  type Destination,
  destinationQueries,
  type Dispatch,
  retryDispatches,
  retryFailed,
  setDestinationState,
  testDestination,
} from "../data/destinations.ts";
import { usePages } from "../data/pages.ts";
import { ActionButton } from "./action.tsx";
import { Badge, type Meaning } from "./badge.tsx";
import { countText } from "./count.ts";
import { DotSeparated } from "./dot_separated.tsx";
import { eventName } from "./event_name.ts";
import { List } from "./list.tsx";
import { Nothing } from "./nothing.tsx";
import { EmptyState } from "./query_result.tsx";
import { Table } from "./table.tsx";
import { Time } from "./time.tsx";

/** The destinations of an agency, or one, each with what can be done with it. */
export function Destinations(narrow: { agency_id: string } | { id: string }) {
  const query = usePages(destinationQueries.list(narrow));
  return (
    <List
      query={query}
      resource="destinations"
      className="cards"
      empty={"id" in narrow
        ? <EmptyState title="There is no such destination." />
        : (
          <EmptyState title="No destination yet.">
            The people who run the service add one. It sends new leads to an agency's own system.
          </EmptyState>
        )}
      keyOf={({ id }) => id}
      row={(destination) => <DestinationRow destination={destination} isAlone={"id" in narrow} />}
    />
  );
}

function DestinationRow({ destination, isAlone }: { destination: Destination; isAlone: boolean }) {
  const {
    id,
    name,
    agency_id,
    url,
    address,
    is_on,
    off_reason,
    events,
    waiting,
    failed_24h,
    last_delivered_at,
    failing_since,
    last_failure,
  } = destination;
  const [isOpen, setOpen] = useState(isAlone);
  return (
    <li className="panel">
      <div className="section-head">
        <p className="line">
          {!isAlone && <strong>{name}</strong>}
          {is_on ? <Badge meaning="good">On</Badge> : <Badge meaning="warn">Paused</Badge>}
          {failed_24h > 0 && <Badge meaning="bad">{countText(failed_24h)} failed in 24 hours</Badge>}
          {waiting > 0 && <Badge meaning="info">{countText(waiting)} waiting</Badge>}
        </p>
        <p className="buttons">
          {failed_24h > 0 && (
            <ActionButton act={() => retryFailed(id)}>
              Send again what failed <span className="visually-hidden">to {name}</span>
            </ActionButton>
          )}
          {agency_id !== null && is_on && (
            <ActionButton act={() => testDestination(id).then(() => setOpen(true))}>
              Test <span className="visually-hidden">{name}</span>
            </ActionButton>
          )}
          {agency_id !== null && (
            <ActionButton act={() => setDestinationState(id, !is_on)}>
              {is_on ? "Pause" : "Resume"} <span className="visually-hidden">{name}</span>
            </ActionButton>
          )}
        </p>
      </div>
      {url === null ? <p className="quiet">{address ?? "Alerts of the service"}</p> : <Url url={url} />}
      {off_reason !== null && <p className="problem">Switched off: {off_reason}</p>}
      {failing_since !== null && (
        <p className="problem">
          Failing since <Time at={failing_since} />
          {last_failure && `: ${last_failure}`}
        </p>
      )}
      <p className="quiet">
        <DotSeparated>
          {events.map(eventName).join(", ")}
          {last_delivered_at === null ? "nothing delivered yet" : (
            <>
              last delivered <Time at={last_delivered_at} />
            </>
          )}
          {waiting + failed_24h === 0 && "nothing waits, nothing failed in 24 hours"}
        </DotSeparated>
      </p>
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          Log <span className="visually-hidden">of {name}</span>
        </summary>
        {isOpen && <Dispatches destinationId={id} />}
      </details>
    </li>
  );
}

/** An address on one line, whose host is seen first. */
function Url({ url }: { url: string }) {
  const [, host, path] = /^(?:https?:\/\/)?([^/]*)(.*)$/.exec(url)!;
  return (
    <p className="url" title={url}>
      {host}
      <span className="quiet">{path}</span>
    </p>
  );
}

const MEANINGS: Record<string, Meaning> = { delivered: "good", rejected: "bad", failed: "bad" };

/** What was sent to a destination, and what came back. */
function Dispatches({ destinationId }: { destinationId: string }) {
  const query = usePages(destinationQueries.dispatches(destinationId));
  // A manager of an agency has no view of a lead by its id.
  const isOperator = useLocation()[0].startsWith("/operator");
  return (
    <Table
      label="Log"
      query={query}
      resource="dispatches"
      empty={<p className="quiet">Nothing was sent in the last 30 days.</p>}
      keyOf={({ id }) => id}
      nameOf={({ event }) => eventName(event)}
      sort="-when"
      hasSortSelect={false}
      columns={[
        { title: "Event", cell: ({ event }) => eventName(event), isHeader: true },
        {
          title: "Lead",
          cell: ({ lead_id, first_name }) => {
            if (lead_id === null) return <Nothing words="no lead" />;
            const name = <bdi>{first_name ?? lead_id.slice(0, 8)}</bdi>;
            return isOperator ? <Link href={`/operator/search/${lead_id}`}>{name}</Link> : name;
          },
        },
        { title: "Outcome", cell: (dispatch) => <Outcome of={dispatch} />, isSentence: true },
        { title: "HTTP", cell: ({ status }) => status ?? <Nothing words="no response" />, isNumber: true },
        {
          title: "When",
          key: "when",
          cell: ({ created_at }) => <Time at={created_at} />,
          sortBy: ({ created_at }) => created_at,
          isGreatestFirst: true,
        },
        {
          title: "Act",
          isTitleHidden: true,
          isPlain: true,
          cell: ({ id, event, state }) =>
            (state === "failed" || state === "rejected") && (
              <ActionButton act={() => retryDispatches([id])}>
                Send again <span className="visually-hidden">{eventName(event)}</span>
              </ActionButton>
            ),
        },
      ]}
    />
  );
}

function Outcome({ of: { state, status, reason, attempt, due_at } }: { of: Dispatch }) {
  return (
    <>
      <Badge meaning={MEANINGS[state]}>{state}</Badge> {reason !== `HTTP ${status}` && reason}
      {state === "waiting" && attempt > 0 && (
        <>
          tried again <Time at={due_at} />
        </>
      )}
    </>
  );
}
