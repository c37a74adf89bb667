import { type ReactNode, useRef, useState } from "react";
import { useChangeOrders } from "../data/orders.ts";
import { ActionError, useAction } from "./action.tsx";
import { Field } from "./field.tsx";

/** Whether an order is full or has ended. Then it is not opened, because it would get no lead. */
export function isOver({ filled, quantity, ends_at }: { filled: number; quantity: number; ends_at: string | null }) {
  return filled === quantity || ends_at !== null && Date.parse(ends_at) <= Date.now();
}

/** A button that opens a form, and changes the order by it. */
export function ChangeOrder<Order extends { id: string }>(
  { order, label = "Change", name, read, isPrimary, children }: {
    order: Order;
    label?: string;
    /** The order for screen readers. */
    name: string;
    /** The columns by the fields. Throws a sentence about a field that can't be right. */
    read: (fields: FormData) => Partial<Order>;
    isPrimary?: boolean;
    /** The fields, with the values of the order. */
    children: (seen: Order) => ReactNode;
  },
) {
  const { mutateAsync: change } = useChangeOrders();
  const dialog = useRef<HTMLDialogElement>(null);
  // The order as it was when the form was opened: a change of somebody else meanwhile is refused.
  const [seen, setSeen] = useState<Order | null>(null);
  const changing = useAction(async (fields: FormData) => {
    const differs = ([column, value]: [string, unknown]) =>
      JSON.stringify(value) !== JSON.stringify(seen![column as keyof Order]);
    await change({ orders: [seen!], changes: Object.fromEntries(Object.entries(read(fields)).filter(differs)) });
    dialog.current!.close();
  });
  return (
    <>
      <button
        type="button"
        className={isPrimary ? "primary" : undefined}
        onClick={() => {
          setSeen(order);
          dialog.current!.showModal();
        }}
      >
        {label} <span className="visually-hidden">{name}</span>
      </button>
      <dialog ref={dialog} aria-label="Change the order" onClose={() => setSeen(null)}>
        {seen && (
          <form className="order-form" onSubmit={changing.onSubmit} noValidate>
            {children(seen)}
            <p className="buttons">
              <button type="submit" className="primary" aria-disabled={changing.isRunning}>Save</button>
              <button type="button" onClick={() => dialog.current!.close()}>Cancel</button>
            </p>
            <ActionError action={changing} />
          </form>
        )}
      </dialog>
    </>
  );
}

/** The field for the most leads of a day. */
export function DailyCap({ value }: { value: number | null }) {
  return (
    <Field
      label="Leads a day, at most"
      name="daily_cap"
      inputMode="numeric"
      defaultValue={value ?? ""}
      placeholder="no limit"
    />
  );
}

/** The number in {@link DailyCap}; null: no limit. */
export function readDailyCap(fields: FormData): number | null {
  const cap = String(fields.get("daily_cap")).trim();
  if (!/^\d*$/.test(cap)) throw new Error("Leads a day must be a whole number, or empty for no limit.");
  return cap === "" ? null : Number(cap);
}

/** The field for the first text to each recruit of an order. */
export function Greeting({ value }: { value: string | null }) {
  return (
    <Field
      label="Greeting"
      name="greeting_template"
      rows={4}
      defaultValue={value ?? ""}
      placeholder="none"
      hint="It must contain {agency} and STOP. It may have {first_name} and {agent}."
    />
  );
}

/** The text in {@link Greeting}; null: recruits are not greeted. */
export function readGreeting(fields: FormData): string | null {
  return String(fields.get("greeting_template")).trim() || null;
}
