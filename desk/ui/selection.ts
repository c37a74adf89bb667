import { type ChangeEvent, type KeyboardEvent, useRef, useState } from "react";

/**
 * The rows of a list that are selected by their boxes. With Shift, a click or Space selects all rows from the last box
 * to this one. Arrow keys go from box to box; with Shift they select both rows.
 *
 * @param keys of the rows, in their order
 */
export function useSelection(keys: string[]) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const last = useRef("");

  function select(from: string, to: string, isSelected: boolean): void {
    const [one, other] = [keys.indexOf(from), keys.indexOf(to)].sort((one, other) => one - other) as [number, number];
    const changed = new Set(selected);
    for (const key of one === -1 ? [to] : keys.slice(one, other + 1)) {
      if (isSelected) changed.add(key);
      else changed.delete(key);
    }
    last.current = to;
    setSelected(changed);
  }

  /** What the box of a row needs. */
  function boxOf(key: string) {
    return {
      type: "checkbox",
      checked: selected.has(key),
      onChange({ target, nativeEvent }: ChangeEvent<HTMLInputElement>) {
        select((nativeEvent as MouseEvent).shiftKey ? last.current : key, key, target.checked);
      },
      onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        const to = step && keys[keys.indexOf(key) + step];
        if (!to) return;
        event.preventDefault();
        const row = event.currentTarget.closest("tr, li")!;
        const next = step === 1 ? row.nextElementSibling : row.previousElementSibling;
        next?.querySelector<HTMLElement>("[type=checkbox]")?.focus();
        if (event.shiftKey) select(key, to, true);
      },
    } as const;
  }

  return { selected, setSelected, boxOf };
}
