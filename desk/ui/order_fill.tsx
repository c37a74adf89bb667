import { Link } from "wouter";
import type { Order } from "../data/orders.ts";
import { countText } from "./count.ts";
import { paceOf } from "./pace.ts";

/** What an order is for, how full it is, and when it will be at its pace. The number of its leads opens their list. */
export function OrderFill({ order }: { order: Order }) {
  const { id, vendor, states, quantity, filled, status } = order;
  const pace = paceOf(order);
  const words = filledText(order);
  return (
    <>
      <p className="line">
        <strong>
          <bdi>{vendor ?? "Any vendor"}</bdi>
        </strong>
        <span>{states?.join(", ") ?? "any state"}</span>
        {status !== "open" && <span className="badge">{status}</span>}
      </p>
      <p className="line">
        <progress value={filled} max={quantity} aria-label={`Filled: ${wantedText(order)}`} />
        {filled === 0 ? <span>{words}</span> : <Link href={`/home/order/${id}`}>{words}</Link>}
        {pace.isWrong ? <strong className="late">{pace.words}</strong> : <span>{pace.words}</span>}
      </p>
    </>
  );
}

/** The leads that an order wants, in words. `vendor` is a name. */
export function wantedText({ vendor, states }: Pick<Order, "vendor" | "states">): string {
  return `${vendor ?? "Any vendor"}, ${states?.join(", ") ?? "any state"}`;
}

/** How many of its leads an order has. */
export function filledText({ filled, quantity }: Pick<Order, "filled" | "quantity">): string {
  return `${countText(filled)} of ${countText(quantity)} leads`;
}

/** An order for screen readers, where others may want the same leads. */
export function orderName(order: Order): string {
  return `${wantedText(order)}, ${filledText(order)}`;
}
