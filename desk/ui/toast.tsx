import X from "lucide-react/icons/x";
import { type ReactNode, useEffect, useState, useSyncExternalStore } from "react";
import type { Meaning } from "./badge.tsx";
import { IconButton } from "./icon_button.tsx";

/** How many toasts are shown at once, and for how long, in milliseconds. */
const [MOST, SHOWN_MS] = [3, 8_000];

interface Toast {
  id: number;
  words: ReactNode;
  meaning?: Meaning;
  /** What the user may do about it, such as undo it. */
  act?: { label: string; run: () => unknown };
}

let toasts: Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function set(changed: Toast[]): void {
  toasts = changed;
  for (const notify of listeners) notify();
}

/** Says something in the corner of the page for a while. The oldest goes when there are more than three. */
export function showToast(words: ReactNode, options: Omit<Toast, "id" | "words"> = {}): () => void {
  const id = ++lastId;
  set([...toasts, { id, words, ...options }].slice(-MOST));
  return () => closeToast(id);
}

function closeToast(id: number): void {
  set(toasts.filter((toast) => toast.id !== id));
}

/** The place of the toasts, once on a page, and of notices that stay. Escape closes the newest toast. */
export function Toasts({ children }: { children?: ReactNode }) {
  const shown = useSyncExternalStore(
    (notify) => {
      listeners.add(notify);
      return () => listeners.delete(notify);
    },
    () => toasts,
  );
  useEffect(() => {
    function press(event: KeyboardEvent): void {
      const newest = toasts.at(-1);
      if (event.key !== "Escape" || event.defaultPrevented || newest === undefined) return;
      // What is open above the page is closed first.
      if (document.querySelector("dialog[open], :popover-open") === null) closeToast(newest.id);
    }
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  return (
    <div className="toasts" role="status">
      {children}
      {shown.map((toast) => <ToastBox key={toast.id} {...toast} />)}
    </div>
  );
}

/** Goes by itself, but not while somebody is at it. */
function ToastBox({ id, words, meaning, act }: Toast) {
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(() => closeToast(id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [id, isHeld]);
  return (
    <div
      className={meaning ? `toast is-${meaning}` : "toast"}
      role={meaning === "bad" ? "alert" : undefined}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span dir="auto">{words}</span>
      {act && (
        <button
          type="button"
          onClick={() => {
            closeToast(id);
            act.run();
          }}
        >
          {act.label}
        </button>
      )}
      <IconButton icon={X} label="Close" onClick={() => closeToast(id)} />
    </div>
  );
}
