import { useRef, useState } from "react";
import type { Order } from "../data/operator.ts";
import { useChangeOrders } from "../data/orders.ts";
import { ActionError, useAction } from "../ui/action.tsx";

/** Changes how many leads an order gets, in all and a day. */
export function ResizeOrder({ order }: { order: Order }) {
  const { mutateAsync: change } = useChangeOrders();
  const dialog = useRef<HTMLDialogElement>(null);
  // The order as it was when the form was opened: a change of somebody else meanwhile is refused.
  const [seen, setSeen] = useState<Order | null>(null);
  const resizing = useAction(async (fields: FormData) => {
    await change({ orders: [seen!], changes: changesOf(fields, seen!) });
    dialog.current!.close();
  });
  return (
    <>
      <button
        type="button"
        onClick={() => {
          setSeen(order);
          dialog.current!.showModal();
        }}
      >
        Change <span className="visually-hidden">order {order.id.slice(0, 8)}</span>
      </button>
      <dialog ref={dialog} aria-label="Change the order" onClose={() => setSeen(null)}>
        {seen && (
          <form className="order-form" onSubmit={resizing.onSubmit} noValidate>
            <label>
              Leads in all
              <input name="quantity" inputMode="numeric" defaultValue={seen.quantity} />
            </label>
            <label>
              Leads a day, at most
              <input name="daily_cap" inputMode="numeric" defaultValue={seen.daily_cap ?? ""} placeholder="no limit" />
            </label>
            <p className="quiet">More leads than it has make a full order open again. It is noted with your name.</p>
            <p className="buttons">
              <button type="submit" className="primary" aria-disabled={resizing.isRunning}>Save</button>
              <button type="button" onClick={() => dialog.current!.close()}>Cancel</button>
            </p>
            <ActionError action={resizing} />
          </form>
        )}
      </dialog>
    </>
  );
}

/** The fields that differ from the order. Throws a sentence about one that can't be right. */
function changesOf(fields: FormData, { quantity, daily_cap }: Order) {
  const numberOf = (name: string) => Number(String(fields.get(name)).trim() || NaN);
  const [inAll, aDay] = [numberOf("quantity"), numberOf("daily_cap")];
  if (!Number.isInteger(inAll)) throw new Error("Leads in all must be a whole number.");
  if (!Number.isInteger(aDay) && String(fields.get("daily_cap")).trim() !== "") {
    throw new Error("Leads a day must be a whole number, or empty for no limit.");
  }
  const cap = Number.isInteger(aDay) ? aDay : null;
  return { ...(inAll !== quantity && { quantity: inAll }), ...(cap !== daily_cap && { daily_cap: cap }) };
}
