import { useQuery } from "@tanstack/react-query";
import { mappingQueries } from "../data/mapping.ts";
import { operatorQueries } from "../data/operator.ts";
import { operatorOrderQueries, type Order } from "../data/operator_orders.ts";
import { usePages } from "../data/pages.ts";
import { phoneText } from "../ui/phone.ts";
import { titleOf } from "./trouble_words.ts";
import type { Trouble } from "./troubles.ts";
import { causeTitle } from "./unsent_texts.tsx";
import { useVendorName, useWanted } from "./vendor_name.tsx";

/** A trouble with its cause or person, and the order that it is about. */
export type Explained = Trouble & { order?: Order };

/** Gives each trouble the words that have to be read for it. Undefined until these and what the next steps need are read. */
export function useWords(troubles: Trouble[] = []): Explained[] | undefined {
  const has = (kind: string) => troubles.some((trouble) => trouble.kind.startsWith(kind));
  const ids = troubles.filter(({ kind }) => kind.startsWith("order_")).map(({ subject }) => subject).toSorted();
  const recruits = usePages(operatorQueries.waitingRecruits());
  const causes = useQuery(operatorQueries.unsentCauses());
  const reasons = usePages(operatorQueries.reasons({ vendor: null, code: null, words: null }));
  const orders = useQuery(operatorOrderQueries.some(ids));
  const others = [
    useQuery(operatorQueries.vendorNames()),
    useQuery({ ...operatorQueries.wantedLeads(), enabled: has("leads_waiting") }),
    useQuery({ ...mappingQueries.vendors(), enabled: has("deliveries_") }),
  ];
  const nameOf = useVendorName();
  const wanted = useWanted();

  function becauseOf({ kind, subject }: Trouble): string | undefined {
    if (kind === "recruit_waiting") {
      const found = recruits.data?.find(({ conversation_id }) => conversation_id === subject);
      return found && `${found.recruit ?? phoneText(found.phone)} waits for ${found.agent ?? "the managers"}`;
    }
    // The cause is that of a number only where it is the only one.
    if (kind === "texts_held") return causes.data?.length === 1 ? causeTitle(causes.data[0]!) : undefined;
    if (kind === "deliveries_rejected") return reasons.data?.find(({ vendor }) => vendor === subject)?.reason;
  }

  if ([recruits, causes, reasons, orders, ...others].some(({ isLoading }) => isLoading)) return undefined;
  return troubles.map((trouble) => {
    const because = becauseOf(trouble);
    const order = orders.data?.find(({ id }) => id === trouble.subject);
    return {
      ...trouble,
      ...because !== undefined && { title: titleOf(trouble, nameOf, because) },
      ...order && { order, name: `${order.agency}: ${wanted(order)}` },
    };
  });
}
