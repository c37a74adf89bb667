import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { agentQueries } from "../data/agents.ts";
import { type Filter, inboxQueries, type InboxRow } from "../data/inbox.ts";
import { usePages } from "../data/pages.ts";
import type { Agent } from "../data/user.ts";
import { LoadMoreButton } from "../ui/load_more_button.tsx";
import { Search, useDebounced } from "../ui/search.tsx";
import { EmptyState, QueryResult, Skeleton } from "../ui/states.tsx";
import { ConversationRows } from "./conversation_rows.tsx";
import { useKeptRow } from "./kept_row.ts";
import { NextInbox } from "./next_inbox.tsx";
import { WaitingTexts } from "./waiting_texts.tsx";

interface Filtered {
  agent: Agent;
  filter: Filter;
  setFilter: (filter: Filter) => void;
}

/** The list of conversations, with what chooses them. */
export function Conversations({ openId, ...filtered }: Filtered & { openId: string | undefined }) {
  const { agent, filter } = filtered;
  const debounced = { ...filter, typed: useDebounced(filter.typed) };
  const query = usePages(inboxQueries.list(agent, debounced));
  const kept = useKeptRow(query.data ?? [], openId, debounced, query.isPlaceholderData);
  return (
    <section className="conversations" aria-label="Conversations">
      <Filters {...filtered} />
      <WaitingTexts agent={agent} />
      <div className="list" aria-busy={query.isPlaceholderData}>
        <QueryResult query={query} resource="conversations" skeleton={<Skeleton rows={8} />}>
          {() =>
            kept.length === 0 ? query.isPlaceholderData ? <Skeleton rows={8} /> : <NoConversations {...filtered} /> : (
              <>
                <ConversationRows
                  rows={distinct(kept)}
                  hasMore={query.hasNextPage}
                  agent={agent}
                  order={filter.order}
                  openId={openId}
                />
                <LoadMoreButton query={query} />
              </>
            )}
        </QueryResult>
      </div>
    </section>
  );
}

function Filters({ agent, filter, setFilter }: Filtered) {
  return (
    <div className="filters" role="search">
      <div className="buttons" role="group" aria-label="Which conversations">
        {(["waiting", "newest"] as const).map((order) => (
          <button
            key={order}
            type="button"
            aria-pressed={filter.order === order}
            onClick={() => setFilter({ ...filter, order })}
          >
            {order === "waiting" ? "Waiting" : "Newest"}
          </button>
        ))}
        <label className="check">
          <input
            type="checkbox"
            checked={filter.isUnread}
            onChange={(event) => setFilter({ ...filter, isUnread: event.target.checked })}
          />
          Unread only
        </label>
      </div>
      <Search value={filter.typed} onChange={(typed) => setFilter({ ...filter, typed })} />
      {agent.role === "manager" && <AgentFilter agent={agent} filter={filter} setFilter={setFilter} />}
    </div>
  );
}

function AgentFilter({ agent, filter, setFilter }: Filtered) {
  const { data: agents = [] } = useQuery(agentQueries.active(agent.agency_id));
  return (
    <select
      aria-label="Whose conversations"
      value={filter.agentId ?? ""}
      onChange={(event) => setFilter({ ...filter, agentId: event.target.value || null })}
    >
      <option value="">Everyone</option>
      <option value={agent.id}>Mine</option>
      {agents.filter(({ id }) => id !== agent.id).map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
    </select>
  );
}

/** A row that has moved to a later page meanwhile stands once. */
function distinct(rows: InboxRow[]): InboxRow[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}

/** The reason why the list is empty, and what to do. */
function NoConversations({ agent, filter, setFilter }: Filtered): ReactNode {
  if (filter.typed.trim() !== "") {
    return (
      <EmptyState title="Nothing found.">
        Search for a part of the name, or for the last digits of the number.
      </EmptyState>
    );
  }
  const next = <NextInbox agent={agent} filter={filter} setFilter={setFilter} />;
  if (filter.isUnread) return <EmptyState title="Nothing is unread.">{next}</EmptyState>;
  if (filter.order === "waiting") return <EmptyState title="Nobody waits for an answer.">{next}</EmptyState>;
  if (filter.agentId !== null && filter.agentId !== agent.id) {
    return <EmptyState title="This agent has no conversations.">{next}</EmptyState>;
  }
  return (
    <EmptyState title="There are no conversations yet.">
      One begins when you text a recruit. <Link href="/recruits">See the recruits</Link>
    </EmptyState>
  );
}
