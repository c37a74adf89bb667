import { Link } from "wouter";
import type { TriedOrder } from "../data/operator_orders.ts";
import { Badge } from "../ui/badge.tsx";
import { countText } from "../ui/count.ts";
import { useWanted } from "./vendor_name.tsx";

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
  const wanted = useWanted();
  if (orders.length === 0) return <p>There is none.</p>;
  return (
    <ol className="tried-orders">
      {orders.map(({ order_id, agency, priority, filled, quantity, got, gets_it, reason, ...order }) => (
        <li key={order_id} aria-current={order_id === shown || undefined}>
          <p>
            <Link href={`/operator/orders/${order_id}`} title={`order ${order_id.slice(0, 8)}`}>
              <bdi>{agency}</bdi>: {wanted(order)}
            </Link>{" "}
            {order_id === shown && <Badge meaning="info">this order</Badge>}{" "}
            {gets_it ? <strong>{reason}</strong> : reason}
          </p>
          <p className="quiet">
            {filled.toLocaleString("en-US")} of {quantity.toLocaleString("en-US")} leads, priority {priority}
            {got !== undefined && leads ? `. Took ${countText(got)} of the ${countText(leads)}` : ""}
          </p>
        </li>
      ))}
    </ol>
  );
}
