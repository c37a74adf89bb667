import { type Listed, LISTS } from "../data/figures.ts";
import { isId } from "../data/pages.ts";
import { USUAL_DAYS } from "../ui/date_range.tsx";

/** The address of the list that a figure of the last days counts. That of an order's has no days. */
export function listHref(figure: Listed["figure"], days: number, of: Partial<Listed> = {}): string {
  const { day, vendor_id } = of;
  const parts = vendor_id ? [day ?? "days", vendor_id] : day ? [day] : [];
  return homeHref(days, figure, ...parts);
}

/** The address of Home, or of a part of it, with its days. */
export function homeHref(days: number, ...parts: string[]): string {
  return ["/home", ...parts].join("/") + (days === USUAL_DAYS ? "" : `?days=${days}`);
}

/** The list of an address; null: it is of none. */
export function listOf(first: string, second?: string, third?: string): Listed | null {
  const none = { day: null, vendor_id: null, order_id: null };
  if (first === "order") return second && isId(second) ? { ...none, figure: "leads", order_id: second } : null;
  const figure = LISTS.find((figure) => figure === first);
  if (figure === undefined || figure !== "leads" && figure !== "not_texted" && second !== undefined) return null;
  if (second !== undefined && second !== "days" && !isDay(second) || third !== undefined && !isId(third)) return null;
  return { ...none, figure, day: second === "days" ? null : second ?? null, vendor_id: third ?? null };
}

function isDay(part: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(part) && !Number.isNaN(Date.parse(part));
}
