import { useEffect } from "react";

const QUESTION = "What you have changed is not saved. Leave it?";

/** Whether an edited thing that is open has changes that would be lost. */
let isLost = false;

/**
 * Asks before the page is closed or read again while something on it is not saved, and before the user goes to another
 * view.
 *
 * @param isKept whether it is there again when the user comes back to the view
 */
export function useUnsaved(isUnsaved: boolean, isKept = false): void {
  useEffect(() => {
    if (!isUnsaved) return;
    const onClose = (event: BeforeUnloadEvent) => event.preventDefault();
    // Links, tabs, `navigate` of the desk and the browser's Back.
    const onNavigate = (event: NavigateEvent) => {
      if (event.cancelable && viewOf(event.destination.url) !== viewOf(location.href) && !mayLose()) {
        event.preventDefault();
      }
    };
    addEventListener("beforeunload", onClose);
    if (!isKept) {
      isLost = true;
      globalThis.navigation?.addEventListener("navigate", onNavigate);
    }
    return () => {
      isLost = false;
      removeEventListener("beforeunload", onClose);
      globalThis.navigation?.removeEventListener("navigate", onNavigate);
    };
  }, [isUnsaved, isKept]);
}

/** Asks whether what is not saved may be lost, for what puts something else in its place. Without it, true. */
export function mayLose(): boolean {
  return !isLost || confirm(QUESTION);
}

function viewOf(url: string): string {
  return url.split("?")[0]!;
}
