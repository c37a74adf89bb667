import { InfiniteQueryObserver } from "@tanstack/react-query";
import assert from "node:assert/strict";
import { readRowsAgain } from "./changes.ts";
import { pagesOptions } from "./pages.ts";
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
  const reading = readRowsAgain(list.queryKey, ["1"]);
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
  await readRowsAgain(["list"], ["1"]);
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
