import { useSyncExternalStore } from "react";
import { type BaseLocationHook, useLocation, useSearch } from "wouter";

type NavigateOptions = { replace?: boolean; state?: unknown };

/**
 * The address of a view, which stands behind the `#`: `#/recruits?sort=name`. Wouter's own keeps what follows the `?`
 * before the `#`, where it would stay from view to view.
 */
export const useDeskLocation: BaseLocationHook & { hrefs: (href: string) => string } = Object.assign(
  (): [string, (to: string, options?: NavigateOptions) => void] => [useSyncExternalStore(listen, path), navigate],
  { hrefs: (href: string) => `#${href}` },
);

/** What follows the `?` of the address of a view. */
export function useDeskSearch(): string {
  return useSyncExternalStore(listen, search);
}

/** A parameter of the address, such as the column by which a table is sorted; null: it is not there. */
export function useParameter(name: string): [string | null, (value: string | null) => void] {
  const [path, navigate] = useLocation();
  const searched = useSearch();
  return [new URLSearchParams(searched).get(name), (value) => {
    const parameters = new URLSearchParams(search());
    if (value === null) parameters.delete(name);
    else parameters.set(name, value);
    navigate(parameters.size === 0 ? path : `${path}?${parameters}`, { replace: true, state: history.state });
  }];
}

function navigate(to: string, { replace = false, state = null }: NavigateOptions = {}): void {
  const oldURL = location.href;
  history[replace ? "replaceState" : "pushState"](state, "", `#${to.startsWith("/") ? to : `/${to}`}`);
  dispatchEvent(new HashChangeEvent("hashchange", { oldURL, newURL: location.href }));
}

function path(): string {
  return `/${hash()[0]}`;
}

function search(): string {
  return hash()[1] ?? "";
}

function hash(): string[] {
  return location.hash.replace(/^#?\/?/, "").split("?");
}

function listen(notify: () => void): () => void {
  addEventListener("hashchange", notify);
  return () => removeEventListener("hashchange", notify);
}
