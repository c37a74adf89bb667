import { useEffect } from "react";
import { Link } from "wouter";
import { type Order, orderQueries } from "../data/orders.ts";
import { usePages } from "../data/pages.ts";
import type { Agent } from "../data/user.ts";
import { paceOf } from "../ui/pace.ts";
import { ORDER_COLUMNS } from "../ui/order_columns.tsx";
import { orderName } from "../ui/order_fill.tsx";
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
        columns={ORDER_COLUMNS}
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
