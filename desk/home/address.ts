import { type Listed, LISTS } from "../data/figures.ts";
import { isId } from "../data/pages.ts";

/** The address of the list that a figure counts. That of an order's is in OrderFill. */
export function listHref({ figure, day, vendor_id }: Omit<Listed, "order_id">): string {
  const parts = figure === "leads" && vendor_id !== null ? [day ?? "days", vendor_id] : [day].filter((part) => part);
  return ["/home", figure, ...parts].join("/");
}

/** The list of an address; null: it is of none. */
export function listOf(first: string, second?: string, third?: string): Listed | null {
  const none = { day: null, vendor_id: null, order_id: null };
  if (first === "order") return second && isId(second) ? { ...none, figure: "leads", order_id: second } : null;
  const figure = LISTS.find((figure) => figure === first);
  if (figure === undefined || figure !== "leads" && second !== undefined) return null;
  if (second !== undefined && second !== "days" && !isDay(second) || third !== undefined && !isId(third)) return null;
  return { ...none, figure, day: second === "days" ? null : second ?? null, vendor_id: third ?? null };
}

function isDay(part: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(part) && !Number.isNaN(Date.parse(part));
}
