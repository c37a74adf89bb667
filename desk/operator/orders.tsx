import { Link } from "wouter";
import { useQuery } from "@tanstack/react-query";
import { operatorQueries, type Order } from "../data/operator.ts";
import { useChangeOrders } from "../data/orders.ts";
import { usePages } from "../data/pages.ts";
import { isOver } from "../ui/change_order.tsx";
import { ConfirmButton } from "../ui/confirm.tsx";
import { List } from "../ui/list.tsx";
import { Page } from "../ui/page.tsx";
import { EmptyState } from "../ui/query_result.tsx";
import { Time } from "../ui/time.tsx";
import { ChangeQuantity } from "./change_order.tsx";
import { WhyOrder } from "./explained_order.tsx";
import { wantedText } from "./tried_orders.tsx";
import { useVendorName } from "./vendor_name.ts";

/** The acts on an order by its status, each with the status that it gives and what that means. */
const ACTS: Record<string, { label: string; status: string; meaning: string }[]> = {
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
  const query = usePages(operatorQueries.orders({ agency_id: agencyId, order_id: orderId }));
  const agency = query.data?.[0]?.agency;
  return (
    <Page title={titleOf({ agencyId, orderId, agency })}>
      {agencyId === undefined && orderId === undefined
        ? (
          <p className="quiet">
            The open and paused orders of all agencies. An agency has its filled and closed ones too.
          </p>
        )
        : <Link href="/operator/orders" className="back">All open and paused orders</Link>}
      {agencyId !== undefined && agency !== undefined && <AgencyActs agencyId={agencyId} agency={agency} />}
      <List
        query={query}
        resource="orders"
        empty={
          <EmptyState title="There is no such order.">
            The people who run the service make the orders of agencies.
          </EmptyState>
        }
        keyOf={({ id }) => id}
        row={(order) => <OrderRow order={order} />}
      />
      {orderId !== undefined && agency !== undefined && <WhyOrder id={orderId} />}
    </Page>
  );
}

function titleOf({ agencyId, orderId, agency }: { agencyId?: string; orderId?: string; agency?: string }): string {
  if (agency === undefined || agencyId === undefined && orderId === undefined) return "Orders";
  return orderId === undefined ? `Orders of ${agency}` : `Order ${orderId.slice(0, 8)} of ${agency}`;
}

function OrderRow({ order }: { order: Order }) {
  const { id, agency_id, agency, agent, vendor, states, filled, quantity, leads_today, daily_cap, status, ends_at } =
    order;
  const { mutateAsync: change } = useChangeOrders();
  const acts = (ACTS[status] ?? []).filter((act) => !(isOver(order) && act.status === "open"));
  const nameOf = useVendorName();
  return (
    <li className="order">
      <p>
        <Link href={`/operator/orders/agency/${agency_id}`}>{agency}</Link> <span className="badge">{status}</span>{" "}
        <strong>{filled.toLocaleString("en-US")} of {quantity.toLocaleString("en-US")}</strong>{" "}
        <small>order {id.slice(0, 8)}</small>
      </p>
      <p className="quiet">
        {wantedText(vendor && nameOf(vendor), states)}, {leads_today} today
        {daily_cap !== null && ` of at most ${daily_cap}`}
        {agent !== null && (
          <>
            , for <bdi>{agent}</bdi>
          </>
        )}
        {ends_at !== null && (
          <>
            , {Date.parse(ends_at) > Date.now() ? "ends" : "ended"} <Time at={ends_at} />
          </>
        )}
      </p>
      <p className="buttons">
        <ChangeQuantity order={order} />
        {acts.map(({ label, status, meaning }) => (
          <ConfirmButton
            key={label}
            label={label}
            of={`order ${id.slice(0, 8)}`}
            question={<p>{meaning} It is noted with your name.</p>}
            act={() => change({ orders: [order], changes: { status } })}
          />
        ))}
      </p>
    </li>
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
