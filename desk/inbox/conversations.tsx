import { useQuery } from "@tanstack/react-query";
import ChevronDown from "lucide-react/icons/chevron-down";
import Funnel from "lucide-react/icons/funnel";
import Keyboard from "lucide-react/icons/keyboard";
import ListChecks from "lucide-react/icons/list-checks";
import TextSearch from "lucide-react/icons/text-search";
import X from "lucide-react/icons/x";
import { Fragment, type ReactNode, Suspense, useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Link, useLocation } from "wouter";
import { agentQueries } from "../data/agents.ts";
import { type Filter, inboxQueries, type InboxRow, type View, viewsOf } from "../data/inbox.ts";
import { usePages } from "../data/pages.ts";
import type { Agent } from "../data/user.ts";
import { IconButton } from "../ui/icon_button.tsx";
import { part } from "../ui/part.tsx";
import { cappedText } from "../ui/count.ts";
import { Menu } from "../ui/menu.tsx";
import { LoadMoreButton } from "../ui/load_more_button.tsx";
import { useDebounced } from "../ui/search.tsx";
import { useSelection } from "../ui/selection.ts";
import { EmptyState, QueryResult, Skeleton } from "../ui/query_result.tsx";
import { ConversationRows } from "./conversation_rows.tsx";
import { hrefOf } from "./address.ts";
import { useKeptRow } from "./kept_row.ts";
import { useKeys } from "./keys.ts";
import { useKeysHelp } from "./keys_help.tsx";
import { WaitingTexts } from "./waiting_texts.tsx";

// For managers alone.
const AssignMany = part("Select several", async () => (await import("./assign_many.tsx")).AssignMany);

interface Filtered {
  agent: Agent;
  filter: Filter;
  setFilter: (filter: Omit<Filter, "view">) => void;
  openId: string | undefined;
}

const SEARCHED = "Name, phone, e-mail or words";

const NAMES: Record<View, string> = {
  waiting: "Waiting",
  bot: "Bot",
  failed: "Failed",
  held: "Held",
  all: "All",
  mine: "Mine",
  nobody: "Nobody’s",
};

/** The parts that always show. */
const OFTEN: View[] = ["waiting", "failed", "all"];

/** The list of conversations, with what chooses them. */
export function Conversations({ shownId, ...filtered }: Filtered & {
  /** The conversation beside the list: the open one, or what stands there in its place. */
  shownId: string | undefined;
}) {
  const { agent, filter, openId } = filtered;
  const [, navigate] = useLocation();
  const debounced = { ...filter, typed: useDebounced(filter.typed) };
  const query = usePages(inboxQueries.list(agent, debounced));
  const kept = useKeptRow(query.data ?? [], openId, debounced, query.isPlaceholderData);
  const search = useRef<HTMLInputElement>(null);
  const [isSearching, setSearching] = useState(filter.typed !== "");
  const rows = distinct(kept);
  const [isSelecting, setSelecting] = useState(false);
  const ids = rows.map(({ id }) => id);
  const { selected, setSelected, boxOf } = useSelection(ids);

  function endSelection(): void {
    setSelecting(false);
    setSelected(new Set());
  }

  function go(steps: number): void {
    const place = rows.findIndex(({ id }) => id === openId);
    const row = place === -1 ? rows[0] : rows[place + steps];
    if (row !== undefined) navigate(hrefOf(filter.view, row.id));
  }
  useKeys(agent.id, {
    j: () => go(1),
    k: () => go(-1),
    "/": openSearch,
  });

  function openSearch(): void {
    // The next letter that the user types goes into the field.
    flushSync(() => setSearching(true));
    search.current!.focus();
  }

  function closeSearch(): void {
    setSearching(false);
    filtered.setFilter({ ...filter, typed: "" });
  }

  return (
    <section className="conversations" aria-label="Conversations">
      {isSearching
        ? (
          <div className="filters" role="search">
            <input
              ref={search}
              type="search"
              aria-label={SEARCHED}
              placeholder={SEARCHED}
              value={filter.typed}
              onChange={({ currentTarget }) => filtered.setFilter({ ...filter, typed: currentTarget.value })}
              onKeyDown={({ key }) => {
                if (key === "Escape") closeSearch();
              }}
            />
            <IconButton icon={X} label="End the search" onClick={closeSearch} />
          </div>
        )
        : (
          <div className="filters">
            <Views {...filtered} />
            <IconButton icon={TextSearch} label={SEARCHED} keys="/" onClick={openSearch} />
            <MoreFilters {...filtered} isSelecting={isSelecting} select={() => setSelecting(true)} />
          </div>
        )}
      {isSelecting
        ? (
          <Suspense>
            <AssignMany agent={agent} ids={ids} selected={selected} setSelected={setSelected} onEnd={endSelection} />
          </Suspense>
        )
        : <WaitingTexts agent={agent} />}
      <div className="list" aria-busy={query.isPlaceholderData}>
        <QueryResult query={query} resource="conversations" skeleton={<Skeleton rows={8} />}>
          {() =>
            kept.length === 0 ? query.isPlaceholderData ? <Skeleton rows={8} /> : <NoConversations {...filtered} /> : (
              <>
                <ConversationRows
                  rows={rows}
                  hasMore={query.hasNextPage}
                  agent={agent}
                  view={filter.view}
                  openId={shownId}
                  boxOf={isSelecting ? boxOf : undefined}
                />
                <LoadMoreButton query={query} />
              </>
            )}
        </QueryResult>
      </div>
    </section>
  );
}

