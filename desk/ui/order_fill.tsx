import type { Order } from "../data/orders.ts";
import { countText } from "./count.ts";
import { paceOf } from "./pace.ts";

/** What an order is for, how full it is, and when it will be at its pace. */
export function OrderFill({ order, filledHref }: {
  order: Order;
  /** The list of its leads; missing: their number leads nowhere. */
  filledHref?: string;
}) {
  const { vendor, states, quantity, filled, status } = order;
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
        {filledHref === undefined || filled === 0 ? <span>{words}</span> : <a href={`#${filledHref}`}>{words}</a>}
        {pace.isWrong ? <strong className="late">{pace.words}</strong> : <span>{pace.words}</span>}
      </p>
    </>
  );
}
