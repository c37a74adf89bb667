import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { figureQueries, type FigureRow, type Figures, type Listed } from "../data/figures.ts";
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
import { Tabs } from "../ui/tabs.tsx";
import { Time } from "../ui/time.tsx";
import { homeHref, listHref } from "./address.ts";
import { clockText, dayName, minutesText } from "./time_text.ts";

const TITLES: Record<Listed["figure"], string> = {
  leads: "Recruits",
  not_texted: "Recruits not texted",
  wrote: "Recruits who began to write",
  answered: "Recruits who began to write",
  unanswered: "Recruits who began to write",
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
      {isOfResponses(figure) && figures && <Responses figures={figures} agent={agent} />}
      {figure === "not_texted" && (
        <p className="quiet">
          Nothing has been sent to them. Where an order has a greeting, it is the first text, to recruits who have
          agreed to texts. <Link href="/settings/orders">Orders and greetings</Link>
        </p>
      )}
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
        {`${countText(order.filled)} of ${countText(order.quantity)} recruits`}
      </DotSeparated>
    </p>
  );
}

function isOfResponses(figure: Listed["figure"]): boolean {
  return figure === "wrote" || figure === "answered" || figure === "unanswered";
}

/** Those who were answered, and the others; and the hours whose minutes count, which explain an answer at night. */
function Responses({ figures: { days, first_response }, agent }: { figures: Figures; agent: Agent }) {
  const { data: hours } = useQuery(figureQueries.hours(agent.agency_id));
  const { recruits, answered, ninety } = first_response;
  const tab = (figure: Listed["figure"], label: string, count: number) => ({
    href: listHref(figure, days),
    also: [`/home/${figure}`],
    label,
    count: countText(count),
  });
  return (
    <>
      <Tabs
        label="First response"
        tabs={[
          tab("wrote", "All", recruits),
          tab("answered", "Answered by a person", answered),
          tab("unanswered", "Not answered", recruits - answered),
        ]}
      />
      {hours && (
        <p className="quiet">
          {ninety !== null && `90% were answered within ${minutesText(ninety)}. `}Only the agency’s hours count:{" "}
          {clockText(hours.opens_at)} to{" "}
          {clockText(hours.closes_at)}, Monday to Friday. So an answer at night may take less than 1 min.
        </p>
      )}
    </>
  );
}

function columnsOf(figure: Listed["figure"]): TableColumn<FigureRow>[] {
  return [
    { title: "Recruit", isHeader: true, cell: (row) => <Recruit row={row} /> },
    { title: "Phone", isPlain: true, cell: numberOf },
    { title: "Agent", cell: ({ agent }) => agent === null ? "no agent" : <bdi>{agent}</bdi> },
    ...isOfResponses(figure) ? [RESPONSE] : [],
    { title: "When", isPlain: true, cell: ({ at }) => <Time at={at} /> },
  ];
}

const RESPONSE: TableColumn<FigureRow> = {
  title: "First response",
  cell: ({ minutes, state }) => minutes === null ? STATES[state!] : minutesText(minutes),
};

/** Why a person has not answered. */
const STATES: Record<NonNullable<FigureRow["state"]>, string> = {
  waits: "waits",
  snoozed: "snoozed",
  opted_out: "opted out",
  texted: "answered by the bot",
  settled: "no reply needed",
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
