import { useQuery } from "@tanstack/react-query";
import { type ExplainedOrder, operatorOrderQueries } from "../data/operator_orders.ts";
import { countText } from "../ui/count.ts";
import { QueryResult } from "../ui/query_result.tsx";
import { Time } from "../ui/time.tsx";
import { TriedOrders } from "./tried_orders.tsx";

/** What other orders do to the leads that an order wants. */
export function WhyOrder({ id }: { id: string }) {
  const query = useQuery(operatorOrderQueries.explainedOrder(id));
  return (
    <section className="panel" aria-labelledby="why">
      <h2 id="why">Why it gets leads, or none</h2>
      <QueryResult query={query} resource="other orders">
        {(explained) => (
          <>
            <p>{countsText(explained)}</p>
            <p className="quiet">
              All orders that are not closed, in the order in which a lead is offered to them, as of{" "}
              <Time at={explained.as_of} />:
            </p>
            <TriedOrders orders={explained.orders} shown={id} leads={explained.leads} />
          </>
        )}
      </QueryResult>
    </section>
  );
}

/** Whether it gets leads now, and if not why. */
export function verdict({ order, leads, waiting, orders }: ExplainedOrder, id: string): string {
  if (order.status !== "open") return `It gets no leads because it is ${order.status}.`;
  if (order.takes_turns) return "It gets leads, in turn with other orders.";
  if (order.gets_leads) return "It gets leads.";
  const mine = orders.find(({ order_id }) => order_id === id);
  if (!mine?.reason?.startsWith("other orders")) return `It gets no leads now because it ${mine?.reason}.`;
  if (leads === 0 || waiting > 0 || mine.got !== 0) return `It gets no leads because ${mine.reason}.`;
  return `It gets no leads because other orders took ${
    leads === 1 ? "the lead" : `all ${countText(leads)} leads`
  } that it wants.`;
}

function countsText({ leads, waiting }: ExplainedOrder): string {
  if (leads === 0) return "No lead that it wants came in the last seven days.";
  const came = leads === 1 ? "1 lead that it wants" : `${leads.toLocaleString("en-US")} leads that it wants`;
  return `${came} came in the last seven days, of which ${waiting.toLocaleString("en-US")} wait for an order.`;
}
