import { useWindowVirtualizer } from "@tanstack/react-virtual";
import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import Ellipsis from "lucide-react/icons/ellipsis";
import { type ReactNode, useLayoutEffect, useMemo, useRef, useState } from "react";
import { Link } from "wouter";
import { countText } from "./count.ts";
import type { Column } from "./list.tsx";
import { LoadMoreButton, type PagedQuery } from "./load_more_button.tsx";
import { useIsPhone } from "./is_wide.ts";
import { Menu, type MenuItem } from "./menu.tsx";
import { type Query, QueryResult, TableSkeleton } from "./query_result.tsx";
import { useSelection } from "./selection.ts";
import { type Sort, sorted, type SortValue, useSort } from "./table_sort.ts";
import { ZoneInTitle } from "./time.tsx";

/** A column, which can be sorted where it has a key: by `sortBy`, or without it by the query. */
export interface TableColumn<Row> extends Column<Row> {
  /** Its name in the address. */
  key?: string;
  sortBy?: (row: Row) => SortValue;
  /** Whether the first click puts the greatest first, as with times and counts. */
  isGreatestFirst?: boolean;
  /** Whether it is left out below 1024 px; `in_card`: but not from the card of a phone. */
  isMinor?: boolean | "in_card";
  /** Whether it is a sentence, which is not cut. */
  isSentence?: boolean;
  /** Whether its title is for screen readers alone, as where each cell has a button. */
  isTitleHidden?: boolean;
  /** Whether its values need no title on a card, such as phone numbers and badges. */
  isPlain?: boolean;
  /** Whether it stands beside the name on a card, such as an age. It has no title there. */
  isCorner?: boolean;
}

/** From so many rows, only those that show are rendered; each is so high at first, in pixels. */
const [VIRTUAL_FROM, HEIGHT] = [200, 36];

interface Shown<Row> {
  label: string;
  columns: TableColumn<Row>[];
  keyOf: (row: Row) => string;
  /** The name of a row, for a screen reader. */
  nameOf: (row: Row) => string;
  /** The address that a row opens. */
  hrefOf?: (row: Row) => string;
  /** The menu at the end of a row. */
  menuOf?: (row: Row) => MenuItem[];
  /** Names the group of a row, where rows stand below the heads of their groups. */
  groupOf?: (row: Row) => string;
  /** The groups in their order. Of each without rows there is nothing. */
  groups?: { name: string; head: ReactNode }[];
  className?: string;
}

/**
 * The rows of a query as a table that is sorted in the address. On a phone each row is a card.
 *
 * @param resource the noun for the rows, such as "recruits"
 * @param expected how many rows may come, so that what is below moves little
 * @param sort the words for the order of an address that names none: `name`, or `-received`
 * @param hasSortSelect whether a phone, where there is no head, has a {@link SortSelect} above the rows
 * @param acts what can be done with the rows that are selected. Where it is given, rows can be; on a phone after a tap
 */
export function Table<Row>(
  { query, resource, empty, expected, sort: standard = "", hasSortSelect = true, acts, ...shown }: Shown<Row> & {
    query: Query<Row[]> & Partial<PagedQuery> & { isPlaceholderData?: boolean };
    resource: string;
    empty: ReactNode;
    expected?: number;
    sort?: string;
    hasSortSelect?: boolean;
    acts?: (rows: Row[], clear: () => void) => ReactNode;
  },
) {
  const isPhone = useIsPhone();
  const [isSelecting, setSelecting] = useState(false);
  const { isPlaceholderData = false, hasNextPage = false, isFetchingNextPage = false, fetchNextPage } = query;
  return (
    <QueryResult query={query} resource={resource} skeleton={<TableSkeleton rows={expected} />}>
      {(rows) =>
        rows.length === 0 ? isPlaceholderData ? <TableSkeleton rows={expected} /> : empty : (
          <>
            {isPhone && (
              <div className="table-tools">
                {hasSortSelect && <SortSelect columns={shown.columns} standard={standard} />}
                {acts && (
                  <button type="button" className="link" onClick={() => setSelecting(!isSelecting)}>
                    {isSelecting ? "Done" : "Select"}
                  </button>
                )}
              </div>
            )}
            <ZoneInTitle value>
              <SortedTable
                {...shown}
                rows={rows}
                standard={standard}
                acts={!isPhone || isSelecting ? acts : undefined}
                isBusy={isPlaceholderData}
              />
            </ZoneInTitle>
            {fetchNextPage && <LoadMoreButton query={{ hasNextPage, isFetchingNextPage, fetchNextPage }} />}
          </>
        )}
    </QueryResult>
  );
}

