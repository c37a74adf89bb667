import { useQuery } from "@tanstack/react-query";
import { orderQueries, type OrderStanding as Standing } from "../data/orders.ts";
import { wantedText } from "./order_fill.tsx";

/** Why an order of the agency gets no leads now, or fewer. Null where it gets them. */
export function useStandingWords(id: string): string | null {
  const { data: standings } = useQuery(orderQueries.standings());
  const found = standings?.find(({ order_id }) => order_id === id);
  return found ? WORDS[found.standing](beforeText(found)) : null;
}

/** The orders before it in words, in which some may be alike. */
function beforeText({ behind }: Standing): string {
  return [...new Set(behind.map((order) => order.vendor ?? wantedText(order)))].join(" and ");
}

const WORDS: Record<Standing["standing"], (before: string) => string> = {
  capped: () => "has all its recruits of today",
  vendor_inactive: () => "its vendor is switched off, so none come",
  no_agent: () => "no agent takes its recruits: nobody is active, not away and takes recruits",
  behind: (before) => `gets none yet: it comes after ${before}`,
  others: () => "gets none yet: it comes after orders of other agencies",
  partly: (before) => `gets recruits after ${before}`,
};
