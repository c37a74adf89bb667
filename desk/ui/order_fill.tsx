import { Link } from "wouter";
import type { Order } from "../data/orders.ts";
import { countText } from "./count.ts";
import { paceOf } from "./pace.ts";

/** What an order is for, how full it is, and when it will be at its pace. The number of its leads opens their list. */
export function OrderFill({ order }: { order: Order }) {
  const { id, vendor, states, quantity, filled, status } = order;
  const pace = paceOf(order);
  const words = `${countText(filled)} of ${countText(quantity)} leads`;
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
        <progress value={filled} max={quantity} aria-label={`Filled: ${vendor ?? "any vendor"}`} />
        {filled === 0 ? <span>{words}</span> : <Link href={`/home/order/${id}`}>{words}</Link>}
        {pace.isWrong ? <strong className="late">{pace.words}</strong> : <span>{pace.words}</span>}
      </p>
    </>
  );
}
