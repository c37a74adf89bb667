import { InfiniteQueryObserver, QueryObserver } from "@tanstack/react-query";
import assert from "node:assert/strict";
import { readRowsAgain } from "./changes.ts";
import { pagesOptions, type RowsMeta } from "./pages.ts";
import { queryClient } from "./queries.ts";
import { rowsOf } from "./rows.ts";

interface Row {
  id: string;
  words: string;
}

/** A list of one row that is shown, and a read of the row that waits for `release`. */
async function readLate() {
  const stored = [{ id: "1", words: "old" }];
  const [begun, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let reads = 0;
  const list = pagesOptions<Row>(["list"], async (_limit, _last, ids) => {
    const read = structuredClone(stored);
    if (ids !== null && reads++ === 0) {
      begun.resolve();
      await late.promise;
    }
    return read;
  }, { order: { column: "id", ascending: true } });
  const stop = new InfiniteQueryObserver(queryClient, list).subscribe(() => {});
  await queryClient.fetchInfiniteQuery(list);
  const reading = readRowsAgain([list.queryKey], ["1"]);
  await begun.promise;
  const shown = () => queryClient.getQueryData(list.queryKey);
  async function release() {
    late.resolve();
    await reading;
    stop();
  }
  return { stored, shown, release };
}

Deno.test("a read of a row that comes late does not replace what was read after it", async () => {
  const { stored, shown, release } = await readLate();
  stored[0]!.words = "new";
  await readRowsAgain([["list"]], ["1"]);
  await release();
  assert.deepEqual(rowsOf(shown()!.pages), stored);
  queryClient.clear();
});

Deno.test("a read of a row that comes after another user has signed in shows nothing", async () => {
  const { shown, release } = await readLate();
  queryClient.clear();
  await release();
  assert.equal(shown(), undefined);
});

Deno.test("a row is read once for all queries that show it, and appears in its lists", async () => {
  const stored = [{ id: "1", words: "old" }, { id: "2", words: "old" }];
  const reads: string[][] = [];
  let hold: Promise<void> | undefined;
  async function readThese(ids: string[]): Promise<Row[]> {
    reads.push(ids);
    const read = structuredClone(stored.filter(({ id }) => ids.includes(id)));
    await hold;
    return read;
  }
  const listOf = (words: string) => {
    const isInList = (row: Row) => row.words === words;
    return pagesOptions<Row>(["lists", words], () => Promise.resolve(structuredClone(stored.filter(isInList))), {
      order: { column: "id", ascending: true },
      isInList,
      readThese,
    });
  };
  const [before, after] = [listOf("old"), listOf("new")];
  const alone = {
    queryKey: ["alone", "1"],
    queryFn: async () => (await readThese(["1"]))[0] ?? null,
    meta: {
      rows: {
        readThese,
        place: (before, ids, rows) => ids.includes("1") ? rows.find(({ id }) => id === "1") ?? null : before,
      } satisfies RowsMeta<Row, Row | null>,
    },
  };
  const stops = [
    ...[before, after].map((list) => new InfiniteQueryObserver(queryClient, list).subscribe(() => {})),
    new QueryObserver(queryClient, alone).subscribe(() => {}),
  ];
  await Promise.all([
    queryClient.fetchInfiniteQuery(before),
    queryClient.fetchInfiniteQuery(after),
    queryClient.fetchQuery(alone),
  ]);
  const shown = () =>
    [before, after].map(({ queryKey }) => rowsOf(queryClient.getQueryData(queryKey)!.pages).map(({ id }) => id));
  assert.deepEqual(shown(), [["1", "2"], []]);
  reads.splice(0);
  stored[0]!.words = "new";
  await readRowsAgain([["lists"], alone.queryKey], ["1"]);
  assert.deepEqual(reads, [["1"]]);
  assert.deepEqual(shown(), [["2"], ["1"]]);
  assert.deepEqual(queryClient.getQueryData(alone.queryKey), { id: "1", words: "new" });

  // Of two reads that of the row alone is the later one, and comes first.
  const late = Promise.withResolvers<void>();
  hold = late.promise;
  const both = readRowsAgain([["lists"], alone.queryKey], ["1", "2"]);
  hold = undefined;
  stored[0]!.words = "newer";
  await readRowsAgain([alone.queryKey], ["1"]);
  late.resolve();
  await both;
  assert.deepEqual(queryClient.getQueryData(alone.queryKey), { id: "1", words: "newer" });
  reads.splice(1);

  // What is being read as a whole may be from before the change.
  stored[0]!.words = "old";
  const whole = queryClient.refetchQueries({ queryKey: after.queryKey });
  await readRowsAgain([["lists"]], ["1"]);
  assert.deepEqual(shown()[0], ["1", "2"]);
  await whole;
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual(reads, [["1"], ["1"], ["1"]]);
  assert.deepEqual(shown()[1], []);
  for (const stop of stops) stop();
  queryClient.clear();
});
