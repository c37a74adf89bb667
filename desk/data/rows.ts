import { replaceEqualDeep } from "@tanstack/react-query";

/** A part of a list that is read in pages. */
export interface Page<Row> {
  rows: Row[];
  hasMore: boolean;
}

/** The column by which a list is ordered, and then by the id in the same direction. */
export interface Order {
  column: string;
  ascending: boolean;
}

type Rows<Row> = { pages: Page<Row>[]; pageParams: unknown[] };

/** The rows that were read. One that is as before is the very same object, so that it is not rendered again. */
export function shareRows<Row>(before: Rows<Row> | undefined, now: Rows<Row>): Rows<Row> {
  if (before === undefined) return now;
  const known = new Map(rowsOf(before.pages).map((row) => [idOf(row), row]));
  const pages = now.pages.map((page, n) => {
    const old = before.pages[n];
    // Without an id a row is known by its place.
    const rows = page.rows.map((row, place) =>
      replaceEqualDeep(Object.hasOwn(row as object, "id") ? known.get(idOf(row)) : old?.rows[place], row)
    );
    const isSame = old?.hasMore === page.hasMore && old.rows.length === rows.length &&
      rows.every((row, n) => row === old.rows[n]);
    return isSame ? old : { ...page, rows };
  });
  const isSame = pages.length === before.pages.length && pages.every((page, n) => page === before.pages[n]);
  return isSame ? before : { ...now, pages };
}

/**
 * Replaces rows of a list by what was read of them: each goes to its place by `order`. One that was not read again has
 * left the list. One that belongs behind the last is left for the next page, if there is one.
 */
export function placeRows<Row>(pages: Page<Row>[], ids: string[], read: Row[], order: Order): Page<Row>[] {
  const isRead = new Set(ids);
  const placed = pages.map((page) => ({ ...page, rows: page.rows.filter((row) => !isRead.has(idOf(row))) }));
  const last = placed.at(-1)!;
  for (const row of read) {
    const isBehind = (other: Row) => isBefore(row, other, order);
    const page = placed.find(({ rows }) => rows.length > 0 && isBehind(rows.at(-1)!)) ?? (last.hasMore ? null : last);
    if (page === null) continue;
    const at = page.rows.findIndex(isBehind);
    page.rows.splice(at === -1 ? page.rows.length : at, 0, row);
  }
  return placed;
}

/** The rows of all pages. */
export function rowsOf<Row>(pages: Page<Row>[]): Row[] {
  return pages.flatMap(({ rows }) => rows);
}

function isBefore<Row>(one: Row, other: Row, { column, ascending }: Order): boolean {
  const [first, second] = ascending ? [one, other] : [other, one];
  const [a, b] = [valueOf(first, column), valueOf(second, column)];
  return a < b || a === b && idOf(first) < idOf(second);
}

// Times come in one form and one zone, so that they are ordered as their letters are.
function valueOf(row: unknown, column: string): string {
  return (row as Record<string, string>)[column]!;
}

function idOf(row: unknown): string {
  return valueOf(row, "id");
}
