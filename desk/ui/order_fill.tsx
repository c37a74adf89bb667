import type { Order } from "../data/orders.ts";
import { countText } from "./count.ts";

/** The leads that an order wants, in words. `vendor` is a name. */
export function wantedText({ vendor, states }: Pick<Order, "vendor" | "states">): string {
  return `${vendor ?? "Any vendor"}, ${states?.join(", ") ?? "any state"}`;
}

/** How many of its leads an order has. */
export function filledText({ filled, quantity }: Pick<Order, "filled" | "quantity">): string {
  return `${countText(filled)} of ${countText(quantity)}`;
}

/** The leads of the agency's day, and the cap. */
export function LeadsToday({ order: { leads_today, daily_cap } }: { order: Pick<Order, "leads_today" | "daily_cap"> }) {
  return (
    <>
      {countText(leads_today)}
      {daily_cap !== null && ` of ${countText(daily_cap)}`}
    </>
  );
}

/** An order for screen readers, where others may want the same leads. */
export function orderName(order: Order): string {
  return `${wantedText(order)}, ${filledText(order)} recruits`;
}
