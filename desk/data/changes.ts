import type { Query, QueryKey } from "@tanstack/react-query";
import type { ListMeta, Pages, RowsMeta } from "./pages.ts";
import { queryClient } from "./queries.ts";
import { placeRows, rowsOf } from "./rows.ts";

/** Changes of more rows than this make the whole list worth reading again. */
const MOST_CHANGED = 50;

/** Changes and reads of rows are numbered as they begin. */
let begun = 0;
/** The number of the latest change of each row. */
const latestChange = new Map<string, number>();
/** For each query, the number of the latest read of a single row that was placed in it, by the row's id. */
const latestRead = new WeakMap<Query<unknown>, Map<string, number>>();

/** A row of any list. */
interface Row {
  id: string;
}

/**
 * Reads single rows again in each active query whose key begins with one of these. An inactive query is read when it is
 * shown.
 */
export async function readRowsAgain(queryKeys: QueryKey[], ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const isMany = ids.length > MOST_CHANGED;
  const filters = isMany ? {} : { type: "inactive", refetchType: "none" } as const;
  await Promise.all(queryKeys.map((queryKey) => queryClient.invalidateQueries({ queryKey, ...filters })));
  if (isMany) return;
  const shown = queryKeys.flatMap((queryKey) =>
    queryClient.getQueryCache().findAll({ queryKey, type: "active" }) as unknown as Query<unknown>[]
  );
  const those = Map.groupBy(shown, (query) => rowsMetaOf(query).readThese);
  await Promise.all([...those.values()].map((queries) => readRowsOf(queries, ids)));
}

/** Reads single rows once for queries with the same `readThese`. Does not wait for queries that are being fetched. */
async function readRowsOf(queries: Query<unknown>[], ids: string[], before = begun): Promise<void> {
  const isRead = ({ state }: Query<unknown>) => state.fetchStatus === "fetching";
  for (const query of queries.filter(isRead)) {
    // It may be from before the change, and would replace the rows.
    void query.promise!.catch(() => {}).then(() => readRowsOf([query], ids, before));
  }
  const idle = queries.filter((query) => !isRead(query)).map((query) => ({ query, lastRead: query.promise }));
  if (idle.length === 0) return;
  const read = ++begun;
  let rows: Row[];
  try {
    rows = await rowsMetaOf(idle[0]!.query).readThese(ids);
  } catch {
    return void await Promise.all(idle.map(({ query }) => readWhole(query)));
  }
  // What was read of a row that has changed meanwhile may be from before. The change reads it again when it is settled.
  const current = ids.filter((id) => (latestChange.get(id) ?? 0) <= before);
  if (current.length === 0) return;
  // What was read as a whole meanwhile may be newer than the rows, which were asked for before it.
  const isLate = ({ query, lastRead }: typeof idle[number]) => isRead(query) || query.promise !== lastRead;
  const [late, others] = [idle.filter(isLate), idle.filter((one) => !isLate(one))];
  await Promise.all([
    ...others.map(({ query }) => placeIn(query, newestOf(query, current, read), rows)),
    readRowsOf(late.map(({ query }) => query), current, before),
  ]);
}

/** Returns the ids of the rows that no later read has placed in the query. */
function newestOf(query: Query<unknown>, ids: string[], read: number): string[] {
  const latest = latestRead.get(query) ?? new Map<string, number>();
  latestRead.set(query, latest);
  const newest = ids.filter((id) => (latest.get(id) ?? 0) < read);
  for (const id of newest) latest.set(id, read);
  return newest;
}

async function placeIn(query: Query<unknown>, ids: string[], rows: Row[]): Promise<void> {
  if (ids.length === 0 || !isCached(query)) return;
  const { data, isInvalidated } = query.state;
  const isWhole = data === undefined || isInvalidated;
  const placed = isWhole ? undefined : rowsMetaOf(query).place(data, ids, rows.filter(({ id }) => ids.includes(id)));
  if (placed === undefined) await readWhole(query);
  else queryClient.setQueryData(query.queryKey, placed);
}

