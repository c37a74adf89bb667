import { useQuery } from "@tanstack/react-query";
import { orderQueries, type OrderStanding as Standing } from "../data/orders.ts";
import { wantedText } from "./order_fill.tsx";

/** Why an order of the agency gets no leads now, or fewer. Nothing where it gets them. */
export function OrderStanding({ id }: { id: string }) {
  const { data: standings } = useQuery(orderQueries.standings());
  const found = standings?.find(({ order_id }) => order_id === id);
  return found ? <p className="quiet">{WORDS[found.standing](behindText(found))}</p> : null;
}

/** The orders before it in words, in which some may be alike. */
function behindText({ behind }: Standing): string {
  const names = [...new Set(behind.map((order) => `“${wantedText(order)}”`))];
  return `after your ${behind.length === 1 ? "order" : "orders"} ${names.join(" and ")}`;
}

const WORDS: Record<Standing["standing"], (after: string) => string> = {
  capped: () => "Has all its recruits of today.",
  vendor_inactive: () => "Its vendor is switched off, so none come.",
  no_agent: () => "No agent takes its recruits: nobody is active, not away and takes recruits.",
  behind: (after) => `Gets recruits ${after}.`,
  others: () => "Gets recruits after orders of other agencies.",
  partly: (after) => `Gets some recruits ${after}.`,
};
