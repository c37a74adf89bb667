import { useEffect } from "react";
import { Link } from "wouter";
import { type Order, orderQueries } from "../data/orders.ts";
import { usePages } from "../data/pages.ts";
import type { Agent } from "../data/user.ts";
import { Badge } from "../ui/badge.tsx";
import { countText } from "../ui/count.ts";
import { paceOf } from "../ui/pace.ts";
import { filledText, orderName, wantedText } from "../ui/order_fill.tsx";
import { OrderStanding } from "../ui/order_standing.tsx";
import { EmptyState } from "../ui/query_result.tsx";
import { Table } from "../ui/table.tsx";

/** How the orders that may still get leads fill, and when they will be full. Those with a trouble are first. */
export function Orders({ agent }: { agent: Agent }) {
  const { data, error, refetch, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = usePages(
    orderQueries.list(agent.agency_id, false),
  );
  // All of them: one with a trouble may be the last.
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, isFetchNextPageError]);
  return (
    <section aria-labelledby="orders" className="panel">
      <div className="panel-head">
        <h2 id="orders">Orders</h2>
        <Link href="/settings/orders">Pause or change an order</Link>
      </div>
      <Table
        label="Orders"
        query={{ data: data?.toSorted((one, other) => troubleOf(one) - troubleOf(other)), error, refetch }}
        resource="orders"
        empty={
          <EmptyState title="No order is open.">
            The people who run the service open one. Until then no recruits come.
          </EmptyState>
        }
        keyOf={({ id }) => id}
        nameOf={orderName}
        columns={[
          { title: "Order", cell: (order) => <Wanted order={order} />, isHeader: true, isSentence: true },
          { title: "Fill", cell: (order) => <Fill order={order} /> },
          { title: "Forecast", cell: (order) => <Forecast order={order} /> },
          { title: "Today", cell: todayText, isNumber: true },
        ]}
      />
    </section>
  );
}

/** The place of an order's trouble: it is paused, it will not fill in time, or nothing has come today. */
function troubleOf(order: Order): number {
  if (order.status === "paused") return 0;
  if (paceOf(order).isWrong) return 1;
  return order.leads_today === 0 ? 2 : 3;
}

function Wanted({ order: { id, vendor, states } }: { order: Order }) {
  return (
    <>
      <bdi>{vendor ?? "Any vendor"}</bdi> <span className="quiet">{states?.join(", ") ?? "any state"}</span>
      <OrderStanding id={id} />
    </>
  );
}

function Fill({ order }: { order: Order }) {
  const { id, filled, quantity } = order;
  const words = filledText(order);
  return (
    <span className="fill">
      <progress value={filled} max={quantity} aria-label={`Filled: ${wantedText(order)}`} />
      {filled === 0 ? <span>{words}</span> : <Link href={`/home/order/${id}`}>{words}</Link>}
    </span>
  );
}

function todayText({ leads_today, daily_cap }: Order): string {
  return daily_cap === null ? countText(leads_today) : `${countText(leads_today)} of ${countText(daily_cap)}`;
}

function Forecast({ order }: { order: Order }) {
  const { words, isWrong } = paceOf(order);
  if (order.status === "paused") return <Badge meaning="warn">{words}</Badge>;
  return isWrong ? <Badge meaning="bad">{words}</Badge> : words;
}
