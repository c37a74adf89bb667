import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import type { Icon } from "./icon_button.tsx";

/** One thing that the palette offers. */
export interface PaletteEntry {
  id: string;
  /** The heading below which it stands. */
  group: string;
  label: string;
  hint?: string;
  icon?: Icon;
  /** The key that does the same, such as "E". */
  keys?: string;
  /** Whether the service has found it by what is typed. The others are chosen here, by their words. */
  isFound?: boolean;
  run: () => unknown;
}

/**
 * A box in which the user types what to open or to do. It is open as long as it is there.
 *
 * @param isBusy whether more may be found soon
 */
export function Palette({ entries, typed, onType, isBusy, onClose }: {
  entries: PaletteEntry[];
  typed: string;
  onType: (typed: string) => void;
  isBusy: boolean;
  onClose: () => void;
}) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [active, setActive] = useState(0);
  const chosen = entries.filter(({ isFound, label, group }) => isFound || hasWords(`${group} ${label}`, typed));
  const groups = [...Map.groupBy(chosen, ({ group }) => group)];
  const ordered = groups.flatMap(([, entries]) => entries);
  const place = Math.min(active, ordered.length - 1);
  const current = ordered[place];
  useEffect(() => {
    const shown = dialog.current!;
    const close = () => shown.close();
    shown.showModal();
    // The user goes back, or a notification opens a view.
    addEventListener("hashchange", close);
    return () => removeEventListener("hashchange", close);
  }, []);

  function take({ run }: PaletteEntry): void {
    dialog.current!.close();
    void run();
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.nativeEvent.isComposing || current === undefined) return;
    if (event.key === "ArrowDown") setActive((place + 1) % ordered.length);
    else if (event.key === "ArrowUp") setActive((place + ordered.length - 1) % ordered.length);
    else if (event.key === "Enter") take(current);
    else return;
    event.preventDefault();
  }

  return (
    <dialog
      ref={dialog}
      className="palette"
      aria-label="Go to or do"
      onClose={onClose}
      onClick={({ target }) => {
        if (target === dialog.current) dialog.current!.close();
      }}
    >
      <input
        type="text"
        role="combobox"
        aria-label="Go to or do"
        aria-autocomplete="list"
        aria-expanded={current !== undefined}
        aria-controls={current && id}
        aria-activedescendant={current && `${id}-${current.id}`}
        placeholder="A recruit, a view or an action"
        autoFocus
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={({ target }) => {
          setActive(0);
          onType(target.value);
        }}
        onKeyDown={onKeyDown}
      />
      <p role="status" className={current ? "visually-hidden" : "quiet"}>
        {current
          ? ordered.length === 1 ? "1 result" : `${ordered.length} results`
          : isBusy
          ? "Searching"
          : "Nothing found."}
      </p>
      {current && (
        <div id={id} className="palette-list" role="listbox" aria-label="Results" tabIndex={-1}>
          {groups.map(([group, entries]) => (
            <div key={group} role="group" aria-label={group}>
              <p aria-hidden>{group}</p>
              {entries.map((entry) => (
                <PaletteRow key={entry.id} list={id} entry={entry} isActive={entry === current} take={take} />
              ))}
            </div>
          ))}
        </div>
      )}
    </dialog>
  );
}

function PaletteRow({ list, entry, isActive, take }: {
  /** The id of the list. */
  list: string;
  entry: PaletteEntry;
  isActive: boolean;
  take: (entry: PaletteEntry) => void;
}) {
  const { id, icon: Icon, label, hint, keys } = entry;
  return (
    <div
      id={`${list}-${id}`}
      role="option"
      aria-selected={isActive}
      ref={(row) => {
        if (isActive) row?.scrollIntoView({ block: "nearest" });
      }}
      // The box keeps the focus.
      onPointerDown={(event) => event.preventDefault()}
      onClick={() => take(entry)}
    >
      {Icon ? <Icon size={16} /> : <span />}
      <bdi>{label}</bdi>
      {hint && <span className="quiet">{hint}</span>}
      {keys && <kbd>{keys}</kbd>}
    </div>
  );
}

/** Whether a text has each word that is typed. */
export function hasWords(text: string, typed: string): boolean {
  const lower = text.toLowerCase();
  return typed.toLowerCase().split(/\s+/).every((word) => lower.includes(word));
}