async function readWhole({ queryKey }: Query<unknown>): Promise<void> {
  await queryClient.invalidateQueries({ queryKey, exact: true });
}

/**
 * Changes a row in each list whose key begins so, before the service has agreed. A row that does not belong to a list
 * any more leaves it.
 *
 * @returns a function that takes the change back
 */
export async function changeRow<Changed extends Row>(
  queryKey: QueryKey,
  id: string,
  change: Partial<Changed>,
): Promise<() => void> {
  latestChange.set(id, ++begun);
  const cut = await cancelReads(queryKey);
  const changed = listsOf(queryKey).flatMap((list) => {
    const before = rowsOf(list.state.data?.pages ?? []).find((row) => row.id === id);
    if (before === undefined) return [];
    const now = { ...before, ...change };
    setRow(list, id, metaOf(list).isInList?.(now) === false ? null : now);
    return [{ list, before }];
  });
  for (const list of cut) list.invalidate();
  return () => {
    for (const { list, before } of changed) setRow(list, id, before);
  };
}

/**
 * Changes the data of one query before the service has agreed.
 *
 * @returns a function that takes the change back
 */
export async function changeData<Data>(queryKey: QueryKey, change: (data: Data) => Data): Promise<() => void> {
  await cancelReads(queryKey);
  const query = queryClient.getQueryCache().find<Data>({ queryKey });
  const before = query?.state.data;
  if (before === undefined) return () => {};
  queryClient.setQueryData(queryKey, change(before));
  return () => void (isCached(query!) && queryClient.setQueryData(queryKey, before));
}

/**
 * Reads again all whose key begins so. What a change is about that is on its way is read when that is settled: before,
 * a read would take it back.
 */
export async function readAgain(queryKey: QueryKey): Promise<void> {
  await queryClient.invalidateQueries({ queryKey, refetchType: "none" });
  await queryClient.refetchQueries({
    queryKey,
    type: "active",
    predicate: (query) => countChanges(query.queryKey) === 0,
  });
}

/** Returns how many changes of what a query reads are on their way: those with its key as their own. */
export function countChanges(queryKey: QueryKey): number {
  return queryClient.isMutating({ mutationKey: queryKey, exact: true });
}

/** Ends what is being read again: it may be from before a change, and would replace it. Returns the queries. */
async function cancelReads(queryKey: QueryKey): Promise<Query[]> {
  const cut = queryClient.getQueryCache().findAll({
    queryKey,
    fetchStatus: "fetching",
    // A first read goes on: there is nothing to change yet.
    predicate: ({ state }) => state.data !== undefined,
  });
  await Promise.all(cut.map((query) => query.cancel({ revert: true })));
  return cut;
}

function setRow(list: Query<Pages<Row>>, id: string, row: Row | null): void {
  if (!isCached(list)) return;
  const { data, isInvalidated } = list.state;
  const pages = placeRows(data!.pages, [id], row === null ? [] : [row], metaOf(list).order);
  queryClient.setQueryData(list.queryKey, { ...data!, pages });
  // New data does not make up for what the list has missed.
  if (isInvalidated) list.invalidate();
}

/** Whether what is known of a query may be shown. Another user, who has signed in meanwhile, begins without any. */
function isCached<Data>(query: Query<Data>): boolean {
  return (queryClient.getQueryCache().get(query.queryHash) as unknown) === query;
}

function listsOf(queryKey: QueryKey, type?: "active"): Query<Pages<Row>>[] {
  return queryClient.getQueryCache().findAll({ queryKey, type }) as unknown as Query<Pages<Row>>[];
}

function metaOf({ meta }: Query<Pages<Row>>): ListMeta<Row> {
  return meta!.list as ListMeta<Row>;
}

function rowsMetaOf({ meta }: Query<unknown>): RowsMeta<Row, unknown> {
  return meta!.rows as RowsMeta<Row, unknown>;
}
