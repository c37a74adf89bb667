import { readStates } from "../../supabase/functions/_shared/states.ts";
import { type Order, type OrderChanges, useChangeOrders } from "../data/orders.ts";
import { ActionButton } from "../ui/action.tsx";
import { ChangeOrder, DailyCap, Greeting, isOver, readDailyCap, readGreeting } from "../ui/change_order.tsx";
import { Field } from "../ui/field.tsx";
import { orderName, wantedText } from "../ui/order_fill.tsx";

/** What a manager may change of an order that may still get leads: its pause, cap, states and greeting. */
export function OrderActions({ order }: { order: Order }) {
  const { status } = order;
  const { mutateAsync: change } = useChangeOrders();
  if (status !== "open" && status !== "paused") return null;
  const other = status === "open" ? "paused" : "open";
  const name = orderName(order);
  return (
    <div className="buttons">
      {!(isOver(order) && other === "open") && (
        <ActionButton act={() => change({ orders: [order], changes: { status: other } })}>
          {other === "paused" ? "Pause" : "Open again"} <span className="visually-hidden">{name}</span>
        </ActionButton>
      )}
      <ChangeOrder order={order} name={name} read={readFields}>
        {({ vendor, states, daily_cap, greeting_template }) => (
          <>
            <h2>
              <bdi>{wantedText({ vendor, states })}</bdi>
            </h2>
            <DailyCap value={daily_cap} />
            <Field label="States" name="states" defaultValue={states?.join(", ") ?? ""} placeholder="any state" />
            <Greeting value={greeting_template} />
          </>
        )}
      </ChangeOrder>
    </div>
  );
}

function readFields(fields: FormData): OrderChanges {
  const given = String(fields.get("states")).trim();
  const states = given === "" ? { data: null, error: null } : readStates(given);
  if (states.error !== null) throw new Error(`States: ${states.error}.`);
  return {
    daily_cap: readDailyCap(fields),
    states: states.data,
    greeting_template: readGreeting(fields),
  };
}
