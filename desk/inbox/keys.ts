import { useEffect, useRef, useSyncExternalStore } from "react";

const notified = new Set<() => void>();

/** Whether single keys do something for this login, in this browser. They do unless it was switched off. */
export function useAreKeysOn(agentId: string): [boolean, (isOn: boolean) => void] {
  const name = nameOf(agentId);
  const isOn = useSyncExternalStore(
    (notify) => {
      notified.add(notify);
      return () => notified.delete(notify);
    },
    () => localStorage.getItem(name) !== "off",
  );
  function setOn(isOn: boolean): void {
    if (isOn) localStorage.removeItem(name);
    else localStorage.setItem(name, "off");
    for (const notify of notified) notify();
  }
  return [isOn, setOn];
}

/** Does these things on single keys, but not while the user writes, or answers a question. */
export function useKeys(agentId: string, acts: Record<string, () => void>): void {
  const [areOn] = useAreKeysOn(agentId);
  const latest = useRef(acts);
  latest.current = acts;
  useEffect(() => {
    if (!areOn) return;
    function press(event: KeyboardEvent): void {
      const { ctrlKey, metaKey, altKey, key, repeat, target } = event;
      const act = latest.current[key.toLowerCase()];
      const isOther = ctrlKey || metaKey || altKey || repeat;
      if (act === undefined || isOther || event.defaultPrevented || isBusy(target)) return;
      event.preventDefault();
      act();
    }
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [areOn]);
}

function nameOf(agentId: string): string {
  return `desk-keys:${agentId}`;
}

function isBusy(target: EventTarget | null): boolean {
  const isWriting = target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null;
  return isWriting || document.querySelector("dialog[open]") !== null;
}
