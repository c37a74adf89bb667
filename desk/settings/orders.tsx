import { type ReactNode, useState } from "react";
import { type Order, orderQueries } from "../data/orders.ts";
import { usePages } from "../data/pages.ts";
import type { Agent } from "../data/user.ts";
import { ORDER_COLUMNS, Wanted } from "../ui/order_columns.tsx";
import { LeadsToday, orderName } from "../ui/order_fill.tsx";
import { EmptyState } from "../ui/query_result.tsx";
import { Table, type TableColumn } from "../ui/table.tsx";
import { timeText } from "../ui/time.tsx";
import { OrderActions } from "./change_order.tsx";
import { OrderHistory } from "./order_history.tsx";

/** The orders that may still get leads, and below them, when asked for, the others. */
export function Orders({ agent }: { agent: Agent }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
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
    </>
  );
}

/** `empty` stands where there are none. */
function OrderList({ agent, isDone, empty }: { agent: Agent; isDone: boolean; empty: ReactNode }) {
  return (
    <Table
      label={isDone ? "Filled and closed orders" : "Orders"}
      className="orders"
      query={usePages(orderQueries.list(agent.agency_id, isDone))}
      resource="orders"
      empty={empty}
      keyOf={({ id }) => id}
      nameOf={orderName}
      columns={[WANTED, ...ORDER_COLUMNS.slice(1, -1), TODAY, ...isDone ? [] : [ACTS]]}
    />
  );
}

const WANTED: TableColumn<Order> = {
  ...ORDER_COLUMNS[0]!,
  cell: (order) => (
    <>
      <Wanted order={order} settings={settingsText(order)} />
      <p className="quiet">{order.has_greeting ? `Greeting: “${order.greeting_template}”` : "No greeting"}</p>
      <OrderHistory order={order} />
    </>
  ),
};

const TODAY: TableColumn<Order> = {
  title: "Today",
  cell: (order) => (
    <>
      <LeadsToday order={order} /> {order.daily_cap === null && <small>no daily limit</small>}
    </>
  ),
};

const ACTS: TableColumn<Order> = {
  title: "Change",
  isTitleHidden: true,
  isPlain: true,
  cell: (order) => <OrderActions order={order} />,
};

function settingsText({ agent, priority, starts_at, ends_at }: Order): string {
  const settings = [
    agent === null ? "Agents take turns" : `All go to ${agent}`,
    priority !== 0 && `${priority > 0 ? "higher" : "lower"} priority`,
    starts_at !== null && `from ${timeText(starts_at)}`,
    ends_at !== null && `until ${timeText(ends_at)}`,
  ];
  return settings.filter(Boolean).join(", ");
}
