import { type ReactNode, useEffect } from "react";
import { sayViewStands } from "./standing.ts";

/** A view that could not be read: `what` is the sentence for it, `error` the reason. */
export function ErrorState({ what, error, retry }: { what?: string; error: unknown; retry: () => void }) {
  return (
    <div className="state" role="alert">
      <p>
        {what && <strong>{what}</strong>} {error instanceof Error ? error.message : String(error)}
      </p>
      <button type="button" onClick={retry}>Try again</button>
    </div>
  );
}

/** A view without anything in it: why, and what to do. */
export function EmptyState({ title, children }: { title: ReactNode; children?: ReactNode }) {
  return (
    <div className="state">
      <p>
        <strong>{title}</strong>
      </p>
      {children && <p>{children}</p>}
    </div>
  );
}

/** The words for a page that does not fit the service any more, with the button that loads the newest one. */
export function OldBuild({ children }: { children: ReactNode }) {
  return (
    <p>
      {children} Reload it; if this stays, the people who run the service must publish the page again.{" "}
      <button type="button" onClick={() => location.reload()}>Reload</button>
    </p>
  );
}

/** Grey rows in the place of those that are being read, so that nothing jumps. */
export function Skeleton({ rows = 6 }: { rows?: number }) {
  return (
    <div className="skeleton" aria-busy="true" aria-label="Loading" role="status">
      {Array.from({ length: rows }, (_, row) => <span key={row} />)}
    </div>
  );
}

/** The place of a table that is being read, with its head. */
export function TableSkeleton({ rows = 10 }: { rows?: number }) {
  return (
    <div className="table-skeleton">
      <Skeleton rows={rows + 1} />
    </div>
  );
}

/** The state of a query, as TanStack Query has it. */
export interface Query<Data> {
  data: Data | undefined;
  error: Error | null;
  refetch: () => unknown;
}

/**
 * The result of a query: what was read, or why it is not there. It stays while it is read again, also when that fails:
 * then a line says so.
 *
 * @param resource the noun for what is read, such as "recruits"
 */
export function QueryResult<Data>(
  { query, resource, skeleton = <Skeleton />, children }: {
    query: Query<Data>;
    resource: string;
    skeleton?: ReactNode;
    children: (data: Data) => ReactNode;
  },
) {
  const { data, error, refetch } = query;
  const isWaiting = data === undefined && error === null;
  useEffect(() => {
    if (!isWaiting) sayViewStands();
  }, [isWaiting]);
  if (data === undefined) {
    return error === null
      ? skeleton
      : <ErrorState what={`The ${resource} could not be read.`} error={error} retry={refetch} />;
  }
  return (
    <>
      {error !== null && <p className="stale" role="status">This may be out of date. {error.message}</p>}
      {children(data)}
    </>
  );
}
