import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { figureQueries, type FigureRow, type Listed } from "../data/figures.ts";
import { usePages } from "../data/pages.ts";
import { orderQueries } from "../data/orders.ts";
import type { Agent } from "../data/user.ts";
import { countText } from "../ui/count.ts";
import { useDays } from "../ui/date_range.tsx";
import { DotSeparated } from "../ui/dot_separated.tsx";
import { Page } from "../ui/page.tsx";
import { phoneText } from "../ui/phone.ts";
import { EmptyState } from "../ui/query_result.tsx";
import { Table, type TableColumn } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { homeHref, listHref } from "./address.ts";
import { clockText, dayName, minutesText } from "./time_text.ts";

const TITLES: Record<Listed["figure"], string> = {
  leads: "Recruits",
  wrote: "Recruits who began to write",
  answered: "Recruits who were answered",
  failed: "Texts not delivered",
  opt_outs: "Opt-outs",
};

/** The rows that a figure counts, the latest first. Each opens its conversation, or the recruit. */
export function FigureList({ listed, agent }: { listed: Listed; agent: Agent }) {
  const [days] = useDays();
  const { data: figures } = useQuery(figureQueries.figures(days));
  const query = usePages(figureQueries.list(listed, days));
  const { figure, day, vendor_id, order_id } = listed;
  const vendor = figures?.vendors.find(({ id }) => id === vendor_id)?.vendor;
  return (
    <Page title={order_id === null ? TITLES[figure] : "Recruits of an order"}>
      <Link href={homeHref(days)} className="back">Back to the figures</Link>
      {order_id === null
        ? (
          <p>
            <DotSeparated>
              {day === null ? `The last ${days} days` : dayName(day)}
              {vendor !== undefined && <bdi>{vendor}</bdi>}
            </DotSeparated>
          </p>
        )
        : <OrderWords id={order_id} />}
      {figure === "wrote" && <Link href={listHref("answered", days)}>Only those who were answered</Link>}
      {figure === "answered" && <Link href={listHref("wrote", days)}>All who began to write</Link>}
      {(figure === "wrote" || figure === "answered") && <CountedHours agent={agent} />}
      <Table
        label="Recruits"
        query={query}
        resource="list"
        empty={<EmptyState title="Nobody is in this list." />}
        keyOf={({ id }) => id}
        nameOf={nameOf}
        columns={columnsOf(figure)}
      />
    </Page>
  );
}

/** What the order is for, and how many leads it has got. */
function OrderWords({ id }: { id: string }) {
  const { data: order } = useQuery(orderQueries.one(id));
  if (!order) return null;
  return (
    <p>
      <DotSeparated>
        <bdi>{order.vendor ?? "Any vendor"}</bdi>
        {order.states?.join(", ") ?? "any state"}
        {`${countText(order.filled)} of ${countText(order.quantity)} leads`}
      </DotSeparated>
    </p>
  );
}

/** The hours whose minutes count: without them nobody understands the minutes of an answer at night. */
function CountedHours({ agent }: { agent: Agent }) {
  const { data: hours } = useQuery(figureQueries.hours(agent.agency_id));
  if (hours === undefined) return null;
  return (
    <p className="quiet">
      Only the agency’s hours count: {clockText(hours.opens_at)} to{" "}
      {clockText(hours.closes_at)}, Monday to Friday. So an answer at night may take under 1 min.
    </p>
  );
}

function columnsOf(figure: Listed["figure"]): TableColumn<FigureRow>[] {
  return [
    { title: "Recruit", isHeader: true, cell: (row) => <Recruit row={row} /> },
    { title: "Phone", isPlain: true, cell: numberOf },
    { title: "Agent", cell: ({ agent }) => agent === null ? "no agent" : <bdi>{agent}</bdi> },
    ...figure === "wrote" || figure === "answered" ? [RESPONSE] : [],
    { title: "When", isPlain: true, cell: ({ at }) => <Time at={at} /> },
  ];
}

const RESPONSE: TableColumn<FigureRow> = {
  title: "First response",
  cell: ({ minutes }) => minutes === null ? "not answered" : minutesText(minutes),
};

function Recruit({ row }: { row: FigureRow }) {
  const { conversation_id, recruiting_lead_id } = row;
  const name = <bdi>{nameOf(row)}</bdi>;
  if (conversation_id === null && recruiting_lead_id === null) return name;
  const href = conversation_id === null ? `/recruits/${recruiting_lead_id}` : `/inbox/all/${conversation_id}`;
  return <Link href={href} className="row-link">{name}</Link>;
}

function nameOf(row: FigureRow): string {
  return row.name ?? numberOf(row);
}

function numberOf({ phone }: FigureRow): string {
  return phone === null ? "no phone" : phoneText(phone);
}
