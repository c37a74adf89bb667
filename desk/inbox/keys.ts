import { useEffect, useRef } from "react";
import { keep, useKept } from "../data/kept.ts";

/** Whether single keys do something for this login, in this browser. They do unless it was switched off. */
export function useAreKeysOn(agentId: string): [boolean, (isOn: boolean) => void] {
  const name = `desk-keys:${agentId}`;
  return [useKept(name, (kept) => kept !== "off"), (isOn) => keep(name, isOn ? null : "off")];
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

function isBusy(target: EventTarget | null): boolean {
  const isWriting = target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null;
  return isWriting || document.querySelector("dialog[open]") !== null;
}
