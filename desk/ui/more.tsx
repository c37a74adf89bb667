/** What react-query says about a list that is read in pages. */
export interface Pages {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

/** Reads the next page of a list. */
export function More({ of, label = "Show more" }: { of: Pages; label?: string }) {
  if (!of.hasNextPage) return null;
  return (
    <button
      type="button"
      className="more"
      aria-disabled={of.isFetchingNextPage}
      onClick={() => of.fetchNextPage()}
    >
      {of.isFetchingNextPage ? "Loading" : label}
    </button>
  );
}
