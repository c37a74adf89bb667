import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual";
import { memo, useEffect, useRef } from "react";
import { Link } from "wouter";
import type { InboxRow, View } from "../data/inbox.ts";
import type { Agent } from "../data/user.ts";
import { Avatar } from "../ui/avatar.tsx";
import { ConsentBadge } from "../ui/consent.tsx";
import { countOf } from "../ui/count.ts";
import { latenessOf } from "../ui/lateness.ts";
import { phoneText } from "../ui/phone.ts";
import type { useSelection } from "../ui/selection.ts";
import { ago, timeText, useMinute } from "../ui/time.tsx";
import { hrefOf } from "./address.ts";

/** The height of a row in pixels before it is measured, and how many are rendered above and below those that show. */
const [HEIGHT, BEYOND] = [56, 10];

/**
 * The rows of the list. Only those near the part that shows are rendered, with the open one and the one that has the
 * focus. A screen reader hears the place of each among all.
 */
export function ConversationRows({ rows, hasMore, agent, view, openId, boxOf }: {
  rows: InboxRow[];
  hasMore: boolean;
  agent: Agent;
  view: View;
  openId: string | undefined;
  /** The box that selects a row; without it none can be. */
  boxOf: ReturnType<typeof useSelection>["boxOf"] | undefined;
}) {
  const list = useRef<HTMLUListElement>(null);
  const minute = useMinute();
  const open = rows.findIndex(({ id }) => id === openId);
  const scroller = useRef<Element>(null);

  const { getVirtualItems, getTotalSize, measureElement, options, scrollToIndex } = useVirtualizer({
    count: rows.length,
    getItemKey: (place) => rows[place]!.id,
    estimateSize: () => HEIGHT,
    getScrollElement: () => scroller.current = list.current && scrollerOf(list.current),
    scrollMargin: marginOf(list.current, scroller.current),
    rangeExtractor: (range) => [...placesOf(range, [open, focusedPlace(list.current)])],
    overscan: BEYOND,
  });

  useEffect(() => {
    if (open !== -1) scrollToIndex(open, { align: "auto" });
    // Not when the row moves: the user may have scrolled away.
  }, [openId, open === -1]);

  return (
    <ul className={boxOf ? "rows is-selecting" : "rows"} ref={list} style={{ height: getTotalSize() }}>
      {getVirtualItems().map(({ index, key, start }) => (
        <li
          key={key}
          ref={measureElement}
          data-index={index}
          style={{ top: start - options.scrollMargin }}
          aria-posinset={index + 1}
          aria-setsize={hasMore ? -1 : rows.length}
        >
          {boxOf && (
            <input
              aria-label={`Select ${rows[index]!.name || phoneText(rows[index]!.recruit_phone)}`}
              {...boxOf(rows[index]!.id)}
            />
          )}
          <ConversationRow
            row={rows[index]!}
            agent={agent}
            view={view}
            isOpen={index === open}
            minute={minute}
          />
        </li>
      ))}
    </ul>
  );
}

/** The element that scrolls the list: it is another one where the window is low. */
function scrollerOf(list: Element): Element {
  let element = list.parentElement!;
  while (element.parentElement !== null && !/auto|scroll/.test(getComputedStyle(element).overflowY)) {
    element = element.parentElement;
  }
  return element;
}

/** The distance from the beginning of what is scrolled to the list, in pixels. */
function marginOf(list: Element | null, scroller: Element | null): number {
  if (list === null || scroller === null) return 0;
  return Math.round(list.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop);
}

/** The place of the row that has the focus; -1: none has it. */
function focusedPlace(list: Element | null): number {
  const row = document.activeElement?.closest<HTMLElement>("[data-index]");
  return row && list?.contains(row) ? Number(row.dataset.index) : -1;
}

/** The places that are rendered, in their order: a range, and single ones wherever they are. */
function placesOf(range: Range, single: number[]): number[] {
  const places = new Set(defaultRangeExtractor(range));
  for (const place of single) if (place >= 0 && place < range.count) places.add(place);
  return [...places].sort((one, other) => one - other);
}

/** Rendered again each minute, and when it has changed: a list may have thousands. */
const ConversationRow = memo(function ConversationRow(
  { row, agent, view, isOpen }: {
    row: InboxRow;
    agent: Agent;
    view: View;
    isOpen: boolean;
    minute: number;
  },
) {
  const isQueue = view === "waiting";
  const since = isQueue ? row.due_since ?? row.last_text_at : row.last_text_at;
  const urgent = urgentSince(row);
  const isMissing = agent.role === "manager" && row.agent_id === null;
  return (
    <Link href={hrefOf(view, row.id)} className={row.is_unread ? "is-unread" : ""} aria-current={isOpen || undefined}>
      <span className={urgent === null ? "name" : "name is-waiting"}>
        <bdi>{row.name || phoneText(row.recruit_phone)}</bdi>
        {row.is_unread && <span className="visually-hidden">, unread</span>}
      </span>
      <Since
        since={isQueue ? since : urgent ?? since}
        waits={isQueue ? row.waiting_since !== null : urgent !== null}
        urgentSince={urgent}
      />
      <span className="last quiet" dir="auto">{lastText(row, agent)}</span>
      <span className="badges">
        {row.snoozed_until !== null && (
          <span className="badge">{row.is_due ? "Snoozed until now" : `Until ${timeText(row.snoozed_until)}`}</span>
        )}
        {row.is_failed && <span className="badge is-bad">Not delivered</span>}
        {row.is_held && <span className="badge">Held</span>}
        {row.is_opted_out && <ConsentBadge consent="opted_out" />}
        {isMissing && <span className="badge">No agent</span>}
        {agent.role === "manager" && row.agent_id !== null &&
          <Avatar id={row.agent_id} name={row.agent ?? "Another agent"} />}
      </span>
    </Link>
  );
});

/** Since when a recruit waits in vain; null: none does now. */
function urgentSince({ waiting_since, is_due, snoozed_until }: InboxRow): string | null {
  return is_due || snoozed_until === null ? waiting_since : null;
}

/** How long ago, in a word, which says by colour and to a screen reader how urgent an answer is. */
function Since({ since, waits, urgentSince }: { since: string; waits: boolean; urgentSince: string | null }) {
  const lateness = urgentSince === null ? "info" : latenessOf(urgentSince);
  const words = ago(lateness === "info" ? since : urgentSince!);
  return (
    <span className={waits || lateness !== "info" ? `since is-${lateness}` : "since"}>
      {waits && <span className="visually-hidden">{words === "now" ? "waits" : "waits for"}</span>}
      {words}
    </span>
  );
}

/** The latest text of a conversation, with who wrote it. */
export function lastText(
  { last_body, last_media, last_sender, last_sent_by, last_author }: InboxRow,
  agent: Agent,
): string {
  if (last_sender === null) return "No text yet";
  const said = last_body || countOf(last_media, "file", "files");
  if (last_sender === "recruit") return said;
  if (last_sender === "bot") return `Bot: ${said}`;
  return `${last_sent_by === agent.id ? "You" : last_author ?? "Agent"}: ${said}`;
}
