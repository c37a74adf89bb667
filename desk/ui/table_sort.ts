import { useParameter } from "./location.ts";

/** The column by which a table is sorted, by its key. */
export interface Sort {
  key: string;
  isDescending: boolean;
}

/**
 * How the address sorts a table: `?sort=name`, or `?sort=-name` for the greatest first.
 *
 * @param standard the same words for an address that says nothing
 */
export function useSort(standard: string): [Sort, (sort: Sort) => void] {
  const [given, set] = useParameter("sort");
  return [sortOf(given ?? standard), (sort) => {
    const words = wordsOf(sort);
    set(words === standard ? null : words);
  }];
}

function sortOf(words: string): Sort {
  return words.startsWith("-") ? { key: words.slice(1), isDescending: true } : { key: words, isDescending: false };
}

function wordsOf({ key, isDescending }: Sort): string {
  return `${isDescending ? "-" : ""}${key}`;
}

/** The value by which a row is sorted. One of null stands last, whatever the order. */
export type SortValue = string | number | null;

/** The rows by a value of theirs. Those with the same one stay in their order. */
export function sorted<Row>(rows: Row[], valueOf: (row: Row) => SortValue, isDescending: boolean): Row[] {
  const values = new Map(rows.map((row) => [row, valueOf(row)]));
  return rows.toSorted((one, other) => {
    const [a, b] = [values.get(one)!, values.get(other)!];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    const order = typeof a === "number" && typeof b === "number" ? a - b : COLLATOR.compare(String(a), String(b));
    return isDescending ? -order : order;
  });
}

// Made once: to make one takes a hundred times as long as to use it.
const COLLATOR = new Intl.Collator("en-US", { numeric: true });
