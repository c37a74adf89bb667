import { useQuery } from "@tanstack/react-query";
import { operatorQueries, SELDOM } from "../data/operator.ts";
import type { Alert, Reason } from "../data/operator_rows.ts";
import { operatorCounts } from "../data/operator_counts.ts";
import { orderQueries } from "../data/orders.ts";
import { groupOf, pathOf } from "./deliveries.tsx";
import { aboutOf, counted, isOpen, titleOf } from "./trouble_words.ts";
import { useVendorName } from "./vendor_name.tsx";

/** A row of Today with its alerts. What has none ends when it is fixed, and nobody acknowledges it. */
export type Trouble = Omit<Alert, "command" | "opened_at" | "resolved_at" | "seen_at" | "title" | "link_label"> & {
  /** Without the cause that has to be read for it. */
  title: string;
  /** The time until when something can be done. */
  due?: string;
  alerts: Alert[];
};
/** Before it has its words for people. */
type Raw = Omit<Trouble, "title">;

const DAY = 86_400_000;

/** The alerts, rejected deliveries that are deleted soon, and orders that get no leads though no alert is about them. */
export function useTroubles() {
  const { data: alerts, error, refetch, isPending } = useQuery(operatorQueries.alerts());
  const reasons = useQuery(operatorQueries.endingReasons());
  const standings = useQuery({ ...orderQueries.standings(true), ...SELDOM });
  const { data: counts, isLoading } = useQuery(operatorCounts());
  const nameOf = useVendorName();
  const data = alerts && [
    ...alertsOf(alerts.rows, counts?.leads),
    ...[...Map.groupBy(reasons.data ?? [], ({ vendor }) => vendor).values()].map((reasons) =>
      deliveriesOf(reasons, nameOf)
    ),
    // What else keeps an open order from leads opens the alert order_stalled.
    ...(standings.data ?? []).filter(({ standing }) => standing === "others").map((order): Raw => ({
      ...COMMON,
      id: `order-${order.order_id}`,
      kind: "order_without_leads",
      subject: order.order_id,
      agency_id: order.agency_id,
      name: `order ${order.order_id.slice(0, 8)} of ${order.agency}`,
      problem: "gets no leads: orders with a higher priority take them",
      advice: "See which orders go first. Raise its priority, change what it wants, or close it.",
      link: `/operator/orders/${order.order_id}`,
      since: order.since,
    })),
  ].map((trouble): Trouble => ({ ...trouble, name: aboutOf(trouble, nameOf), title: titleOf(trouble, nameOf) }));
  const more = alerts?.more ?? 0;
  return {
    data,
    /** How many alerts are not read. */
    more,
    /** How many are to do: those that are more than information, and that nobody has in hand. */
    toDo: data && data.filter((trouble) => isOpen(trouble) && trouble.severity < 3).length + more,
    error,
    refetch,
    isPending: isPending || reasons.isPending || standings.isPending || isLoading,
    /** Why there may be problems without an alert that are not in `data`. */
    othersError: reasons.error ?? standings.error,
  };
}

const COMMON = { state: "open", severity: 2, details: {}, alerts: [], agency_id: null };

/** Each alert; those about waiting leads, of which each vendor has one, are one row, about all that wait now. */
function alertsOf(alerts: Alert[], leads: number | undefined): Raw[] {
  const isWaiting = ({ kind }: Alert) => kind === "leads_waiting";
  const waiting = alerts.filter(isWaiting).toSorted((one, other) => Date.parse(one.since) - Date.parse(other.since));
  const [oldest] = waiting;
  const others = alerts.filter((alert) => !isWaiting(alert)).map((alert) => ({
    ...alert,
    due: (alert.details as { expires_at?: string }).expires_at,
    alerts: [alert],
  }));
  if (oldest === undefined) return others;
  const count = leads ?? waiting.reduce((sum, { details }) => sum + (details as { leads: number }).leads, 0);
  return [
    ...others,
    {
      ...oldest,
      id: oldest.kind,
      state: waiting.find(isOpen)?.state ?? oldest.state,
      ...waiting.length > 1 && { subject: oldest.kind, name: `${waiting.length} vendors` },
      problem: `${counted(count, "lead")} without an order`,
      alerts: waiting,
    },
  ];
}

/** What is deleted soon of a vendor. */
function deliveriesOf(reasons: Reason[], nameOf: (slug: string) => string): Raw {
  const [first] = reasons as [Reason];
  const count = reasons.reduce((sum, { deleted_in_7_days }) => sum + deleted_in_7_days, 0);
  return {
    ...COMMON,
    id: `deliveries-${first.vendor}`,
    kind: "deliveries_deleted",
    subject: first.vendor,
    name: first.vendor,
    problem: `${counted(count, "delivery")} of ${nameOf(first.vendor)} will be deleted: ${first.reason}`,
    details: { reason: first.reason },
    advice: "Replay or dismiss them.",
    link: reasons.length === 1 ? pathOf(groupOf(first)) : `/operator/deliveries?vendor=${first.vendor}`,
    severity: Date.parse(first.first_deleted_at) < Date.now() + DAY ? 1 : 2,
    since: first.first_at,
    due: first.first_deleted_at,
  };
}
