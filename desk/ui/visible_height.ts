import { useEffect } from "react";

/**
 * Keeps in `--visible-height` and `--visible-top` which part of the window is seen, where a keyboard covers the rest
 * and leaves the window as it is.
 */
export function useVisibleHeight(): void {
  useEffect(() => {
    const seen = globalThis.visualViewport;
    if (!seen) return;
    const { style } = document.documentElement;
    function keep(): void {
      const { height, offsetTop, scale } = seen!;
      // A user who enlarges the page by two fingers sees less of it, too.
      if (scale === 1 && height < innerHeight - 1) {
        style.setProperty("--visible-height", `${height}px`);
        style.setProperty("--visible-top", `${offsetTop}px`);
      } else forget();
    }
    function forget(): void {
      style.removeProperty("--visible-height");
      style.removeProperty("--visible-top");
    }
    keep();
    const events = ["resize", "scroll"];
    for (const event of events) seen.addEventListener(event, keep);
    return () => {
      for (const event of events) seen.removeEventListener(event, keep);
      forget();
    };
  }, []);
}
