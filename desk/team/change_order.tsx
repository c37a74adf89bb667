import { useRef, useState } from "react";
import { readStates } from "../../supabase/functions/_shared/states.ts";
import { type Order, type OrderChanges, useChangeOrders } from "../data/orders.ts";
import { ActionButton, ActionError, useAction } from "../ui/action.tsx";

/** What a manager may change of an order that may still get leads: its pause, cap, states and greeting. */
export function OrderActions({ order }: { order: Order }) {
  const { status } = order;
  const { mutateAsync: change } = useChangeOrders();
  const dialog = useRef<HTMLDialogElement>(null);
  // The order as it was when the form was opened: a change of somebody else meanwhile is refused.
  const [seen, setSeen] = useState<Order | null>(null);
  const changing = useAction(async (fields: FormData) => {
    await change({ orders: [seen!], changes: changesOf(fields, seen!) });
    dialog.current!.close();
  });
  if (status !== "open" && status !== "paused") return null;
  const other = status === "open" ? "paused" : "open";
  // Such an order is not opened: it would get no lead.
  const isOver = order.filled === order.quantity || order.ends_at !== null && Date.parse(order.ends_at) <= Date.now();
  const name = order.vendor ?? "any vendor";
  return (
    <div className="buttons">
      {!(isOver && other === "open") && (
        <ActionButton act={() => change({ orders: [order], changes: { status: other } })}>
          {other === "paused" ? "Pause" : "Open again"} <span className="visually-hidden">{name}</span>
        </ActionButton>
      )}
      <button
        type="button"
        onClick={() => {
          setSeen(order);
          dialog.current!.showModal();
        }}
      >
        Change <span className="visually-hidden">{name}</span>
      </button>
      <dialog ref={dialog} aria-label="Change the order" onClose={() => setSeen(null)}>
        {seen && (
          <form className="order-form" onSubmit={changing.onSubmit} noValidate>
            <h2>
              <bdi>{name}</bdi>, {seen.states?.join(", ") ?? "any state"}
            </h2>
            <label>
              Leads a day, at most
              <input name="daily_cap" inputMode="numeric" defaultValue={seen.daily_cap ?? ""} placeholder="no limit" />
            </label>
            <label>
              States
              <input name="states" defaultValue={seen.states?.join(", ") ?? ""} placeholder="any state" />
            </label>
            <label>
              Greeting
              <textarea
                name="greeting_template"
                rows={4}
                defaultValue={seen.greeting_template ?? ""}
                placeholder="none"
              />
            </label>
            <p className="quiet">
              A greeting names {"{agency}"} and says STOP. It may have {"{first_name}"} and {"{agent}"}.
            </p>
            <p className="buttons">
              <button type="submit" className="primary" aria-disabled={changing.isRunning}>Save</button>
              <button type="button" onClick={() => dialog.current!.close()}>Cancel</button>
            </p>
            <ActionError action={changing} />
          </form>
        )}
      </dialog>
    </div>
  );
}

/** The fields of the form that differ from the order. Throws a sentence about one that can't be right. */
function changesOf(fields: FormData, order: Order): OrderChanges {
  const text = (name: string) => String(fields.get(name)).trim();
  const cap = text("daily_cap");
  if (!/^\d*$/.test(cap)) throw new Error("Leads a day must be a whole number, or empty for no limit.");
  const states = text("states") === "" ? { data: null, error: null } : readStates(text("states"));
  if (states.error !== null) throw new Error(`States: ${states.error}.`);
  const changes: OrderChanges = {
    daily_cap: cap === "" ? null : Number(cap),
    states: states.data,
    greeting_template: text("greeting_template") || null,
  };
  return Object.fromEntries(
    Object.entries(changes).filter(([name, value]) =>
      JSON.stringify(value) !== JSON.stringify(order[name as keyof OrderChanges])
    ),
  );
}