function SortedTable<Row>({ rows: given, standard, acts, isBusy, ...shown }: Shown<Row> & {
  rows: Row[];
  standard: string;
  acts?: (rows: Row[], clear: () => void) => ReactNode;
  isBusy: boolean;
}) {
  const { label, columns, keyOf, groupOf, groups = [], className = "" } = shown;
  const [sort, setSort] = useSort(standard);
  const sortBy = columns.find(({ key }) => key === sort.key)?.sortBy;
  const rows = useMemo(
    () => sortBy ? sorted(given, sortBy, sort.isDescending) : given,
    // Columns are made anew each time.
    [given, sort.key, sort.isDescending],
  );
  const { selected, setSelected, boxOf } = useSelection(rows.map(keyOf));
  const those = acts ? rows.filter((row) => selected.has(keyOf(row))) : [];

  const row = { ...shown, boxOf: acts && boxOf };
  return (
    <>
      <table
        className={`data-table ${className}`.trim()}
        role="table"
        aria-label={label}
        aria-busy={isBusy}
        aria-rowcount={groupOf ? undefined : rows.length + 1}
      >
        <thead role="rowgroup">
          <tr role="row">
            {acts && (
              <th role="columnheader" scope="col" className="tick">
                <label>
                  <input
                    type="checkbox"
                    aria-label="Select all that are shown"
                    checked={those.length === rows.length}
                    ref={(box) => {
                      if (box) box.indeterminate = those.length > 0 && those.length < rows.length;
                    }}
                    onChange={({ target }) => setSelected(new Set(target.checked ? rows.map(keyOf) : []))}
                  />
                </label>
              </th>
            )}
            {columns.map((column) => <ColumnHead key={column.title} column={column} sort={sort} setSort={setSort} />)}
            {shown.menuOf && (
              <th role="columnheader" scope="col" className="row-menu">
                <span className="visually-hidden">Acts</span>
              </th>
            )}
          </tr>
        </thead>
        {groupOf
          ? groups.map(({ name, head }) => {
            const those = rows.filter((row) => groupOf(row) === name);
            return those.length > 0 && (
              <tbody key={name} role="rowgroup" aria-label={name}>
                <tr role="row" className="row-group">
                  <th
                    role="rowheader"
                    scope="rowgroup"
                    colSpan={columns.length + (acts ? 1 : 0) + (shown.menuOf ? 1 : 0)}
                  >
                    {head} <small>{countText(those.length)}</small>
                  </th>
                </tr>
                {those.map((one) => <TableRow key={keyOf(one)} {...row} row={one} />)}
              </tbody>
            );
          })
          : rows.length < VIRTUAL_FROM
          ? (
            <tbody role="rowgroup">
              {rows.map((one, place) => <TableRow key={keyOf(one)} {...row} row={one} place={place} />)}
            </tbody>
          )
          : <VirtualRows {...row} rows={rows} />}
      </table>
      {acts && those.length > 0 && (
        <div className="selection-bar" role="group" aria-label="Selected rows">
          <span role="status">{those.length} selected</span>
          {acts(those, () => setSelected(new Set()))}
          <button type="button" className="plain" onClick={() => setSelected(new Set())}>Clear</button>
        </div>
      )}
    </>
  );
}

function ColumnHead<Row>({ column, sort, setSort }: {
  column: TableColumn<Row>;
  sort: Sort;
  setSort: (sort: Sort) => void;
}) {
  const { title, key, isTitleHidden = false, isGreatestFirst = false } = column;
  const given = { role: "columnheader", scope: "col", className: classOf(column) } as const;
  if (key === undefined) {
    return <th {...given}>{isTitleHidden ? <span className="visually-hidden">{title}</span> : title}</th>;
  }
  const isSorted = sort.key === key;
  const Arrow = sort.isDescending ? ArrowDown : ArrowUp;
  return (
    <th {...given} aria-sort={isSorted ? sort.isDescending ? "descending" : "ascending" : undefined}>
      <button
        type="button"
        className="plain"
        onClick={() => setSort({ key, isDescending: isSorted ? !sort.isDescending : isGreatestFirst })}
      >
        {title}
        {isSorted && <Arrow size={14} />}
      </button>
    </th>
  );
}

