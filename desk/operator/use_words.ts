import { useQuery } from "@tanstack/react-query";
import { operatorQueries } from "../data/operator.ts";
import { operatorOrderQueries } from "../data/operator_orders.ts";
import { usePages } from "../data/pages.ts";
import { phoneText } from "../ui/phone.ts";
import { titleOf } from "./trouble_words.ts";
import type { Trouble } from "./troubles.ts";
import { causeTitle } from "./unsent_texts.tsx";
import { useVendorName, useWanted } from "./vendor_name.tsx";

/** Gives each trouble the words that have to be read for it: its cause or person, and what an order wants. */
export function useWords(troubles: Trouble[] = []): Trouble[] {
  const { data: waiting } = usePages(operatorQueries.waitingRecruits());
  const { data: causes = [] } = useQuery(operatorQueries.unsentCauses());
  const { data: reasons } = usePages(operatorQueries.reasons({ vendor: null, code: null, words: null }));
  const orders = useOrdersOf(troubles);
  const nameOf = useVendorName();
  const wanted = useWanted();

  function becauseOf({ kind, subject }: Trouble): string | undefined {
    if (kind === "recruit_waiting") {
      const found = waiting?.find(({ conversation_id }) => conversation_id === subject);
      return found && `${found.recruit ?? phoneText(found.phone)} waits for ${found.agent ?? "the managers"}`;
    }
    // The cause is that of a number only where it is the only one.
    if (kind === "texts_held") return causes.length === 1 ? causeTitle(causes[0]!) : undefined;
    if (kind === "deliveries_rejected") return reasons?.find(({ vendor }) => vendor === subject)?.reason;
  }

  return troubles.map((trouble) => {
    const because = becauseOf(trouble);
    const order = orders.get(trouble.subject);
    return {
      ...trouble,
      ...because !== undefined && { title: titleOf(trouble, nameOf, because) },
      ...order && { name: `${order.agency}: ${wanted(order)}` },
    };
  });
}

/** The orders that troubles are about, by their ids. */
export function useOrdersOf(troubles: Trouble[]) {
  const ids = troubles.filter(({ kind }) => kind.startsWith("order_")).map(({ subject }) => subject).toSorted();
  const { data = [] } = useQuery(operatorOrderQueries.some(ids));
  return new Map(data.map((order) => [order.id, order]));
}
