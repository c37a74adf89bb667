import { onlineManager } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";

/** Whether the machine has a network, as the browser says. */
export function useOnline(): boolean {
  return useSyncExternalStore((notify) => onlineManager.subscribe(notify), () => onlineManager.isOnline());
}
