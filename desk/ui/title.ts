const ICON = new URL("../icon.svg", import.meta.url).href;
const UNREAD_ICON = new URL("../icon_unread.svg", import.meta.url).href;

let title = "";
let unread = 0;

/** Sets the title of the view that is shown. */
export function setTitle(given: string): void {
  title = given;
  writeTitle();
}

/**
 * Sets how many conversations are unread, which stands before each view's title and on the icon of the installed app.
 * The page's icon has a dot then.
 */
export function setUnread(count: number): void {
  unread = count;
  writeTitle();
  document.querySelector<HTMLLinkElement>("link[rel=icon]")!.href = count > 0 ? UNREAD_ICON : ICON;
  // A browser may refuse it where the desk is not installed.
  void navigator.setAppBadge?.(count).catch(() => {});
}

function writeTitle(): void {
  document.title = `${unread > 0 ? `(${unread}) ` : ""}${title} – Desk`;
}
