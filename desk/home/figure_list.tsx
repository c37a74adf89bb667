import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { figureQueries, type FigureRow, type Listed } from "../data/figures.ts";
import { usePages } from "../data/pages.ts";
import { orderQueries } from "../data/orders.ts";
import type { Agent } from "../data/user.ts";
import { countText } from "../ui/count.ts";
import { useDays } from "../ui/date_range.tsx";
import { DotSeparated } from "../ui/dot_separated.tsx";
import { List } from "../ui/list.tsx";
import { Page } from "../ui/page.tsx";
import { phoneText } from "../ui/phone.ts";
import { EmptyState } from "../ui/query_result.tsx";
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
      <List
        query={query}
        resource="list"
        empty={<EmptyState title="Nobody is in this list." />}
        className="people"
        keyOf={({ id }) => id}
        row={(row) => (
          <li>
            <Row row={row} figure={figure} />
          </li>
        )}
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

function Row({ row, figure }: { row: FigureRow; figure: Listed["figure"] }) {
  const { conversation_id, recruiting_lead_id, name, phone, agent, at, minutes } = row;
  const number = phone === null ? "no phone" : phoneText(phone);
  const content = (
    <>
      <span className="name">
        <bdi>{name ?? number}</bdi>
      </span>
      <span className="quiet">
        <DotSeparated>
          {name !== null && number}
          {agent === null ? "no agent" : <bdi>{agent}</bdi>}
          {minutes !== null && `answered in ${minutesText(minutes)}`}
          {figure === "wrote" && minutes === null && "not answered"}
        </DotSeparated>
      </span>
      <Time at={at} />
    </>
  );
  if (conversation_id !== null) return <Link href={`/inbox/all/${conversation_id}`}>{content}</Link>;
  return recruiting_lead_id === null
    ? <div>{content}</div>
    : <Link href={`/recruits/${recruiting_lead_id}`}>{content}</Link>;
}
