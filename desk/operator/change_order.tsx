import type { Order } from "../data/operator_orders.ts";
import { ChangeOrder, DailyCap, Greeting, readDailyCap, readGreeting } from "../ui/change_order.tsx";
import { Field } from "../ui/field.tsx";

/** Changes how many leads an order gets, in all and a day, and how their recruits are greeted. */
export function ChangeSettings({ order, isRemedy, label }: { order: Order; isRemedy: boolean; label?: string }) {
  return (
    <ChangeOrder order={order} label={label} name="order" read={readFields} isPrimary={isRemedy}>
      {({ quantity, daily_cap, greeting_template }) => (
        <>
          <Field label="Leads in all" name="quantity" inputMode="numeric" defaultValue={quantity} />
          <DailyCap value={daily_cap} />
          <Greeting value={greeting_template} />
          <p className="quiet">With more leads, a full order opens again. It is noted with your name.</p>
        </>
      )}
    </ChangeOrder>
  );
}

function readFields(fields: FormData) {
  const quantity = Number(String(fields.get("quantity")).trim() || NaN);
  if (!Number.isInteger(quantity)) throw new Error("Leads in all must be a whole number.");
  return { quantity, daily_cap: readDailyCap(fields), greeting_template: readGreeting(fields) };
}
