import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import { conversationQueries } from "../data/conversation.ts";
import type { Filter, InboxRow } from "../data/inbox.ts";

/**
 * The rows of a list, with the open one where it was, although its answer has taken it off the list: it stays until it
 * is left. `isOld`: the rows are still those of another filter.
 */
export function useKeptRow(rows: InboxRow[], openId: string | undefined, filter: Filter, isOld: boolean): InboxRow[] {
  const list = JSON.stringify(filter);
  const last = useRef<{ list: string; rows: InboxRow[] }>({ list, rows: [] });
  const { data: open } = useQuery(conversationQueries.detail(openId ?? ""));
  const shown = useMemo(() => {
    // A row that needs no reply, or not yet, is meant to go.
    const isDone = open?.is_due === false && filter.view === "waiting" &&
      (open.last_sender === "recruit" || open.snoozed_until !== null);
    if (!open || open.id !== openId || isDone || last.current.list !== list) return rows;
    return keepRow(rows, last.current.rows, open);
  }, [rows, open, openId, list]);
  useEffect(() => {
    if (!isOld) last.current = { list, rows: shown };
  }, [shown, list, isOld]);
  return shown;
}

/** The rows with one that was among them before, and is below the same row as then. */
export function keepRow<Row extends { id: string }>(rows: Row[], before: Row[], kept: Row): Row[] {
  const place = before.findIndex(({ id }) => id === kept.id);
  if (place === -1 || rows.some(({ id }) => id === kept.id)) return rows;
  const places = new Map(rows.map(({ id }, place) => [id, place]));
  const above = before.slice(0, place).findLast(({ id }) => places.has(id));
  return rows.toSpliced(above === undefined ? 0 : places.get(above.id)! + 1, 0, kept);
}
