import { useQuery } from "@tanstack/react-query";
import { type Alert, operatorQueries, type Reason, SELDOM } from "../data/operator.ts";
import { orderQueries } from "../data/orders.ts";
import { countText } from "../ui/count.ts";
import { groupOf, pathOf } from "./deliveries.tsx";

/** A row of Today with its alerts. What has none ends when it is fixed, and nobody acknowledges it. */
export type Trouble = Omit<Alert, "command" | "opened_at" | "resolved_at" | "seen_at"> & { alerts: Alert[] };

const DAY = 86_400_000;

/** The alerts, rejected deliveries that are deleted soon, and orders that get no leads though no alert is about them. */
export function useTroubles() {
  const { data: alerts, error, refetch, isPending } = useQuery(operatorQueries.alerts());
  const reasons = useQuery(operatorQueries.endingReasons());
  const standings = useQuery({ ...orderQueries.standings(true), ...SELDOM });
  return {
    data: alerts && [
      ...alertsOf(alerts.rows),
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
    /** How many alerts are not read. */
    more: alerts?.more ?? 0,
    error,
    refetch,
    isPending: isPending || reasons.isPending || standings.isPending,
    /** Why there may be problems without an alert that are not in `data`. */
    othersError: reasons.error ?? standings.error,
  };
}

const COMMON = { state: "open", severity: 2, details: {}, alerts: [] };

/** Each alert; those about waiting leads, of which each vendor has one, are one row. */
function alertsOf(alerts: Alert[]): Trouble[] {
  const isWaiting = ({ kind }: Alert) => kind === "leads_waiting";
  const waiting = alerts.filter(isWaiting).toSorted((one, other) => Date.parse(one.since) - Date.parse(other.since));
  const [oldest] = waiting;
  if (oldest === undefined || waiting.length === 1) return alerts.map((alert) => ({ ...alert, alerts: [alert] }));
  const leads = waiting.reduce((sum, { details }) => sum + (details as { leads: number }).leads, 0);
  return [
    ...alerts.filter((alert) => !isWaiting(alert)).map((alert) => ({ ...alert, alerts: [alert] })),
    {
      ...oldest,
      id: oldest.kind,
      subject: oldest.kind,
      state: waiting.find(({ state }) => state === "open")?.state ?? oldest.state,
      name: `${waiting.length} vendors`,
      problem: `${countText(leads)} leads without an order`,
      alerts: waiting,
    },
  ];
}

/** What is deleted soon of a vendor. */
function deliveriesOf(reasons: Reason[]): Trouble {
  const [first] = reasons as [Reason];
  const count = reasons.reduce((sum, { deleted_in_7_days }) => sum + deleted_in_7_days, 0);
  return {
    ...COMMON,
    id: `deliveries-${first.vendor}`,
    kind: "deliveries_deleted",
    subject: first.vendor,
    name: `vendor ${first.vendor}`,
    problem: `${count} rejected ${count === 1 ? "delivery is" : "deliveries are"} deleted within 7 days`,
    title: "Rejected deliveries that are deleted soon",
    advice: "Replay or dismiss them.",
    link: reasons.length === 1 ? pathOf(groupOf(first)) : `/operator/deliveries?vendor=${first.vendor}`,
    link_label: "Replay or dismiss the rejected deliveries",
    severity: Date.parse(first.first_deleted_at) < Date.now() + DAY ? 1 : 2,
    since: first.first_at,
  };
}
