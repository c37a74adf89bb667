import { useQuery } from "@tanstack/react-query";
import { type Alert, operatorQueries, type Reason, SELDOM } from "../data/operator.ts";
import { orderQueries } from "../data/orders.ts";
import { groupOf, pathOf } from "./deliveries.tsx";

/** A row of Today: an alert, or a problem that has no alert. Nobody acknowledges the latter: it ends when it is fixed. */
export type Trouble = Omit<Alert, "command" | "opened_at" | "resolved_at" | "seen_at"> & { isAlert: boolean };

const [DAY, KEPT_DAYS] = [86_400_000, 30];

/** Rejected deliveries that are deleted soon, and orders that get no leads though no alert is about them. */
export function useTroubles() {
  const reasons = useQuery(operatorQueries.endingReasons());
  const standings = useQuery({ ...orderQueries.standings(true), ...SELDOM });
  return {
    troubles: [
      ...[...Map.groupBy(reasons.data ?? [], ({ vendor }) => vendor).values()].map(deliveriesOf),
      // What else keeps an open order from leads opens the alert order_stalled.
      ...(standings.data ?? []).filter(({ standing }) => standing === "others").map((order): Trouble => ({
        ...COMMON,
        id: `order-${order.order_id}`,
        kind: "order_without_leads",
        subject: order.order_id,
        name: `Order ${order.order_id.slice(0, 8)} of ${order.agency}`,
        problem: "gets no leads: other orders take every lead that it wants",
        title: "Orders that get no leads",
        advice: "See which orders go first. Raise its priority, change what it wants, or close it.",
        link: `/operator/orders/${order.order_id}`,
        link_label: "See the order",
        since: order.since,
      })),
    ],
    isPending: reasons.isPending || standings.isPending,
    error: reasons.error ?? standings.error,
  };
}

const COMMON = { state: "open", severity: 2, details: {}, isAlert: false } as const;

/** What is deleted soon of a vendor. */
function deliveriesOf(reasons: Reason[]): Trouble {
  const [first] = reasons as [Reason];
  const count = reasons.reduce((sum, { deleted_in_7_days }) => sum + deleted_in_7_days, 0);
  const isUrgent = Date.parse(first.first_at) < Date.now() - (KEPT_DAYS - 1) * DAY;
  return {
    ...COMMON,
    id: `deliveries-${first.vendor}`,
    kind: "deliveries_deleted",
    subject: first.vendor,
    name: `vendor ${first.vendor}`,
    problem: `${count} rejected ${count === 1 ? "delivery is" : "deliveries are"} deleted within 7 days`,
    title: "Rejected deliveries that are deleted soon",
    advice: `Replay or dismiss them: a rejected delivery is kept for ${KEPT_DAYS} days.`,
    link: reasons.length === 1 ? pathOf(groupOf(first)) : `/operator/deliveries?vendor=${first.vendor}`,
    link_label: "Replay or dismiss the rejected deliveries",
    severity: isUrgent ? 1 : 2,
    since: first.first_at,
  };
}
