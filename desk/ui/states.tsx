import type { ReactNode } from "react";

/** What a view shows that could not be read. `what` is a sentence. */
export function Failed({ what, error, retry }: { what?: string; error: unknown; retry: () => void }) {
  return (
    <div className="state" role="alert">
      <p>
        {what && <strong>{what}</strong>} {error instanceof Error ? error.message : String(error)}
      </p>
      <button type="button" onClick={retry}>Try again</button>
    </div>
  );
}

/** What a view shows that has nothing to show: why, and what to do. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="state">
      <p>
        <strong>{title}</strong>
      </p>
      {children && <p>{children}</p>}
    </div>
  );
}

/** Takes the place of rows that are being read, so that nothing jumps. */
export function Skeleton({ rows = 6 }: { rows?: number }) {
  return (
    <div className="skeleton" aria-busy="true" aria-label="Loading" role="status">
      {Array.from({ length: rows }, (_, row) => <span key={row} />)}
    </div>
  );
}

/** What react-query says about something that is read. */
interface Query<Data> {
  data: Data | undefined;
  error: Error | null;
  refetch: () => unknown;
}

/**
 * Shows what was read, or why it is not there. What was read before stays while it is read again, also when that fails:
 * then a line says so.
 *
 * @param of what is read, such as "recruits"
 */
export function Shown<Data>(
  { query, of, skeleton = <Skeleton />, children }: {
    query: Query<Data>;
    of: string;
    skeleton?: ReactNode;
    children: (data: Data) => ReactNode;
  },
) {
  const { data, error, refetch } = query;
  if (data === undefined) {
    return error === null ? skeleton : <Failed what={`The ${of} could not be read.`} error={error} retry={refetch} />;
  }
  return (
    <>
      {error !== null && <p className="stale" role="status">This may be out of date. {error.message}</p>}
      {children(data)}
    </>
  );
}
