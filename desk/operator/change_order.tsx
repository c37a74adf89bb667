import type { Order } from "../data/operator.ts";
import { ChangeOrder, DailyCap, readDailyCap } from "../ui/change_order.tsx";

/** Changes how many leads an order gets, in all and a day. */
export function ChangeQuantity({ order }: { order: Order }) {
  return (
    <ChangeOrder order={order} name={`order ${order.id.slice(0, 8)}`} read={readFields}>
      {({ quantity, daily_cap }) => (
        <>
          <label>
            Leads in all
            <input name="quantity" inputMode="numeric" defaultValue={quantity} />
          </label>
          <DailyCap value={daily_cap} />
          <p className="quiet">More leads than it has make a full order open again. It is noted with your name.</p>
        </>
      )}
    </ChangeOrder>
  );
}

function readFields(fields: FormData) {
  const quantity = Number(String(fields.get("quantity")).trim() || NaN);
  if (!Number.isInteger(quantity)) throw new Error("Leads in all must be a whole number.");
  return { quantity, daily_cap: readDailyCap(fields) };
}
