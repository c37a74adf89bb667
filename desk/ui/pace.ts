import type { Order } from "../data/orders.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;

/** What both a manager and an operator read of an order. */
export type PacedOrder =
  & Pick<Order, "leads_7_days" | "per_day" | "full_in_days" | "starts_at" | "ends_at">
  & { status: string };

/** The pace at which an order fills, in words: "2.5 a day" and "full in about 3 days"; and whether it is wrong. */
export function paceOf(order: PacedOrder, now = Date.now()): { pace?: string; words: string; isWrong: boolean } {
  const { status, leads_7_days, per_day, full_in_days } = order;
  const endsAt = order.ends_at === null ? Infinity : Date.parse(order.ends_at);
  const right = (words: string) => ({ words, isWrong: false });
  const wrong = (words: string) => ({ words, isWrong: true });
  if (status === "filled") return right("full");
  if (status === "closed") return right("closed, gets no more");
  if (endsAt <= now) return wrong("has ended, gets no more");
  if (status === "paused") return right("paused, gets none now");
  if (order.starts_at !== null && Date.parse(order.starts_at) > now) return right("has not begun");
  if (per_day === null) return right("too new for a forecast");
  if (full_in_days === null || leads_7_days === 0) return wrong("no recruits in 7 days");
  const pace = `${per_day.toLocaleString("en-US")} a day`;
  if (now + full_in_days * DAY_MS > endsAt) return { pace, ...wrong("ends before it is full") };
  if (full_in_days > 365) return { pace, ...wrong("not full within a year") };
  return { pace, ...right(`full in about ${full_in_days === 1 ? "a day" : `${full_in_days} days`}`) };
}
