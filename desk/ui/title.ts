const ICON = new URL("../icon.svg", import.meta.url).href;
const WAITING_ICON = new URL("../icon_waiting.svg", import.meta.url).href;

let title = "";
let waiting = 0;

/** Sets the title of the view that is shown. */
export function setTitle(given: string): void {
  title = given;
  writeTitle();
}

/**
 * Sets how many recruits wait, which stands before each view's title and on the icon of the installed app. The page's
 * icon has a dot then.
 */
export function setWaiting(count: number): void {
  waiting = count;
  writeTitle();
  document.querySelector<HTMLLinkElement>("link[rel=icon]")!.href = count > 0 ? WAITING_ICON : ICON;
  // A browser may refuse it where the desk is not installed.
  void navigator.setAppBadge?.(count).catch(() => {});
}

function writeTitle(): void {
  document.title = `${waiting > 0 ? `(${waiting}) ` : ""}${title} – Desk`;
}
