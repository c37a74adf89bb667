import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useSearch } from "wouter";
import { operatorOrderQueries, type Order } from "../data/operator_orders.ts";
import { orderQueries, type OrderStanding, useChangeOrders } from "../data/orders.ts";
import { usePages } from "../data/pages.ts";
import { Badge } from "../ui/badge.tsx";
import { ConfirmButton, ConfirmDialog } from "../ui/confirm.tsx";
import { SearchField, SelectField } from "../ui/filters.tsx";
import { labelOf } from "../ui/json_value.tsx";
import { Forecast } from "../ui/order_columns.tsx";
import { LeadsToday } from "../ui/order_fill.tsx";
import { Page } from "../ui/page.tsx";
import { Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { NewOrder } from "./new_order.tsx";
import { type Act, ACTS, actsOf, Fill, NO_ORDER, orderName, StatusBadge } from "./order.tsx";
import { useWanted, VendorField } from "./vendor_name.tsx";

/** The orders of all agencies, each with what can be done with it. */
export function Orders() {
  return (
    <Page title="Orders">
      <FoundOrders all="Not closed">
        <SearchField label="Agency or agent" />
      </FoundOrders>
    </Page>
  );
}

/** The orders that the filters in the address leave, which are `children` and the others. `all`: without a status. */
export function FoundOrders({ all, agencyId, children }: { all: string; agencyId?: string; children?: ReactNode }) {
  const parameters = new URLSearchParams(useSearch());
  const [words, vendor, status] = ["q", "vendor", "status"].map((name) => parameters.get(name));
  const query = usePages(operatorOrderQueries.orders({ agency_id: agencyId, words, vendor, status }));
  return (
    <>
      <p className="quiet">A lead goes to an open order that wants it, the highest priority first.</p>
      <div className="section-head">
        <form className="filters" role="search" onSubmit={(event) => event.preventDefault()}>
          {children}
          <VendorField />
          <SelectField
            name="status"
            label="Status"
            all={all}
            options={Object.keys(ACTS).map((status) => [status, labelOf(status)])}
          />
        </form>
        <span className="buttons">
          <NewOrder agencyId={agencyId} />
          {agencyId !== undefined && <AgencyActs agencyId={agencyId} />}
        </span>
      </div>
      <OrderTable query={query} isOfAgency={agencyId !== undefined} />
    </>
  );
}

/** A row opens the order, which says why it gets leads or none. */
function OrderTable({ query, isOfAgency }: { query: ReturnType<typeof usePages<Order>>; isOfAgency: boolean }) {
  const wanted = useWanted();
  const noLeads = useNoLeads();
  const nameOf = (order: Order) => orderName(order, wanted);
  // The key opens the question anew each time.
  const [asked, ask] = useState<{ order: Order; act: Act; key: number } | null>(null);
  return (
    <>
      <Table
        label="Orders"
        query={query}
        resource="orders"
        empty={NO_ORDER}
        sort="forecast"
        keyOf={({ id }) => id}
        nameOf={nameOf}
        hrefOf={({ id }) => `/operator/orders/${id}`}
        menuOf={(order) => [
          { label: "Change, or see why it gets leads", href: `/operator/orders/${order.id}` },
          ...isOfAgency
            ? []
            : [{ label: "All orders of the agency", href: `/operator/agencies/${order.agency_id}/orders` }],
          ...actsOf(order).map((act) => ({
            label: act.label,
            run: () => ask({ order, act, key: (asked?.key ?? 0) + 1 }),
          })),
        ]}
        columns={[
          ...isOfAgency ? [] : [{
            title: "Agency",
            key: "agency",
            sortBy: ({ agency }: Order) => agency,
            cell: ({ agency, id, ...order }: Order) => (
              <span className="two-lines" title={`order ${id.slice(0, 8)}`}>
                <bdi>{agency}</bdi> <small className="if-narrow">{wanted(order)}</small>
              </span>
            ),
            isHeader: true,
            isSentence: true,
          }],
          {
            title: "Wants",
            cell: (order: Order) => (
              <>
                {wanted(order)} {order.agent && <small>for {order.agent}</small>}
              </>
            ),
            isHeader: isOfAgency,
            isMinor: !isOfAgency,
            isSentence: true,
          },
          {
            title: "Leads",
            key: "leads",
            isPlain: true,
            cell: (order) => <Fill order={order} />,
            sortBy: ({ filled, quantity }) => filled / quantity,
            isGreatestFirst: true,
          },
          { title: "Today", cell: (order) => <LeadsToday order={order} /> },
          {
            title: "Priority",
            key: "priority",
            cell: ({ priority }) => priority,
            sortBy: ({ priority }) => priority,
            isGreatestFirst: true,
            isNumber: true,
            isMinor: true,
          },
          {
            title: "Forecast",
            key: "forecast",
            // What needs somebody comes first, then what is full soonest, then what is not open.
            sortBy: (order) =>
              noLeads(order) !== undefined ? -1 : order.full_in_days ?? 1_000 * (1 + STATUSES.indexOf(order.status)),
            isPlain: true,
            cell: (order) => (
              <span className="two-lines">
                <Outlook order={order} />
                {order.ends_at !== null && (
                  <small>
                    Ends <Time at={order.ends_at} />
                  </small>
                )}
              </span>
            ),
            isSentence: true,
          },
          {
            title: "Status",
            key: "status",
            cell: ({ status }) => <StatusBadge status={status} />,
            sortBy: ({ status }) => STATUSES.indexOf(status),
            isCorner: true,
          },
        ]}
      />
      {asked && <Question key={asked.key} order={asked.order} act={asked.act} name={nameOf(asked.order)} />}
    </>
  );
}

/** When an open order will be full, unless it gets no leads at all. */
function Outlook({ order }: { order: Order }) {
  const why = useNoLeads()(order);
  // The column of the status says that it is paused.
  if (order.status === "paused") return "gets none now";
  if (!why) return <Forecast order={order} />;
  return (
    <>
      <Badge meaning="bad">gets no leads</Badge>
      <small>{why}</small>
    </>
  );
}

/** Gives why an open order gets no leads at all; undefined: it gets some. */
function useNoLeads(): (order: Order) => string | undefined {
  const { data: standings } = useQuery(orderQueries.standings(true));
  return ({ id }) => {
    const found = standings?.find(({ order_id }) => order_id === id);
    return found && NO_LEADS[found.standing];
  };
}

const STATUSES = ["paused", "open", "filled", "closed"];

const NO_LEADS: Partial<Record<OrderStanding["standing"], string>> = {
  others: "orders with a higher priority take them",
  vendor_inactive: "its vendor is switched off",
  no_agent: "no agent takes leads",
};

/** The question before an act of a row's menu. */
function Question({ order, act: { label, status, meaning }, name }: { order: Order; act: Act; name: string }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { mutateAsync: change } = useChangeOrders();
  useEffect(() => dialog.current!.showModal(), []);
  return (
    <ConfirmDialog
      dialog={dialog}
      label={label}
      of={name}
      question={<p>{meaning} It is noted with your name.</p>}
      act={() => change({ orders: [order], changes: { status } })}
    />
  );
}

/** Pauses all open orders of an agency, or opens all paused ones that can be opened. */
function AgencyActs({ agencyId }: { agencyId: string }) {
  const { data: orders = [] } = useQuery(operatorOrderQueries.agencyOrders(agencyId));
  const { mutateAsync: change } = useChangeOrders();
  return (
    <>
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
                {verb} {all} of the agency? It is noted with your name.
              </p>
            }
            act={() => change({ orders: meant, changes: { status } })}
          />
        );
      })}
    </>
  );
}
