import { useState } from "react";
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
import { DotSeparated } from "./dot_separated.tsx";
import { eventName } from "./event_name.ts";
import { List } from "./list.tsx";
import { EmptyState } from "./query_result.tsx";
import { Time } from "./time.tsx";

/** The destinations of an agency, or of all agencies with the operators' own, each with what can be done with it. */
export function Destinations({ agencyId }: { agencyId?: string }) {
  const query = usePages(destinationQueries.list(agencyId));
  return (
    <List
      query={query}
      resource="destinations"
      empty={
        <EmptyState title="No destination yet.">
          The people who run the service add one. It sends new leads to an agency's own system.
        </EmptyState>
      }
      keyOf={({ id }) => id}
      row={(destination) => <DestinationRow destination={destination} showsAgency={agencyId === undefined} />}
    />
  );
}

function DestinationRow({ destination, showsAgency }: { destination: Destination; showsAgency: boolean }) {
  const {
    id,
    name,
    agency_id,
    agency,
    kind,
    url,
    address,
    is_on,
    off_reason,
    events,
    waiting,
    failed_24h,
    last_delivered_at,
  } = destination;
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <p className="line">
        <strong>{name}</strong>
        {showsAgency && <span>{agency_id === null ? "alerts of the service" : agency}</span>}
        {!is_on && <span className="badge">paused</span>}
        <span className="quiet">{kind === "email" ? address : url}</span>
      </p>
      {off_reason !== null && <p className="problem">Switched off: {off_reason}</p>}
      <p className="quiet">
        <DotSeparated>
          {events.map(eventName).join(", ")}
          {waiting > 0 && `${waiting.toLocaleString("en-US")} waiting`}
          {failed_24h > 0 && `${failed_24h.toLocaleString("en-US")} failed in 24 hours`}
          {last_delivered_at === null ? "nothing delivered yet" : (
            <>
              last delivered <Time at={last_delivered_at} />
            </>
          )}
        </DotSeparated>
      </p>
      <p className="buttons">
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
        {failed_24h > 0 && (
          <ActionButton act={() => retryFailed(id)}>
            Send again what failed <span className="visually-hidden">to {name}</span>
          </ActionButton>
        )}
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

/** What was sent to a destination, and what came back. */
function Dispatches({ destinationId }: { destinationId: string }) {
  const query = usePages(destinationQueries.dispatches(destinationId));
  return (
    <List
      query={query}
      resource="dispatches"
      empty={<p className="quiet">Nothing was sent in the last 30 days.</p>}
      keyOf={({ id }) => id}
      row={(dispatch) => <DispatchRow dispatch={dispatch} />}
    />
  );
}

function DispatchRow({ dispatch }: { dispatch: Dispatch }) {
  const { id, event, first_name, state, status, reason, attempt, due_at, created_at } = dispatch;
  const isOver = state === "failed" || state === "rejected";
  return (
    <li>
      <p className="line">
        <strong>{eventName(event)}</strong>
        {first_name !== null && <bdi>{first_name}</bdi>}
        <span className={isOver ? "problem" : "quiet"}>
          {[state, status !== null && `HTTP ${status}`, reason].filter(Boolean).join(", ")}
        </span>
        {state === "waiting" && attempt > 0 && (
          <span className="quiet">
            tried again <Time at={due_at} />
          </span>
        )}
        <Time at={created_at} />
        {isOver && (
          <ActionButton act={() => retryDispatches([id])}>
            Send again <span className="visually-hidden">{eventName(event)}</span>
          </ActionButton>
        )}
      </p>
    </li>
  );
}
