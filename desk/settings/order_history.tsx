import { useState } from "react";
import { changeQueries, type Order, type OrderChange, type OrderChanges } from "../data/orders.ts";
import { usePages } from "../data/pages.ts";
import { LoadMoreButton } from "../ui/load_more_button.tsx";
import { QueryResult, Skeleton } from "../ui/query_result.tsx";
import { Time } from "../ui/time.tsx";

const LIST = new Intl.ListFormat("en-US");

/** What managers have changed of an order: the last change, and those before it once the user opens them. */
export function OrderHistory({ order: { id, changes: [last, ...earlier] } }: { order: Order }) {
  const [isOpen, setOpen] = useState(false);
  if (last === undefined) return null;
  return (
    <>
      <Change change={last} />
      {earlier.length > 0 && (
        <details onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary className="quiet">Earlier changes</summary>
          {isOpen && <EarlierChanges orderId={id} last={last} />}
        </details>
      )}
    </>
  );
}

function EarlierChanges({ orderId, last }: { orderId: string; last: OrderChange }) {
  const query = usePages(changeQueries.list(orderId));
  return (
    <QueryResult query={query} resource="changes" skeleton={<Skeleton rows={1} />}>
      {(changes) => (
        <>
          {changes.filter(({ at }) => at !== last.at).map((change) => <Change key={change.id} change={change} />)}
          <LoadMoreButton query={query} label="Show earlier" />
        </>
      )}
    </QueryResult>
  );
}

function Change({ change: { at, by, before, after } }: { change: OrderChange }) {
  const parts = (Object.keys(after) as (keyof OrderChanges)[]).map((name) => partText(name, before, after));
  return (
    <p className="quiet">
      <bdi>{by}</bdi> {LIST.format(parts)}, <Time at={at} />
    </p>
  );
}

function partText(name: keyof OrderChanges, before: OrderChanges, after: OrderChanges): string {
  switch (name) {
    case "status":
      return after.status === "paused" ? "paused the order" : "opened the order again";
    case "daily_cap":
      return `changed the limit from ${before.daily_cap ?? "no limit"} to ${after.daily_cap ?? "no limit"} a day`;
    case "states":
      return `changed the states from ${before.states?.join(", ") ?? "any state"} to ${
        after.states?.join(", ") ?? "any state"
      }`;
    case "greeting_template":
      if (after.greeting_template === null) return "removed the greeting";
      return before.greeting_template === null ? "added a greeting" : "changed the greeting";
  }
}
