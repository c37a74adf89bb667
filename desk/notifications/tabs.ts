import { pathOf, type Place, tagOf } from "./sentences.ts";

const SHOWS = "shows ";

/** Says to the other tabs of this browser that the user sees an address here, until the returned function is called. */
export function show(address: string): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  // The browser frees a lock with its tab, also of one that crashed.
  void navigator.locks.request(SHOWS + address, { mode: "shared" }, () => promise);
  return resolve;
}

/** The addresses that the user sees in the tabs of this browser. */
export async function shownAddresses(): Promise<string[]> {
  const { held = [] } = await navigator.locks.query();
  return held.flatMap(({ name = "" }) => name.startsWith(SHOWS) ? [name.slice(SHOWS.length)] : []);
}

const NOTIFIED = "notified";
const MOST_NOTIFIED = 100;

/** Takes a notification for this tab. Returns false where another tab has it: only one of them notifies the user. */
export async function claim(id: string): Promise<boolean> {
  return await navigator.locks.request(NOTIFIED, () => {
    const notified: string[] = JSON.parse(localStorage.getItem(NOTIFIED) ?? "[]");
    if (notified.includes(id)) return false;
    localStorage.setItem(NOTIFIED, JSON.stringify([...notified, id].slice(-MOST_NOTIFIED)));
    return true;
  });
}

/** A message of the service worker to a page. Only `claim` has a port: for whether the worker shall notify the user. */
export type WorkerMessage = { claim: string } | { open: Opened } | { resubscribed: true };

/** What a click on a notification of the service worker opens: the notification's id, and the path of its view. */
export interface Opened {
  id: string;
  path: string;
}

/** The options of a notification that the service worker shows. */
export function notificationOptions(notification: Place & { id: string }): NotificationOptions {
  const data: Opened = { id: notification.id, path: pathOf(notification) };
  // A new one about the same conversation is heard, too. TypeScript does not know `renotify`.
  return { tag: tagOf(notification), renotify: true, data, icon: "icon_192.png" } as NotificationOptions;
}
