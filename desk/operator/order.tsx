import { useQuery } from "@tanstack/react-query";
import { Fragment, type ReactNode } from "react";
import { Link } from "wouter";
import { operatorOrderQueries, type Order } from "../data/operator_orders.ts";
import { useChangeOrders } from "../data/orders.ts";
import { usePages } from "../data/pages.ts";
import { Badge, type Meaning } from "../ui/badge.tsx";
import { isOver } from "../ui/change_order.tsx";
import { ConfirmButton } from "../ui/confirm.tsx";
import { countText } from "../ui/count.ts";
import { LeadsToday } from "../ui/order_fill.tsx";
import { Page } from "../ui/page.tsx";
import { EmptyState, QueryResult } from "../ui/query_result.tsx";
import { Time } from "../ui/time.tsx";
import { ChangeSettings } from "./change_order.tsx";
import { verdict, WhyOrder } from "./explained_order.tsx";
import { useWanted } from "./vendor_name.tsx";

/** What can be done with an order: the status that it gives, and what that means. */
export interface Act {
  label: string;
  status: string;
  meaning: string;
}

/** Opens an order. */
export const OPEN: Act = {
  label: "Open",
  status: "open",
  meaning: "From now on it gets leads. Those that wait already are distributed by hand.",
};
/** Closes an order. */
export const CLOSE: Act = { label: "Close", status: "closed", meaning: "It gets no more leads." };

/** The acts on an order by its status. */
export const ACTS: Record<string, Act[]> = {
  open: [
    { label: "Pause", status: "paused", meaning: "It gets no leads until it is opened again." },
    CLOSE,
  ],
  paused: [OPEN, CLOSE],
  filled: [{ ...CLOSE, meaning: "It is done, and stays in the list of closed orders." }],
  closed: [OPEN],
};

/** Where there is no order. */
export const NO_ORDER = <EmptyState title="There is no such order." />;

/** The name of an order: whose it is, and what it wants. */
export function orderName(order: Order, wanted: ReturnType<typeof useWanted>): string {
  return `${order.agency}: ${wanted(order)}`;
}

/** An order with what can be done with it, and why it gets leads or none. */
export function OrderView({ id }: { id: string }) {
  const query = usePages(operatorOrderQueries.orders({ order_id: id }));
  const wanted = useWanted();
  const shown = query.data?.[0];
  return (
    <Page title={shown ? orderName(shown, wanted) : "Orders"}>
      <Link href="/operator/orders" className="back">All orders</Link>
      <QueryResult query={query} resource="order">
        {([order]) =>
          order === undefined ? NO_ORDER : (
            <>
              <Verdict order={order} />
              <div className="recruit-columns">
                <OrderFacts order={order} />
                <WhyOrder id={id} />
              </div>
            </>
          )}
      </QueryResult>
    </Page>
  );
}

/** Whether the order gets leads now, beside what can be done with it: first what makes it get some. */
function Verdict({ order }: { order: Order }) {
  const { data: explained } = useQuery(operatorOrderQueries.explainedOrder(order.id));
  const { mutateAsync: change } = useChangeOrders();
  const getsLeads = explained?.order.gets_leads || explained?.order.takes_turns;
  const reason = explained?.orders.find(({ order_id }) => order_id === order.id)?.reason ?? "";
  const taker = !getsLeads && reason.startsWith("other orders") && explained!.orders.find(({ gets_it }) => gets_it);
  const buttons = (ofRemedies: boolean) =>
    actsOf(order).filter(({ status }) => (status === "open") === ofRemedies).map(({ label, status, meaning }) => (
      <ConfirmButton
        key={label}
        label={label}
        of="the order"
        className={ofRemedies ? "primary" : undefined}
        question={<p>{meaning} It is noted with your name.</p>}
        act={() => change({ orders: [order], changes: { status } })}
      />
    ));
  return (
    <div className={`notice section-head ${explained ? `is-${getsLeads ? "good" : "warn"}` : ""}`}>
      <p className="headline" role="status">{explained && verdict(explained, order.id)}</p>
      <p className="buttons">
        {buttons(true)}
        {taker && (
          <Link href={`/operator/orders/${taker.order_id}`} className="button primary">
            See the order that takes them
          </Link>
        )}
        <ChangeSettings order={order} isRemedy={order.filled === order.quantity || reason.startsWith("has got")} />
        {buttons(false)}
      </p>
    </div>
  );
}

function OrderFacts({ order }: { order: Order }) {
  const { id, agency_id, agency, agent, status, priority, ends_at, greeting_template } = order;
  const wanted = useWanted();
  const facts: Record<string, ReactNode> = {
    Agency: <Link href={`/operator/agencies/${agency_id}/orders`}>{agency}</Link>,
    Status: <StatusBadge status={status} />,
    Agent: <bdi>{agent ?? "The agents take turns"}</bdi>,
    Wants: wanted(order),
    Leads: <Fill order={order} />,
    Today: <LeadsToday order={order} />,
    Priority: priority,
    Greeting: <span className="reply" dir="auto">{greeting_template ?? "none"}</span>,
    Id: id.slice(0, 8),
    ...ends_at !== null && { [Date.parse(ends_at) > Date.now() ? "Ends" : "Ended"]: <Time at={ends_at} /> },
  };
  return (
    <section className="panel" aria-label="Order">
      <dl className="facts">
        {Object.entries(facts).map(([term, fact]) => (
          <Fragment key={term}>
            <dt>{term}</dt>
            <dd>{fact}</dd>
          </Fragment>
        ))}
      </dl>
    </section>
  );
}

/** What can be done with this order. */
export function actsOf(order: Order): Act[] {
  return (ACTS[order.status] ?? []).filter((act) => !(isOver(order) && act.status === "open"));
}

/** How many of its leads an order has. */
export function Fill({ order: { filled, quantity } }: { order: Order }) {
  return (
    <span className="fill">
      <progress value={filled} max={quantity} aria-label="Filled" />
      {`${countText(filled)} of ${countText(quantity)}`}
    </span>
  );
}

const MEANINGS: Record<string, Meaning> = { open: "good", paused: "warn" };

export function StatusBadge({ status }: { status: string }) {
  return <Badge meaning={MEANINGS[status]}>{status}</Badge>;
}