/** The parts of the inbox, with the number of conversations in each. A menu has those that are seldom needed. */
function Views({ agent, filter, setFilter, openId }: Filtered) {
  const [, navigate] = useLocation();
  const { data: counts } = useQuery(inboxQueries.counts(agent));
  const others = viewsOf(agent).filter((view) => !OFTEN.includes(view));
  const isOther = others.includes(filter.view);

  function nameOf(view: View): string {
    const count = view === "all" ? 0 : counts?.[view] ?? 0;
    return count === 0 ? NAMES[view] : `${NAMES[view]} ${cappedText(count)}`;
  }

  function open(view: View): void {
    setFilter({ ...filter, typed: "" });
    navigate(hrefOf(view, openId));
  }

  return (
    <div className="views" role="group" aria-label="Which conversations">
      {OFTEN.map((view) => (
        <button
          key={view}
          type="button"
          className="plain"
          aria-pressed={filter.view === view}
          onClick={() => open(view)}
        >
          {nameOf(view)}
        </button>
      ))}
      <Menu
        label={isOther ? nameOf(filter.view) : "More"}
        icon={ChevronDown}
        isNamed
        className={isOther ? "plain is-on" : "plain"}
        items={others.map((view) => ({ label: nameOf(view), run: () => open(view) }))}
      />
    </div>
  );
}

/** What chooses further, and is seldom needed. A dot says that something is left out. */
function MoreFilters({ agent, filter, setFilter, isSelecting, select }: Filtered & {
  isSelecting: boolean;
  select: () => void;
}) {
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const keys = useKeysHelp(agent);
  const isNarrow = filter.isUnread || filter.agentId !== null;
  return (
    <>
      <IconButton
        icon={Funnel}
        label={isNarrow ? "Filters, some are on" : "Filters"}
        className={isNarrow ? "is-on" : ""}
        popoverTarget={id}
      />
      <div id={id} ref={menu} popover="auto" className="menu is-form">
        {agent.role === "manager" && <AgentFilter agent={agent} filter={filter} setFilter={setFilter} />}
        <label className="check">
          <input
            type="checkbox"
            checked={filter.isUnread}
            onChange={(event) => setFilter({ ...filter, isUnread: event.target.checked })}
          />
          Unread only
        </label>
        {agent.role === "manager" && !isSelecting && (
          <button
            type="button"
            className="plain"
            onClick={() => {
              menu.current!.hidePopover();
              select();
            }}
          >
            <ListChecks size={16} /> Select several
          </button>
        )}
        <button
          type="button"
          className="plain keys"
          onClick={() => {
            menu.current!.hidePopover();
            keys.open();
          }}
        >
          <Keyboard size={16} /> Keys
        </button>
      </div>
      {keys.dialog}
    </>
  );
}

function AgentFilter({ agent, filter, setFilter }: Omit<Filtered, "openId">) {
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

/** The reason why the list is empty, and where there are conversations. */
function NoConversations({ agent, filter, setFilter }: Filtered): ReactNode {
  if (filter.typed.trim() !== "") {
    if (filter.isUnread || filter.agentId !== null) {
      return (
        <EmptyState title="Nothing found.">
          Only {filter.isUnread ? "unread conversations" : "the conversations of one agent"} were searched.{" "}
          <button
            type="button"
            className="link"
            onClick={() => setFilter({ ...filter, isUnread: false, agentId: null })}
          >
            Search all
          </button>
        </EmptyState>
      );
    }
    return (
      <EmptyState title="Nothing found.">
        Search for a part of the name, the number or the e-mail address, or for words of a text of the last 90 days.
      </EmptyState>
    );
  }
  const others = filter.agentId === null
    ? <OtherViews agent={agent} view={filter.view} />
    : (
      <button type="button" className="link" onClick={() => setFilter({ ...filter, agentId: null })}>
        See everyone’s
      </button>
    );
  if (filter.isUnread) return <EmptyState title="Nothing is unread.">{others}</EmptyState>;
  if (filter.agentId !== null && filter.agentId !== agent.id && filter.view === "all") {
    return <EmptyState title="This agent has no conversations.">{others}</EmptyState>;
  }
  const titles: Partial<Record<View, string>> = {
    waiting: "Nobody waits for an answer.",
    all: "There are no conversations yet.",
  };
  return (
    <EmptyState title={titles[filter.view] ?? "There are no conversations here."}>
      {others}
    </EmptyState>
  );
}

/** The other parts of the inbox that have conversations, and how many. */
function OtherViews({ agent, view }: { agent: Agent; view: View }) {
  const { data: counts } = useQuery(inboxQueries.counts(agent));
  if (counts === undefined) return null;
  const filled = viewsOf(agent).flatMap((other) => {
    const count = counts[other];
    return other === view || count === 0 ? [] : [{ other, count }];
  });
  if (filled.length === 0) {
    return (
      <>
        A conversation begins when you text a recruit. <Link href="/recruits">See the recruits</Link>
      </>
    );
  }
  return (
    <>
      {"See "}
      {filled.map(({ other, count }, place) => (
        <Fragment key={other}>
          {place > 0 && ", "}
          <Link href={hrefOf(other)}>{NAMES[other]} ({cappedText(count)})</Link>
        </Fragment>
      ))}
    </>
  );
}
