import { Link } from "wouter";
import { orderQueries } from "../data/orders.ts";
import { usePages } from "../data/pages.ts";
import type { Agent } from "../data/user.ts";
import { LoadMoreButton } from "../ui/load_more_button.tsx";
import { OrderFill } from "../ui/order_fill.tsx";
import { EmptyState, QueryResult } from "../ui/query_result.tsx";

/** How the orders that may still get leads fill, and when they will be full. */
export function Orders({ agent }: { agent: Agent }) {
  const query = usePages(orderQueries.list(agent.agency_id, false));
  return (
    <section aria-labelledby="orders">
      <h2 id="orders">Orders</h2>
      <QueryResult query={query} resource="orders">
        {(orders) =>
          orders.length === 0
            ? (
              <EmptyState title="No order is open.">
                The people who run the service open one. Until then no recruits come.
              </EmptyState>
            )
            : (
              <>
                <ul className="rows">
                  {orders.map((order) => (
                    <li key={order.id}>
                      <OrderFill order={order} />
                    </li>
                  ))}
                </ul>
                <LoadMoreButton query={query} />
                <p>
                  <Link href="/team">Pause or change an order</Link>
                </p>
              </>
            )}
      </QueryResult>
    </section>
  );
}
