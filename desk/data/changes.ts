import type { Query, QueryKey } from "@tanstack/react-query";
import type { ListMeta, Pages } from "./pages.ts";
import { queryClient } from "./queries.ts";
import { placeRows, rowsOf } from "./rows.ts";

/** Changes of more rows than this make the whole list worth reading again. */
const MOST_CHANGED = 50;

/** The number of changes of rows so far, and for each row that of its latest one. */
let changes = 0;
const latestChange = new Map<string, number>();

/** A row of any list. */
interface Row {
  id: string;
}

/**
 * Reads single rows again, in each list that is shown and whose key begins so. Another list is read when it is shown.
 */
export async function readRowsAgain(queryKey: QueryKey, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  if (ids.length > MOST_CHANGED) return await queryClient.invalidateQueries({ queryKey });
  await queryClient.invalidateQueries({ queryKey, type: "inactive", refetchType: "none" });
  await Promise.all(listsOf(queryKey, "active").map((list) => readRowsOf(list, ids)));
}

async function readRowsOf(list: Query<Pages<Row>>, ids: string[]): Promise<void> {
  const { queryKey } = list;
  const { readThese, order } = metaOf(list);
  const before = changes;
  let rows: Row[] = [];
  let updates: number;
  try {
    do {
      // A list that is being read may be from before the change, and would replace the rows.
      await list.promise?.catch(() => {});
      updates = list.state.dataUpdateCount;
      rows = await readThese(ids);
      // What the list got meanwhile may be newer than the rows, which were asked for before it.
    } while (list.state.fetchStatus === "fetching" || list.state.dataUpdateCount !== updates);
  } catch {
    return await queryClient.invalidateQueries({ queryKey });
  }
  const { data, isInvalidated } = list.state;
  if (data === undefined || !isCached(list)) return;
  // What was read of a row that has changed meanwhile may be from before. The change reads it again when it is settled.
  const isCurrent = (id: string) => (latestChange.get(id) ?? 0) <= before;
  const pages = placeRows(data.pages, ids.filter(isCurrent), rows.filter(({ id }) => isCurrent(id)), order);
  const isEmpty = rowsOf(pages).length === 0 && pages.at(-1)!.hasMore;
  if (isInvalidated || isEmpty) return await queryClient.invalidateQueries({ queryKey });
  queryClient.setQueryData(queryKey, { ...data, pages });
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
  latestChange.set(id, ++changes);
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