/** What chooses the order of a {@link Table} on a phone. */
export function SortSelect<Row>({ columns, standard }: { columns: TableColumn<Row>[]; standard: string }) {
  const [sort, setSort] = useSort(standard);
  const sortable = columns.filter(({ key }) => key !== undefined);
  if (sortable.length === 0) return null;
  return (
    <label className="table-sort">
      Sort by
      <select
        value={sort.key}
        onChange={({ target: { value } }) =>
          setSort({ key: value, isDescending: sortable.find(({ key }) => key === value)!.isGreatestFirst ?? false })}
      >
        {!sortable.some(({ key }) => key === sort.key) && <option value={sort.key}>Standard order</option>}
        {sortable.map(({ key, title }) => <option key={key} value={key}>{title}</option>)}
      </select>
    </label>
  );
}

type RowProps<Row> = Shown<Row> & { boxOf?: ReturnType<typeof useSelection>["boxOf"] };

function TableRow<Row>({ row, place, measure, columns, keyOf, nameOf, hrefOf, menuOf, boxOf }:
  & RowProps<Row>
  & { row: Row; place?: number; measure?: (element: Element | null) => void }) {
  const box = boxOf?.(keyOf(row));
  return (
    <tr
      role="row"
      ref={measure}
      data-index={place}
      aria-rowindex={place === undefined ? undefined : place + 2}
      className={box?.checked ? "is-selected" : undefined}
    >
      {box && (
        <td role="cell" className="tick">
          <label>
            <input aria-label={`Select ${nameOf(row)}`} {...box} />
          </label>
        </td>
      )}
      {columns.map((column) => {
        const content = column.cell(row);
        return column.isHeader
          ? (
            <th key={column.title} role="rowheader" scope="row" className={classOf(column)}>
              {hrefOf ? <Link href={hrefOf(row)} className="row-link">{content}</Link> : content}
            </th>
          )
          : (
            <td
              key={column.title}
              role="cell"
              className={classOf(column)}
              data-title={column.isPlain || column.isCorner ? undefined : column.title}
            >
              {content}
            </td>
          );
      })}
      {menuOf && (
        <td role="cell" className="row-menu">
          <Menu label={`More about ${nameOf(row)}`} icon={Ellipsis} items={menuOf(row)} />
        </td>
      )}
    </tr>
  );
}

/** The rows near the part of the page that shows, with room for the others above and below. */
function VirtualRows<Row>({ rows, ...row }: RowProps<Row> & { rows: Row[] }) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [margin, setMargin] = useState(0);
  useLayoutEffect(() => setMargin(body.current!.getBoundingClientRect().top + scrollY), []);
  const { getVirtualItems, getTotalSize, measureElement } = useWindowVirtualizer({
    count: rows.length,
    getItemKey: (place) => row.keyOf(rows[place]!),
    estimateSize: () => HEIGHT,
    overscan: 15,
    scrollMargin: margin,
  });
  const items = getVirtualItems();
  const above = (items[0]?.start ?? margin) - margin;
  const below = getTotalSize() + margin - (items.at(-1)?.end ?? margin);
  return (
    <tbody role="rowgroup" ref={body}>
      <tr className="room" aria-hidden style={{ height: above }} />
      {items.map(({ index, key }) => (
        <TableRow key={key} {...row} row={rows[index]!} place={index} measure={measureElement} />
      ))}
      <tr className="room" aria-hidden style={{ height: below }} />
    </tbody>
  );
}

function classOf({ isNumber, isMinor, isSentence, isCorner }: TableColumn<never>): string | undefined {
  const minor = isMinor && (isMinor === true ? "is-minor" : "is-in-card");
  return [isNumber && "number", minor, isSentence && "is-sentence", isCorner && "is-corner"].filter(Boolean).join(
    " ",
  ) ||
    undefined;
}
