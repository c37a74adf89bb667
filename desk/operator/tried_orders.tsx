import { Link } from "wouter";
import type { TriedOrder } from "../data/operator_orders.ts";
import { Badge } from "../ui/badge.tsx";
import { countText } from "../ui/count.ts";
import { wantedText } from "../ui/order_fill.tsx";
import { useVendorName } from "./vendor_name.tsx";

/** Orders in the order in which distribution tries them, each with why it gets a lead or not. */
export function TriedOrders(
  { orders, shown, leads }: {
    orders: TriedOrder[];
    /** The order whose page this is. */
    shown?: string;
    /** How many leads that it wants came in seven days. */
    leads?: number;
  },
) {
  const nameOf = useVendorName();
  if (orders.length === 0) return <p>There is none.</p>;
  return (
    <ol className="tried-orders">
      {orders.map(({ order_id, agency, vendor, states, priority, filled, quantity, got, gets_it, reason }) => (
        <li key={order_id} aria-current={order_id === shown || undefined}>
          <p>
            <Link href={`/operator/orders/${order_id}`}>
              <bdi>{agency}</bdi>, order {order_id.slice(0, 8)}
            </Link>{" "}
            {order_id === shown && <Badge meaning="info">this order</Badge>}{" "}
            {gets_it ? <strong>{reason}</strong> : reason}
          </p>
          <p className="quiet">
            {filled.toLocaleString("en-US")} of {quantity.toLocaleString("en-US")} leads, priority {priority}.{" "}
            {wantedText({ vendor: vendor && nameOf(vendor), states })}
            {got !== undefined && leads ? `. Took ${countText(got)} of the ${countText(leads)}` : ""}
          </p>
        </li>
      ))}
    </ol>
  );
}
