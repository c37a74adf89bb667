/// <reference no-default-lib="true" />
/// <reference lib="esnext" />
/// <reference lib="webworker" />
/**
 * The service worker of the desk: the shell opens without a network, and pushes are shown while no page is open. The
 * build (dev/scripts/desk.ts) makes it a file of its own, and defines the files of this build.
 */
import { isAbout, sentenceOf } from "./notifications/sentences.ts";
import { notificationOptions, type Opened, shownAddresses, type WorkerMessage } from "./notifications/tabs.ts";

declare const self: ServiceWorkerGlobalScope;
/** The files of this build by their names, "" for the page, with the hash of each. */
declare const FILES: Record<string, string>;
/** Identifies the build. */
declare const BUILD: string;

/** The data of a push (docs/frontend.md). */
interface Push {
  notification_id: string;
  kind: string;
  urgent: boolean;
  conversation_id: string | null;
  lead_id: string | null;
  first_name: string | null;
}

const { scope } = self.registration;
/** The caches of this desk: others may be at the same origin. */
const PREFIX = `desk ${scope} `;
const CACHE = PREFIX + BUILD;
const CONFIG = "config.json";
/** A connection that takes longer is as good as none. */
const NETWORK_MS = 4_000;
/** How long a page that may be frozen has to answer. */
const ANSWER_MS = 1_000;

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(removeOldBuilds()));
self.addEventListener("fetch", (event) => {
  const name = nameOf(event.request);
  if (name === null) return;
  if (event.request.mode === "navigate" || name === CONFIG) event.respondWith(fromNetwork(event.request, name));
  else if (name in FILES || name.startsWith("assets/")) event.respondWith(fromCache(event.request));
});
self.addEventListener("push", (event) => event.waitUntil(showPush(event.data!.json())));
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data));
});
self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(subscribeAgain(event as never)));

/** Stores all files of this build or none: a file of another build has another hash. */
async function install(): Promise<void> {
  const files = Object.entries(FILES).map(([name, integrity]) =>
    new Request(scope + name, { integrity, cache: "no-cache" })
  );
  const isKnown = await caches.has(CACHE);
  const cache = await caches.open(CACHE);
  try {
    await cache.addAll([...files, new Request(scope + CONFIG, { cache: "no-cache" })]);
  } catch (error) {
    if (!isKnown) await caches.delete(CACHE);
    throw error;
  }
  await self.skipWaiting();
}

/** Keeps the build before this one, whose pages may be open and load more of their files. */
async function removeOldBuilds(): Promise<void> {
  const builds = (await caches.keys()).filter((name) => name.startsWith(PREFIX));
  await Promise.all(builds.slice(0, -2).map((name) => caches.delete(name)));
}

/** The name of a file of the desk, "" for its page; null for any other address. */
function nameOf({ method, url }: Request): string | null {
  const address = url.split(/[?#]/)[0]!;
  if (method !== "GET" || !address.startsWith(scope)) return null;
  const name = address.slice(scope.length);
  return name === "index.html" ? "" : name;
}

/** A page, or its configuration, as the host has it now; without a connection that of this build. */
async function fromNetwork(request: Request, name: string): Promise<Response> {
  const fetched = fetch(request);
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, NETWORK_MS));
  const response = await Promise.race([fetched, late]).catch(() => undefined);
  const cache = await caches.open(CACHE);
  if (response === undefined || response.status >= 500) {
    return await cache.match(scope + (name in FILES || name === CONFIG ? name : "")) ?? await fetched;
  }
  if (response.ok && name === CONFIG) await cache.put(scope + CONFIG, response.clone());
  return response;
}

/** A file whose content its name determines, of this build or the one before. */
async function fromCache(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  return await cache.match(request) ?? await caches.match(request) ?? await fetch(request);
}

async function showPush({ notification_id: id, first_name, ...push }: Push): Promise<void> {
  // A push does not say whether the bot or a colleague has given a conversation.
  const reason = push.kind === "handoff" ? "assigned" : null;
  const sentence = sentenceOf({ ...push, reason, others: null, by: null, recruit: { first_name, last_name: null } });
  const isSeen = (await shownAddresses()).some((address) => isAbout(address, push));
  if (isSeen || await isNotified(id)) return;
  await navigator.setAppBadge?.();
  await self.registration.showNotification(sentence, notificationOptions({ id, ...push }));
}

/** Whether an open page notifies the user. Each claims for the worker, so none does what the worker does. */
async function isNotified(id: string): Promise<boolean> {
  const answers = await Promise.all((await pages()).map((page) => ask(page, { claim: id })));
  return answers.includes(false) && !answers.includes(true);
}

/** The answer of a page; undefined when none comes in time. */
function ask(page: WindowClient, message: WorkerMessage): Promise<boolean | undefined> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    setTimeout(resolve, ANSWER_MS);
    port1.onmessage = ({ data }) => resolve(data);
    page.postMessage(message, [port2]);
  });
}

/** Opens a view in a page that is open, the one that the user had last, or in a new one. */
async function open(opened: Opened): Promise<void> {
  const [page] = await pages();
  if (page === undefined) return void await self.clients.openWindow(`${scope}#${opened.path}`);
  page.postMessage({ open: opened } satisfies WorkerMessage);
  await page.focus();
}

/** The browser has ended the subscription. A page that is open stores the new one, else the next that is opened. */
async function subscribeAgain({ oldSubscription }: { oldSubscription: PushSubscription | null }): Promise<void> {
  if (oldSubscription === null) return;
  await self.registration.pushManager.subscribe(oldSubscription.options);
  for (const page of await pages()) page.postMessage({ resubscribed: true } satisfies WorkerMessage);
}

/** The open pages of the desk, the one that the user had last first. A presentation is none. */
async function pages(): Promise<WindowClient[]> {
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true }) as WindowClient[];
  return windows.filter(({ url }) => [scope, `${scope}index.html`].includes(url.split(/[?#]/)[0]!));
}
