import { useQueries } from "@tanstack/react-query";
import { type Filter, inboxQueries, MAX_UNREAD } from "../data/inbox.ts";
import type { Agent } from "../data/user.ts";

/** Offers, in place of an empty list, the next one that has conversations. */
export function NextInbox({ agent, filter, setFilter }: {
  agent: Agent;
  filter: Filter;
  setFilter: (filter: Filter) => void;
}) {
  const others = filtersAfter(filter, agent);
  const counts = useQueries({ queries: others.map((other) => inboxQueries.count(agent, other)) });
  const next = counts.findIndex(({ data = 0 }) => data > 0);
  // One that comes before it may still be read.
  if (next === -1 || counts.slice(0, next).some(({ data }) => data === undefined)) return null;
  const [other, count] = [others[next]!, counts[next]!.data!];
  return (
    <button type="button" onClick={() => setFilter(other)}>
      {labelOf(other, agent)} ({count > MAX_UNREAD ? `${MAX_UNREAD}+` : count})
    </button>
  );
}

/** The filters that may have rows where this one has none, the most urgent first. */
function filtersAfter(filter: Filter, { role }: Agent): Filter[] {
  const everyone = { ...filter, isUnread: false, agentId: null };
  const candidates: Filter[] = [
    { ...filter, isUnread: false },
    ...(role === "manager" ? [{ ...everyone, order: "waiting" } as const] : []),
    { ...filter, isUnread: false, order: "newest" },
    { ...everyone, order: "newest" },
  ];
  return [...new Map(candidates.map((other) => [JSON.stringify(other), other])).values()]
    .filter((other) => JSON.stringify(other) !== JSON.stringify(filter));
}

function labelOf({ order, agentId }: Filter, { id, role }: Agent): string {
  const words = order === "waiting" ? "Show who waits" : "Show all conversations";
  if (role !== "manager") return words;
  return agentId === null ? `${words}, everyone's` : agentId === id ? `${words}, mine` : `${words} of this agent`;
}
