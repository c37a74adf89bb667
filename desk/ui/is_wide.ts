import { useSyncExternalStore } from "react";

/** Whether the window has room for a third column. */
export function useIsWide(): boolean {
  return useMedia("(min-width: 75rem)");
}

/** Whether the window is a phone's, which shows one thing at a time. */
export function useIsPhone(): boolean {
  return useMedia("(max-width: 45rem)");
}

/** Whether the window has room for a line of filters. */
export function useHasFilterLine(): boolean {
  return useMedia("(min-width: 72.01rem)");
}

/** Whether the window has room for the words of icons too, or for the operator's views beside the page (operator.css). */
export function useIsBroad(): boolean {
  return useMedia("(min-width: 80rem)");
}

/** Whether the window has the rail, and with it room for something beside what is read. */
export function useHasRail(): boolean {
  return useMedia("(min-width: 64rem)");
}

function useMedia(query: string): boolean {
  const watched = matchMedia(query);
  return useSyncExternalStore((notify) => {
    watched.addEventListener("change", notify);
    return () => watched.removeEventListener("change", notify);
  }, () => watched.matches);
}
