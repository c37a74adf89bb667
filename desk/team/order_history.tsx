import type { Order, OrderChange, OrderChanges } from "../data/orders.ts";
import { Time } from "../ui/time.tsx";

/** What managers have changed of an order: the last change, and those before it. */
export function OrderHistory({ order: { changes } }: { order: Order }) {
  const [last, ...earlier] = changes;
  if (last === undefined) return null;
  return (
    <>
      <Change change={last} />
      {earlier.length > 0 && (
        <details>
          <summary className="quiet">Earlier changes</summary>
          {earlier.map((change) => <Change key={change.at} change={change} />)}
        </details>
      )}
    </>
  );
}

function Change({ change: { at, by, before, after } }: { change: OrderChange }) {
  const parts = (Object.keys(after) as (keyof OrderChanges)[]).map((name) => partText(name, before, after));
  return (
    <p className="quiet">
      Changed by <bdi>{by}</bdi> on <Time at={at} />: {parts.join("; ")}
    </p>
  );
}

function partText(name: keyof OrderChanges, before: OrderChanges, after: OrderChanges): string {
  switch (name) {
    case "status":
      return after.status === "paused" ? "paused" : "opened again";
    case "daily_cap":
      return `${before.daily_cap ?? "no limit"} → ${after.daily_cap ?? "no limit"} a day`;
    case "states":
      return `${before.states?.join(", ") ?? "any state"} → ${after.states?.join(", ") ?? "any state"}`;
    case "greeting_template":
      if (after.greeting_template === null) return "greeting taken away";
      return before.greeting_template === null ? "greeting added" : "greeting changed";
  }
}
