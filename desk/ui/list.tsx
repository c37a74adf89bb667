import { Fragment, type ReactNode } from "react";
import { LoadMoreButton, type PagedQuery } from "./load_more_button.tsx";
import { type Query, QueryResult, Skeleton, TableSkeleton } from "./query_result.tsx";

/** A column of a table, with its content for a row. */
export interface Column<Row> {
  title: string;
  cell: (row: Row) => ReactNode;
  /** Whether it has numbers, which stand below each other. */
  isNumber?: boolean;
  /** Whether it names its row. */
  isHeader?: boolean;
}

/** How rows are shown: as a table with its label and columns, or each as an `<li>`. */
type Shown<Row> =
  & { keyOf: (row: Row) => string; className?: string }
  & ({ label: string; columns: Column<Row>[] } | { row: (row: Row) => ReactNode });

/**
 * The rows of a query: what stands there while they are read, or where there are none, and the button that reads more
 * where the query has pages.
 *
 * @param resource the noun for the rows, such as "recruits"
 * @param empty what stands there where there are none
 * @param filters the fields that choose the rows
 * @param above what concerns all rows, and stands above them where there are any
 * @param most the number of rows that are shown; unless given, all
 */
export function List<Row>({ query, resource, empty, filters, above, most, ...shown }: {
  query: Query<Row[]> & Partial<PagedQuery> & { isPlaceholderData?: boolean };
  resource: string;
  empty: ReactNode;
  filters?: ReactNode;
  above?: ReactNode;
  most?: number;
} & Shown<Row>) {
  const { isPlaceholderData = false, hasNextPage = false, isFetchingNextPage = false, fetchNextPage } = query;
  const skeleton = "row" in shown ? <Skeleton /> : <TableSkeleton rows={most} />;
  return (
    <>
      {filters && <form className="filters" role="search" onSubmit={(event) => event.preventDefault()}>{filters}</form>}
      <QueryResult query={query} resource={resource} skeleton={skeleton}>
        {(rows) =>
          rows.length === 0 ? isPlaceholderData ? skeleton : empty : (
            <>
              {above}
              <Rows {...shown} rows={rows.slice(0, most)} isBusy={isPlaceholderData} />
              {fetchNextPage && most === undefined && (
                <LoadMoreButton query={{ hasNextPage, isFetchingNextPage, fetchNextPage }} />
              )}
            </>
          )}
      </QueryResult>
    </>
  );
}

/** Rows that are there already, as {@link List} shows them. */
export function Rows<Row>({ rows, keyOf, className = "", isBusy, ...shown }: {
  rows: Row[];
  isBusy?: boolean;
} & Shown<Row>) {
  if ("row" in shown) {
    return (
      <ul className={`rows ${className}`.trim()} aria-busy={isBusy}>
        {rows.map((row) => <Fragment key={keyOf(row)}>{shown.row(row)}</Fragment>)}
      </ul>
    );
  }
  const { label, columns } = shown;
  const numbers = (column: Column<Row>) => column.isNumber ? "number" : undefined;
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={label}>
      <table className={className || undefined} aria-busy={isBusy}>
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
