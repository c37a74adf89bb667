import { useEffect, useSyncExternalStore } from "react";
import type { Icon } from "./icon_button.tsx";

/** Something that can be done with what is open. The palette offers it. */
export interface Act {
  label: string;
  icon?: Icon;
  /** The key that does the same, such as "E". */
  keys?: string;
  run: () => unknown;
}

let open: Act[][] = [];
let all: Act[] = [];
const listeners = new Set<() => void>();

function set(changed: Act[][]): void {
  open = changed;
  all = open.flat();
  for (const notify of listeners) notify();
}

/** Offers acts in the palette, as long as the component is there. */
export function useOfferedActs(acts: Act[]): void {
  useEffect(() => {
    set([...open, acts]);
    return () => set(open.filter((one) => one !== acts));
  });
}

/** The acts of all that is open. */
export function useActs(): Act[] {
  return useSyncExternalStore(
    (notify) => {
      listeners.add(notify);
      return () => listeners.delete(notify);
    },
    () => all,
  );
}
