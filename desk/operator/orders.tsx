import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Link, useSearch } from "wouter";
import { operatorQueries, type Order } from "../data/operator.ts";
import { useChangeOrders } from "../data/orders.ts";
import { usePages } from "../data/pages.ts";
import { Badge, type Meaning } from "../ui/badge.tsx";
import { isOver } from "../ui/change_order.tsx";
import { ConfirmButton, ConfirmDialog } from "../ui/confirm.tsx";
import { countText } from "../ui/count.ts";
import { SearchField, SelectField } from "../ui/filters.tsx";
import { labelOf } from "../ui/json_value.tsx";
import { Page } from "../ui/page.tsx";
import { EmptyState, QueryResult } from "../ui/query_result.tsx";
import { Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { ChangeQuantity } from "./change_order.tsx";
import { WhyOrder } from "./explained_order.tsx";
import { wantedText } from "./tried_orders.tsx";
import { useVendorName, VendorField } from "./vendor_name.tsx";

interface Act {
  label: string;
  status: string;
  meaning: string;
}

/** The acts on an order by its status, each with the status that it gives and what that means. */
const ACTS: Record<string, Act[]> = {
  open: [
    { label: "Pause", status: "paused", meaning: "It gets no lead until it is opened again." },
    { label: "Close", status: "closed", meaning: "It gets no lead any more." },
  ],
  paused: [
    {
      label: "Open",
      status: "open",
      meaning: "From now on it gets leads. Those that wait already are distributed by hand.",
    },
    { label: "Close", status: "closed", meaning: "It gets no lead any more." },
  ],
  filled: [{ label: "Close", status: "closed", meaning: "It is done, and stays in the list of closed orders." }],
  closed: [
    {
      label: "Open",
      status: "open",
      meaning: "From now on it gets leads. Those that wait already are distributed by hand.",
    },
  ],
};

/** The orders of all agencies, of one, or one order, each with what can be done with it. */
export function Orders({ agencyId, orderId }: { agencyId?: string; orderId?: string }) {
  const parameters = new URLSearchParams(useSearch());
  const [words, vendor, status] = ["q", "vendor", "status"].map((name) => parameters.get(name));
  const query = usePages(operatorQueries.orders({ agency_id: agencyId, order_id: orderId, words, vendor, status }));
  const agency = query.data?.[0]?.agency;
  const none = (
    <EmptyState title="There is no such order.">The people who run the service make the orders of agencies.</EmptyState>
  );
  return (
    <Page title={titleOf({ agencyId, orderId, agency })}>
      {(agencyId !== undefined || orderId !== undefined) && (
        <Link href="/operator/orders" className="back">All open and paused orders</Link>
      )}
      {orderId === undefined && (
        <form className="filters" role="search" onSubmit={(event) => event.preventDefault()}>
          {agencyId === undefined && <SearchField label="Agency or agent" />}
          <VendorField />
          <SelectField
            name="status"
            label="Status"
            all={agencyId === undefined ? "Open and paused" : "All"}
            options={Object.keys(ACTS).map((status) => [status, labelOf(status)])}
          />
        </form>
      )}
      {agencyId !== undefined && agency !== undefined && <AgencyActs agencyId={agencyId} agency={agency} />}
      {orderId === undefined ? <OrderTable query={query} empty={none} /> : (
        <>
          <QueryResult query={query} resource="order">
            {([order]) => order === undefined ? none : <OrderFacts order={order} />}
          </QueryResult>
          {agency !== undefined && <WhyOrder id={orderId} />}
        </>
      )}
    </Page>
  );
}

function titleOf({ agencyId, orderId, agency }: { agencyId?: string; orderId?: string; agency?: string }): string {
  if (agency === undefined || agencyId === undefined && orderId === undefined) return "Orders";
  return orderId === undefined ? `Orders of ${agency}` : `Order ${orderId.slice(0, 8)} of ${agency}`;
}

/** A row opens the order, which says why it gets leads or none. */
function OrderTable({ query, empty }: { query: ReturnType<typeof usePages<Order>>; empty: ReactNode }) {
  const nameOf = useVendorName();
  // The key opens the question anew each time.
  const [asked, ask] = useState<{ order: Order; act: Act; key: number } | null>(null);
  return (
    <>
      <Table
        label="Orders"
        query={query}
        resource="orders"
        empty={empty}
        keyOf={({ id }) => id}
        nameOf={({ id }) => `order ${id.slice(0, 8)}`}
        hrefOf={({ id }) => `/operator/orders/${id}`}
        menuOf={(order) => [
          { label: "Change, or see why it gets leads", href: `/operator/orders/${order.id}` },
          { label: "All orders of the agency", href: `/operator/orders/agency/${order.agency_id}` },
          ...actsOf(order).map((act) => ({
            label: act.label,
            run: () => ask({ order, act, key: (asked?.key ?? 0) + 1 }),
          })),
        ]}
        columns={[
          { title: "Agency", cell: ({ agency }) => <bdi>{agency}</bdi>, isHeader: true },
          { title: "Agent", cell: ({ agent }) => <bdi>{agent ?? "Take turns"}</bdi>, isMinor: true },
          { title: "Wants", cell: ({ vendor, states }) => wantedText(vendor && nameOf(vendor), states) },
          { title: "Leads", cell: (order) => <Fill order={order} />, isNumber: true },
          { title: "Today", cell: todayText, isNumber: true },
          { title: "Status", cell: ({ status }) => <StatusBadge status={status} /> },
          { title: "Ends", cell: ({ ends_at }) => ends_at && <Time at={ends_at} />, isMinor: true },
        ]}
      />
      {asked && <Question key={asked.key} order={asked.order} act={asked.act} />}
    </>
  );
}

/** The question before an act of a row's menu. */
function Question({ order, act: { label, status, meaning } }: { order: Order; act: Act }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { mutateAsync: change } = useChangeOrders();
  useEffect(() => dialog.current!.showModal(), []);
  return (
    <ConfirmDialog
      dialog={dialog}
      label={label}
      of={`order ${order.id.slice(0, 8)}`}
      question={<p>{meaning} It is noted with your name.</p>}
      act={() => change({ orders: [order], changes: { status } })}
    />
  );
}

function actsOf(order: Order): Act[] {
  return (ACTS[order.status] ?? []).filter((act) => !(isOver(order) && act.status === "open"));
}

function todayText({ leads_today, daily_cap }: Order): string {
  return daily_cap === null ? countText(leads_today) : `${countText(leads_today)} of at most ${countText(daily_cap)}`;
}

function Fill({ order: { filled, quantity } }: { order: Order }) {
  return (
    <span className="fill">
      <progress value={filled} max={quantity} aria-label="Filled" />
      {`${countText(filled)} of ${countText(quantity)}`}
    </span>
  );
}

const MEANINGS: Record<string, Meaning> = { open: "good", paused: "warn" };

function StatusBadge({ status }: { status: string }) {
  return <Badge meaning={MEANINGS[status]}>{status}</Badge>;
}

/** An order on its own page. */
function OrderFacts({ order }: { order: Order }) {
  const { id, agency_id, agency, agent, vendor, states, status, ends_at } = order;
  const { mutateAsync: change } = useChangeOrders();
  const nameOf = useVendorName();
  return (
    <>
      <dl className="facts">
        <dt>Agency</dt>
        <dd>
          <Link href={`/operator/orders/agency/${agency_id}`}>{agency}</Link>
        </dd>
        <dt>Status</dt>
        <dd>
          <StatusBadge status={status} />
        </dd>
        <dt>Agent</dt>
        <dd>
          <bdi>{agent ?? "The agents take turns"}</bdi>
        </dd>
        <dt>Wants</dt>
        <dd>{wantedText(vendor && nameOf(vendor), states)}</dd>
        <dt>Leads</dt>
        <dd>
          <Fill order={order} />
        </dd>
        <dt>Today</dt>
        <dd>{todayText(order)}</dd>
        {ends_at !== null && (
          <>
            <dt>{Date.parse(ends_at) > Date.now() ? "Ends" : "Ended"}</dt>
            <dd>
              <Time at={ends_at} />
            </dd>
          </>
        )}
      </dl>
      <p className="buttons">
        <ChangeQuantity order={order} />
        {actsOf(order).map(({ label, status, meaning }) => (
          <ConfirmButton
            key={label}
            label={label}
            of={`order ${id.slice(0, 8)}`}
            question={<p>{meaning} It is noted with your name.</p>}
            act={() => change({ orders: [order], changes: { status } })}
          />
        ))}
      </p>
    </>
  );
}

/** Pauses all open orders of an agency, or opens all paused ones that can be opened. */
function AgencyActs({ agencyId, agency }: { agencyId: string; agency: string }) {
  const { data: orders = [] } = useQuery(operatorQueries.agencyOrders(agencyId));
  const { mutateAsync: change } = useChangeOrders();
  return (
    <p className="buttons">
      {([["Pause", "open", "paused"], ["Open", "paused", "open"]] as const).map(([verb, from, status]) => {
        const meant = orders.filter((order) => order.status === from);
        if (meant.length === 0) return null;
        const all = meant.length === 1 ? `the ${from} order` : `all ${meant.length} ${from} orders`;
        return (
          <ConfirmButton
            key={verb}
            label={`${verb} ${all}`}
            question={
              <p>
                {verb} {all} of {agency}? It is noted with your name.
              </p>
            }
            act={() => change({ orders: meant, changes: { status } })}
          />
        );
      })}
    </p>
  );
}
