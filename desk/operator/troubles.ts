import { useQuery } from "@tanstack/react-query";
import { type Alert, operatorQueries, type Reason, SELDOM } from "../data/operator.ts";
import { operatorCounts } from "../data/operator_counts.ts";
import { orderQueries } from "../data/orders.ts";
import { countText } from "../ui/count.ts";
import { until } from "../ui/time.tsx";
import { groupOf, pathOf } from "./deliveries.tsx";
import { aboutOf, isOpen, problemOf } from "./trouble_words.ts";
import { useVendorName } from "./vendor_name.tsx";

/** A row of Today with its alerts. What has none ends when it is fixed, and nobody acknowledges it. */
export type Trouble = Omit<Alert, "command" | "opened_at" | "resolved_at" | "seen_at"> & { alerts: Alert[] };

const DAY = 86_400_000;

/** The alerts, rejected deliveries that are deleted soon, and orders that get no leads though no alert is about them. */
export function useTroubles() {
  const { data: alerts, error, refetch, isPending } = useQuery(operatorQueries.alerts());
  const reasons = useQuery(operatorQueries.endingReasons());
  const standings = useQuery({ ...orderQueries.standings(true), ...SELDOM });
  const { data: counts } = useQuery(operatorCounts());
  const nameOf = useVendorName();
  const data = alerts && [
    ...alertsOf(alerts.rows, counts?.leads),
    ...[...Map.groupBy(reasons.data ?? [], ({ vendor }) => vendor).values()].map(deliveriesOf),
    // What else keeps an open order from leads opens the alert order_stalled.
    ...(standings.data ?? []).filter(({ standing }) => standing === "others").map((order): Trouble => ({
      ...COMMON,
      id: `order-${order.order_id}`,
      kind: "order_without_leads",
      subject: order.order_id,
      agency_id: order.agency_id,
      name: `order ${order.order_id.slice(0, 8)} of ${order.agency}`,
      problem: "other orders take every lead that it wants",
      title: "Orders that get no leads",
      advice: "See which orders go first. Raise its priority, change what it wants, or close it.",
      link: `/operator/orders/${order.order_id}`,
      link_label: "See the order",
      since: order.since,
    })),
  ].map((trouble) => ({ ...trouble, name: aboutOf(trouble, nameOf), problem: problemOf(trouble) }));
  const more = alerts?.more ?? 0;
  return {
    data,
    /** How many alerts are not read. */
    more,
    /** How many are to do: those that are more than information, and that nobody has in hand. */
    toDo: data && data.filter((trouble) => isOpen(trouble) && trouble.severity < 3).length + more,
    error,
    refetch,
    isPending: isPending || reasons.isPending || standings.isPending,
    /** Why there may be problems without an alert that are not in `data`. */
    othersError: reasons.error ?? standings.error,
  };
}

const COMMON = { state: "open", severity: 2, details: {}, alerts: [], agency_id: null };

/** Each alert; those about waiting leads, of which each vendor has one, are one row, about all that wait now. */
function alertsOf(alerts: Alert[], leads: number | undefined): Trouble[] {
  const isWaiting = ({ kind }: Alert) => kind === "leads_waiting";
  const waiting = alerts.filter(isWaiting).toSorted((one, other) => Date.parse(one.since) - Date.parse(other.since));
  const [oldest] = waiting;
  const others = alerts.filter((alert) => !isWaiting(alert)).map((alert) => ({ ...alert, alerts: [alert] }));
  if (oldest === undefined) return others;
  const count = leads ?? waiting.reduce((sum, { details }) => sum + (details as { leads: number }).leads, 0);
  return [
    ...others,
    {
      ...oldest,
      id: oldest.kind,
      state: waiting.find(isOpen)?.state ?? oldest.state,
      ...waiting.length > 1 && { subject: oldest.kind, name: `${waiting.length} vendors` },
      problem: `${countText(count)} ${count === 1 ? "lead" : "leads"} without an order`,
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
    problem: `${count === 1 ? "1 is deleted" : `${countText(count)} are deleted within 7 days, the first`} ${
      until(first.first_deleted_at)
    }: ${first.reason}`,
    title: "Rejected deliveries that are deleted soon",
    advice: "Replay or dismiss them.",
    link: reasons.length === 1 ? pathOf(groupOf(first)) : `/operator/deliveries?vendor=${first.vendor}`,
    link_label: "Replay or dismiss them",
    severity: Date.parse(first.first_deleted_at) < Date.now() + DAY ? 1 : 2,
    since: first.first_at,
  };
}
