import { Fragment, type ReactNode } from "react";
import { LoadMoreButton, type PagedQuery } from "./load_more_button.tsx";
import { type Query, QueryResult, Skeleton } from "./query_result.tsx";

/** A column of a table, with its content for a row. */
export interface Column<Row> {
  title: string;
  cell: (row: Row) => ReactNode;
  /** Whether it has numbers, which stand below each other. */
  isNumber?: boolean;
  /** Whether it names its row. */
  isHeader?: boolean;
}

/**
 * The rows of a query, each as an `<li>`: what stands there while they are read, or where there are none, and the button
 * that reads more where the query has pages.
 *
 * @param resource the noun for the rows, such as "recruits"
 * @param empty what stands there where there are none
 */
export function List<Row>({ query, resource, empty, className = "", keyOf, row }: {
  query: Query<Row[]> & Partial<PagedQuery> & { isPlaceholderData?: boolean };
  resource: string;
  empty: ReactNode;
  className?: string;
  keyOf: (row: Row) => string;
  row: (row: Row) => ReactNode;
}) {
  const { isPlaceholderData = false, hasNextPage = false, isFetchingNextPage = false, fetchNextPage } = query;
  return (
    <QueryResult query={query} resource={resource} skeleton={<Skeleton />}>
      {(rows) =>
        rows.length === 0 ? isPlaceholderData ? <Skeleton /> : empty : (
          <>
            <ul className={`rows ${className}`.trim()} aria-busy={isPlaceholderData}>
              {rows.map((one) => <Fragment key={keyOf(one)}>{row(one)}</Fragment>)}
            </ul>
            {fetchNextPage && <LoadMoreButton query={{ hasNextPage, isFetchingNextPage, fetchNextPage }} />}
          </>
        )}
    </QueryResult>
  );
}

/** Rows that are there already, as a table. */
export function Rows<Row>({ rows, label, columns, keyOf }: {
  rows: Row[];
  label: string;
  columns: Column<Row>[];
  keyOf: (row: Row) => string;
}) {
  const numbers = (column: Column<Row>) => column.isNumber ? "number" : undefined;
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => <th key={column.title} scope="col" className={numbers(column)}>{column.title}
            </th>)}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) =>
                column.isHeader
                  ? <th key={column.title} scope="row">{column.cell(row)}</th>
                  : <td key={column.title} className={numbers(column)}>{column.cell(row)}</td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
