import { useSyncExternalStore } from "react";

/** Whether the window has room for a third column. */
export function useIsWide(): boolean {
  return useSyncExternalStore(listen, () => query().matches);
}

function query(): MediaQueryList {
  return matchMedia("(min-width: 60rem)");
}

function listen(notify: () => void): () => void {
  const watched = query();
  watched.addEventListener("change", notify);
  return () => watched.removeEventListener("change", notify);
}
