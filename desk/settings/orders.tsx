import { type ReactNode, useState } from "react";
import { type Order, orderQueries } from "../data/orders.ts";
import { usePages } from "../data/pages.ts";
import type { Agent } from "../data/user.ts";
import { List } from "../ui/list.tsx";
import { OrderFill } from "../ui/order_fill.tsx";
import { OrderStanding } from "../ui/order_standing.tsx";
import { EmptyState } from "../ui/query_result.tsx";
import { timeText } from "../ui/time.tsx";
import { OrderActions } from "./change_order.tsx";
import { OrderHistory } from "./order_history.tsx";

/** The orders that may still get leads, and below them, when asked for, the others. */
export function Orders({ agent }: { agent: Agent }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section aria-label="Orders">
      <OrderList
        agent={agent}
        isDone={false}
        empty={
          <EmptyState title="No order is open.">
            The people who run the service open one. Until then no recruits come.
          </EmptyState>
        }
      />
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>Filled and closed orders</summary>
        {isOpen && <OrderList agent={agent} isDone empty={<p className="quiet">There are none yet.</p>} />}
      </details>
    </section>
  );
}

/** `empty` stands where there are none. */
function OrderList({ agent, isDone, empty }: { agent: Agent; isDone: boolean; empty: ReactNode }) {
  const query = usePages(orderQueries.list(agent.agency_id, isDone));
  return (
    <List
      query={query}
      resource="orders"
      empty={empty}
      keyOf={({ id }) => id}
      row={(order) => <OrderRow order={order} />}
    />
  );
}

function OrderRow({ order }: { order: Order }) {
  const { agent, daily_cap, leads_today, priority, has_greeting } = order;
  const settings = [
    agent === null ? "the agents take turns" : `all go to ${agent}`,
    daily_cap !== null && `${leads_today} of at most ${daily_cap} today`,
    has_greeting ? "recruits are greeted" : "no greeting",
    priority !== 0 && `priority ${priority}, ${priority > 0 ? "before" : "after"} orders of priority 0`,
    order.starts_at !== null && `from ${timeText(order.starts_at)}`,
    order.ends_at !== null && `until ${timeText(order.ends_at)}`,
  ];
  return (
    <li>
      <OrderFill order={order} />
      <OrderStanding id={order.id} />
      <p className="quiet">{settings.filter(Boolean).join(" · ")}</p>
      <OrderHistory order={order} />
      <OrderActions order={order} />
    </li>
  );
}
