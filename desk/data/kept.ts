import { useSyncExternalStore } from "react";

const notified = new Set<() => void>();

/**
 * A part of what this browser keeps under a key, also when another tab changes it. `read` gets null where there is
 * nothing.
 */
export function useKept<Part extends string | boolean | null>(key: string, read: (kept: string | null) => Part): Part {
  return useSyncExternalStore(listen, () => read(localStorage.getItem(key)));
}

/** Keeps a text under a key; null: nothing any more. */
export function keep(key: string, kept: string | null): void {
  if (kept === null) localStorage.removeItem(key);
  else localStorage.setItem(key, kept);
  for (const notify of notified) notify();
}

function listen(notify: () => void): () => void {
  notified.add(notify);
  // Another tab has changed it.
  addEventListener("storage", notify);
  return () => {
    notified.delete(notify);
    removeEventListener("storage", notify);
  };
}
