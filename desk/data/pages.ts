import { type InfiniteData, keepPreviousData, type QueryKey, useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { queryClient } from "./queries.ts";
import { type Order, type Page, place, rowsOf, share } from "./rows.ts";

/** How many rows the first page of a list has, and the largest: the service returns at most 1,000. */
const [PAGE, MOST] = [50, 999];
/** Changes of more rows than this make the whole list worth reading again. */
const MOST_CHANGED = 50;

/**
 * Reads up to `limit` rows of a list: those after `last`, or the first ones; where `ids` are given only those of them
 * that belong to the list.
 */
type Read<Row> = (limit: number, last: Row | null, ids: string[] | null) => Promise<Row[]>;

/** What a list keeps with its rows, so that single ones can be read again. */
interface Single {
  readThese: (ids: string[]) => Promise<unknown[]>;
  order: Order;
}

/**
 * The rows of a list that is read in pages. Each is as large as all before it, so that few requests read a long list
 * again. What was found before stays while something else is looked for.
 *
 * @param order of a list whose single rows can be read again by {@link readRowsAgain}
 */
export function usePages<Row>(queryKey: QueryKey, read: Read<Row>, order?: Order) {
  const single: Single | undefined = order && { readThese: (ids) => read(ids.length, null, ids), order };
  const query = useInfiniteQuery({
    queryKey,
    initialPageParam: { size: PAGE, last: null as Row | null },
    queryFn: async ({ pageParam: { size, last } }): Promise<Page<Row>> => {
      // One more than are shown, which tells whether there are more.
      const rows = await read(size + 1, last, null);
      return { rows: rows.slice(0, size), hasMore: rows.length > size };
    },
    getNextPageParam: ({ rows, hasMore }: Page<Row>, pages: Page<Row>[]) =>
      hasMore ? { size: Math.min(rowsOf(pages).length, MOST), last: rows.at(-1)! } : undefined,
    structuralSharing: (before, now) =>
      share(before as InfiniteData<Page<Row>> | undefined, now as InfiniteData<Page<Row>>),
    meta: { single },
    placeholderData: keepPreviousData,
  });
  const data = useMemo(() => query.data && rowsOf(query.data.pages), [query.data]);

  async function fetchNextPage(): Promise<void> {
    const count = () => queryClient.getQueryData<InfiniteData<Page<Row>>>(queryKey)?.pages.length;
    const before = count();
    // While the list is read again, as after an event, its next page would be dropped.
    for (let tries = 0; tries < 3 && count() === before; tries++) {
      const { isError } = await query.fetchNextPage({ cancelRefetch: false });
      if (isError) return;
    }
  }
  return { ...query, data, fetchNextPage };
}

/**
 * Reads single rows again, in each list that is shown and whose key begins so. Another list is read when it is shown.
 */
export async function readRowsAgain(queryKey: QueryKey, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  if (ids.length > MOST_CHANGED) return await queryClient.invalidateQueries({ queryKey });
  await queryClient.invalidateQueries({ queryKey, type: "inactive", refetchType: "none" });
  const lists = queryClient.getQueryCache().findAll({ queryKey, type: "active" });
  await Promise.all(lists.map((list) => readRowsOf(list.queryKey, ids)));
}

async function readRowsOf(queryKey: QueryKey, ids: string[]): Promise<void> {
  const list = queryClient.getQueryCache().find<InfiniteData<Page<unknown>>>({ queryKey })!;
  const { readThese, order } = list.meta!.single as Single;
  let rows: unknown[] = [];
  try {
    do {
      // What is being read may be from before the change, and would replace the rows.
      await list.promise?.catch(() => {});
      rows = await readThese(ids);
    } while (list.state.fetchStatus === "fetching");
  } catch {
    return await queryClient.invalidateQueries({ queryKey });
  }
  const { data } = list.state;
  if (data === undefined) return;
  const pages = place(data.pages, ids, rows, order);
  if (rowsOf(pages).length === 0 && pages.at(-1)!.hasMore) return await queryClient.invalidateQueries({ queryKey });
  queryClient.setQueryData(queryKey, { ...data, pages });
}

/** A query whose rows can be narrowed and ordered. */
interface Narrowed<Query> {
  gte(column: string, value: string): Query;
  lte(column: string, value: string): Query;
  or(filters: string): Query;
  order(column: string, options: { ascending: boolean }): Query;
}

/** Orders a list by a column and the id, newest first unless ascending, and narrows it to the rows after `last`. */
export function after<Query extends Narrowed<Query>, Column extends string = "created_at">(
  query: Query,
  last: { id: string } & Record<NoInfer<Column>, string | null> | null,
  column = "created_at" as Column,
  ascending = false,
): Query {
  const ordered = query.order(column, { ascending }).order("id", { ascending });
  if (last === null) return ordered;
  const value = last[column]!;
  const beyond = ascending ? "gt" : "lt";
  // The index is entered by the first condition alone.
  return (ascending ? ordered.gte(column, value) : ordered.lte(column, value))
    .or(`${column}.${beyond}."${value.replace(/["\\]/g, "\\$&")}",id.${beyond}.${last.id}`);
}

/**
 * Narrows a list to what the user looks for: each word is part of a name, and a number is the end of a phone number.
 */
export function search<Query extends Narrowed<Query>>(
  query: Query,
  typed: string,
  { names, phones }: { names: string[]; phones: string[] },
): Query {
  const digits = typed.replace(/[\s().+-]/g, "");
  if (/^\d+$/.test(digits)) return query.or(phones.map((column) => `${column}.like.*${digits}`).join());
  for (const word of typed.split(/\s+/).filter(Boolean)) {
    // PostgREST reads `*` as `%`, and cannot be told otherwise; `_` is any one character.
    const pattern = `*${word.replace(/[\\%_]/g, "\\$&").replaceAll("*", "_")}*`;
    const quoted = `"${pattern.replace(/["\\]/g, "\\$&")}"`;
    query = query.or(names.map((column) => `${column}.ilike.${quoted}`).join());
  }
  return query;
}

/** Whether a part of an address can be an id. The database refuses what cannot. */
export function isId(part: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(part);
}
