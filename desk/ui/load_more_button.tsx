/** The state of a list that is read in pages, as TanStack Query has it. */
export interface PagedQuery {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

/** A button that reads the next page of a list, while there is one. */
export function LoadMoreButton({ query, label = "Show more" }: { query: PagedQuery; label?: string }) {
  if (!query.hasNextPage) return null;
  return (
    <button
      type="button"
      className="more"
      aria-disabled={query.isFetchingNextPage}
      onClick={() => query.fetchNextPage()}
    >
      {query.isFetchingNextPage ? "Loading" : label}
    </button>
  );
}
