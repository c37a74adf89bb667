import assert from "node:assert/strict";
import fc from "fast-check";
import { type Page, placeRows, rowsOf, shareRows } from "./rows.ts";

interface Row {
  id: string;
  at: string;
  words?: string;
}

const row = fc.record({ id: fc.constantFrom(..."abcdefgh"), at: fc.constantFrom("1", "2", "3", "4") });
const rows = fc.uniqueArray(row, { selector: ({ id }) => id });

function sorted(rows: Row[], ascending: boolean): Row[] {
  const key = ({ at, id }: Row) => at + id;
  return rows.toSorted((one, other) => (key(one) < key(other) ? -1 : 1) * (ascending ? 1 : -1));
}

function paged(rows: Row[], size: number, hasMore: boolean): Page<Row>[] {
  const pages: Page<Row>[] = [];
  do pages.push({ rows: rows.slice(pages.length * size, (pages.length + 1) * size), hasMore: true }); while (
    pages.length * size < rows.length
  );
  pages.at(-1)!.hasMore = hasMore;
  return pages;
}

Deno.test("rows that were read again stand where they would stand if all were read", () => {
  fc.assert(
    fc.property(rows, rows, fc.integer({ min: 1, max: 4 }), fc.boolean(), (before, changed, size, ascending) => {
      const order = { column: "at", ascending };
      const ids = changed.map(({ id }) => id);
      // Every second one has left the list.
      const read = changed.filter((_, n) => n % 2 === 0);
      const kept = before.filter(({ id }) => !ids.includes(id));
      const pages = placeRows(paged(sorted(before, ascending), size, false), ids, read, order);
      assert.deepEqual(rowsOf(pages), sorted([...kept, ...read], ascending));
    }),
  );
});

Deno.test("a row that belongs behind the last one is left for the next page", () => {
  const before = paged([{ id: "a", at: "1" }, { id: "b", at: "3" }], 2, true);
  const order = { column: "at", ascending: true };
  assert.deepEqual(rowsOf(placeRows(before, ["c"], [{ id: "c", at: "4" }], order)).map(({ id }) => id), ["a", "b"]);
  assert.deepEqual(rowsOf(placeRows(before, ["a"], [{ id: "a", at: "2" }], order)).map(({ id }) => id), ["a", "b"]);
  assert.deepEqual(rowsOf(placeRows(before, ["a"], [{ id: "a", at: "5" }], order)).map(({ id }) => id), ["b"]);
});

Deno.test("a row that is as before is the same object, also in another place", () => {
  const before = {
    pages: paged([{ id: "a", at: "1" }, { id: "b", at: "2", words: "old" }], 2, false),
    pageParams: [0],
  };
  const again = shareRows(before, structuredClone(before));
  assert.equal(again, before);
  const now = shareRows(before, {
    pages: paged([{ id: "c", at: "0" }, { id: "a", at: "1" }, { id: "b", at: "2", words: "new" }], 3, false),
    pageParams: [0],
  });
  assert.equal(now.pages[0]!.rows[1], before.pages[0]!.rows[0]);
  assert.equal(now.pages[0]!.rows[2]!.words, "new");
  // Those without an id, by their place. A list that changed with each look would be rendered for ever.
  const numbers = { pages: [{ rows: [{ phone: "1" }, { phone: "2" }], hasMore: false }], pageParams: [0] };
  assert.equal(shareRows(numbers, structuredClone(numbers)), numbers);
});
