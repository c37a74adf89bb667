import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  type QueryKey,
  useInfiniteQuery,
} from "@tanstack/react-query";
import { useMemo } from "react";
import { queryClient } from "./queries.ts";
import { type Order, type Page, placeRows, rowsOf, shareRows } from "./rows.ts";

/** The number of rows of the first page of a list, and of the largest: the service returns at most 1,000. */
const [PAGE, MOST] = [50, 999];

/**
 * Reads up to `limit` rows of a list: those after `last`, or the first ones; where `ids` are given only those of them
 * that belong to the list.
 */
type Read<Row> = (limit: number, last: Row | null, ids: string[] | null) => Promise<Row[]>;

/** How single rows of a list are read and changed (changes.ts). */
export interface SingleRows<Row> {
  order: Order;
  /** Whether a row belongs to the list; missing: every row that is read for it does. */
  isInList?: (row: Row) => boolean;
  /** Reads rows by their ids, once for all queries with this function; missing: the list is asked with its filter. */
  readThese?: (ids: string[]) => Promise<Row[]>;
}

/** The rows of a list as the cache has them. */
export type Pages<Row> = InfiniteData<Page<Row>, { size: number; last: Row | null }>;

/** The part of a list's `meta` by which its rows are changed. */
export type ListMeta<Row> = Pick<SingleRows<Row>, "order" | "isInList">;

/** The part of a query's `meta` by which single rows of its data are read again. */
export interface RowsMeta<Row, Data> {
  /** Queries with the same function share what it reads. */
  readThese: (ids: string[]) => Promise<Row[]>;
  /**
   * Returns the data with the rows that were read for these ids, and without an id that has no row any more. Undefined:
   * the whole query has to be read again.
   */
  place: (data: Data, ids: string[], rows: Row[]) => Data | undefined;
}

/**
 * The options of a list that is read in pages. Each is as large as all before it, so that few requests read a long list
 * again. The rows found before stay while something else is looked for.
 *
 * @param single of a list whose single rows can be read again, and changed
 */
export function pagesOptions<Row>(queryKey: QueryKey, read: Read<Row>, single?: SingleRows<Row>) {
  return infiniteQueryOptions({
    queryKey,
    initialPageParam: { size: PAGE, last: null as Row | null },
    queryFn: async ({ pageParam: { size, last } }): Promise<Page<Row>> => {
      // One more than are shown, which tells whether there are more.
      const rows = await read(size + 1, last, null);
      return { rows: rows.slice(0, size), hasMore: rows.length > size };
    },
    getNextPageParam: ({ rows, hasMore }: Page<Row>, pages: Page<Row>[]) =>
      hasMore ? { size: Math.min(rowsOf(pages).length, MOST), last: rows.at(-1)! } : undefined,
    structuralSharing: (before, now) => shareRows(before as Pages<Row> | undefined, now as Pages<Row>),
    meta: single && metaOf(single, read),
    placeholderData: keepPreviousData,
  });
}

function metaOf<Row>({ order, isInList = () => true, readThese }: SingleRows<Row>, read: Read<Row>) {
  const rows: RowsMeta<Row, Pages<Row>> = {
    readThese: readThese ?? ((ids) => read(ids.length, null, ids)),
    place(data, ids, rows) {
      const pages = placeRows(data.pages, ids, rows.filter(isInList), order);
      return rowsOf(pages).length === 0 && pages.at(-1)!.hasMore ? undefined : { ...data, pages };
    },
  };
  return { list: { order, isInList } satisfies ListMeta<Row>, rows };
}

/** The properties that render a list again when they change. Others, such as isFetching, change with each event. */
const SHOWN = [
  "data",
  "error",
  "hasNextPage",
  "isPending",
  "isLoading",
  "isPlaceholderData",
  "isFetchingNextPage",
  "isFetchNextPageError",
] as const;

/** The rows of a list, with what reads its next page. */
export function usePages<Row>(options: ReturnType<typeof pagesOptions<Row>>) {
  const query = useInfiniteQuery({ ...options, notifyOnChangeProps: [...SHOWN] });
  const data = useMemo(() => query.data && rowsOf(query.data.pages), [query.data]);

  async function fetchNextPage(): Promise<void> {
    const count = () => queryClient.getQueryData<Pages<Row>>(options.queryKey)?.pages.length;
    const before = count();
    // While the list is read again, as after an event, its next page would be dropped.
    for (let tries = 0; tries < 3 && count() === before; tries++) {
      const { isError } = await query.fetchNextPage({ cancelRefetch: false });
      if (isError) return;
    }
  }
  const shown: Pick<typeof query, typeof SHOWN[number] | "refetch"> = query;
  return { ...shown, data, fetchNextPage };
}

/** A query whose rows can be narrowed and ordered. */
interface Narrowed<Query> {
  gte(column: string, value: string): Query;
  lte(column: string, value: string): Query;
  or(filters: string): Query;
  order(column: string, options: { ascending: boolean }): Query;
}

/** Orders a list by a column and the id, newest first unless ascending, and narrows it to the rows after `last`. */
export function after<Query extends Narrowed<Query>, Column extends string = "created_at", Id extends string = "id">(
  query: Query,
  last: Record<NoInfer<Id>, string> & Record<NoInfer<Column>, string | number | null> | null,
  column = "created_at" as Column,
  ascending = false,
  id = "id" as Id,
): Query {
  const ordered = query.order(column, { ascending }).order(id, { ascending });
  if (last === null) return ordered;
  const value = String(last[column]);
  const beyond = ascending ? "gt" : "lt";
  // The index is entered by the first condition alone.
  return (ascending ? ordered.gte(column, value) : ordered.lte(column, value))
    .or(`${column}.${beyond}."${value.replace(/["\\]/g, "\\$&")}",${id}.${beyond}.${last[id]}`);
}

/**
 * Narrows a list to what the user looks for: each word is part of a name. Where there are phone numbers, a number is the
 * end of one.
 */
export function search<Query extends Narrowed<Query>>(
  query: Query,
  typed: string,
  { names, phones = [] }: { names: string[]; phones?: string[] },
): Query {
  const digits = typed.replace(/[\s().+-]/g, "");
  if (phones.length > 0 && /^\d+$/.test(digits)) {
    return query.or(phones.map((column) => `${column}.like.*${digits}`).join());
  }
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
