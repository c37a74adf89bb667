import { Link } from "wouter";
import type { Order } from "../data/orders.ts";
import { Badge } from "./badge.tsx";
import { DotSeparated } from "./dot_separated.tsx";
import { filledText, LeadsToday, wantedText } from "./order_fill.tsx";
import { useStandingWords } from "./order_standing.tsx";
import { type PacedOrder, paceOf } from "./pace.ts";
import type { TableColumn } from "./table.tsx";

/** What an order is for, how full it is, and when it will be at its pace. The number of its leads opens their list. */
export const ORDER_COLUMNS: TableColumn<Order>[] = [
  { title: "Order", cell: (order) => <Wanted order={order} />, isHeader: true, isSentence: true },
  { title: "Fill", cell: (order) => <Fill order={order} /> },
  { title: "Forecast", cell: (order) => <Forecast order={order} /> },
  { title: "Today", cell: (order) => <LeadsToday order={order} /> },
];

/** The vendor, and below it the states, why it gets no leads, and its `settings`. */
export function Wanted({ order: { id, vendor, states }, settings }: { order: Order; settings?: string }) {
  return (
    <>
      <bdi>{vendor ?? "Any vendor"}</bdi>
      <p className="quiet">
        <DotSeparated>
          {states?.join(", ") ?? "any state"}
          {useStandingWords(id)}
        </DotSeparated>
      </p>
      {settings && <p className="quiet">{settings}</p>}
    </>
  );
}

function Fill({ order }: { order: Order }) {
  const { id, filled, quantity } = order;
  const words = filledText(order);
  return (
    <span className="fill">
      <progress value={filled} max={quantity} aria-label={`Filled: ${wantedText(order)}`} />
      {filled === 0 ? <span>{words}</span> : <Link href={`/home/order/${id}`}>{words}</Link>}
    </span>
  );
}

/** When an order will be full. */
export function Forecast({ order }: { order: PacedOrder }) {
  const { pace, words, isWrong } = paceOf(order);
  if (order.status === "paused") return <Badge meaning="warn">{words}</Badge>;
  const forecast = <span>{pace && <span className="pace">{pace},</span>} {words}</span>;
  return isWrong ? <Badge meaning="bad">{forecast}</Badge> : forecast;
}
