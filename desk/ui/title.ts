let title = "";
let unread = 0;

/** Sets the title of the view that is shown. */
export function setTitle(given: string): void {
  title = given;
  writeTitle();
}

/** Sets how many conversations are unread, which stands before each view's title. */
export function setUnread(count: number): void {
  unread = count;
  writeTitle();
}

function writeTitle(): void {
  document.title = `${unread > 0 ? `(${unread}) ` : ""}${title} – Desk`;
}
