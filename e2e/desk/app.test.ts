/** The desk as an app of a phone: without a network, and while no page is open. */
import assert from "node:assert/strict";
import type { BrowserContextOptions, CDPSession, Page, Route } from "playwright-core";
import { sql } from "../support/client.ts";
import { receive } from "../support/sms.ts";
import { DESK, deskTest, PHONE, signIn, until } from "./harness.ts";
import {
  createTalk,
  createTexter,
  list,
  OF_NOTIFICATIONS,
  signInJoined,
  type Talk,
  type Texter,
  texts,
} from "./talks.ts";

const APP: BrowserContextOptions = { ...PHONE, serviceWorkers: "allow" };

/** Resolves once the service worker has stored the shell. */
async function installed(page: Page): Promise<void> {
  await page.evaluate("navigator.serviceWorker.ready.then(() => {})");
}

/** The names of the files that are cached, by cache. */
async function cached(page: Page): Promise<string[][]> {
  return await page.evaluate(`caches.keys().then((keys) => Promise.all(keys.map(async (key) =>
    (await (await caches.open(key)).keys()).map(({ url }) => url))))`) as string[][];
}

deskTest("the shell opens without a network, and an agent switches pushes on and off on a device", async (page) => {
  await standInForPush(page);
  const agent = await createTexter();
  await createTalk(agent, "Devon");
  const isMeasured = Promise.withResolvers<void>();
  const hasNoKey = async (route: Route) => {
    await isMeasured.promise;
    await route.fulfill({ json: { public_key: null } });
  };
  await page.route("**/desk/push-key", hasNoKey);
  await signIn(page, agent, "inbox/all");
  await list(page).getByRole("link", { name: "Devon" }).waitFor();
  await installed(page);
  await page.getByRole("button", { name: "Nora" }).click();
  const end = page.getByRole("button", { name: "Sign out" });
  await page.getByLabel("A new lead").waitFor();
  const { y: before } = (await end.boundingBox())!;
  isMeasured.resolve();
  await page.getByText("This service does not notify you while no page is open.").waitFor();
  const { y: after } = (await end.boundingBox())!;
  assert(Math.abs(after - before) < 10, `the menu moves under the pointer, from ${before} to ${after}`);
  await page.unroute("**/desk/push-key", hasNoKey);
  const icons = await page.evaluate(`fetch(document.querySelector("link[rel=manifest]").href)
    .then((response) => response.json())
    .then(({ icons }) => Promise.all(icons.map(({ src }) => fetch(src).then(({ ok }) => ok))))`);
  assert.deepEqual(icons, [true, true, true]);
  await page.context().setOffline(true);
  // The browser's tools let a page that is opened then believe that there is a network.
  await page.addInitScript(
    "Object.defineProperty(navigator, 'onLine', { get: () => localStorage.getItem('test-network') !== null })",
  );
  await page.reload();
  await page.getByText("You are offline.").waitFor();
  await page.getByRole("link", { name: "Recruits" }).click();
  await page.getByRole("heading", { name: "Recruits", exact: true }).waitFor();
  await page.context().setOffline(false);
  await page.evaluate("localStorage.setItem('test-network', 'back'); dispatchEvent(new Event('online'))");
  await page.getByRole("link", { name: /^Devon/ }).waitFor();
  const [files, ...others] = await cached(page);
  assert.deepEqual(others, []);
  assert.ok(files!.includes(DESK) && files!.includes(`${DESK}config.json`));
  assert.deepEqual(files!.filter((file) => !file.startsWith(DESK)), []);
  await switchPushes(page, agent);
}, APP);

deskTest("a new build replaces the old one whole, or not at all", async (page) => {
  // A host of its own, which publishes a second build.
  let host = { build: 1, isWhole: true };
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async ({ url }) => {
    const { pathname } = new URL(url);
    const response = await fetch(new URL(pathname.slice(1), DESK));
    const headers = { "content-type": response.headers.get("content-type")! };
    if (host.build === 1 || !pathname.endsWith("service_worker.js")) {
      const isOld = host.isWhole || pathname !== "/manifest.webmanifest";
      return new Response(isOld ? response.body : `${await response.text()}\n`, { headers });
    }
    return new Response((await response.text()).replace(/`[0-9a-f]{16}`/, "`the second one`"), { headers });
  });
  const update = () =>
    page.evaluate(`navigator.serviceWorker.getRegistration().then(async (registration) => {
      const updated = new Promise((resolve) => registration.onupdatefound = () => {
        const { installing } = registration;
        installing.onstatechange = () => ["activated", "redundant"].includes(installing.state) && resolve(installing.state);
      });
      await registration.update();
      return await updated;
    })`);
  await page.goto(`http://127.0.0.1:${server.addr.port}/`);
  await page.getByLabel("E-mail").waitFor();
  await installed(page);
  const [first] = await cached(page);
  host = { build: 2, isWhole: false };
  assert.equal(await update(), "redundant");
  assert.deepEqual(await cached(page), [first]);
  await page.context().setOffline(true);
  await page.reload();
  await page.getByLabel("E-mail").waitFor();
  await page.context().setOffline(false);
  host = { build: 2, isWhole: true };
  assert.equal(await update(), "activated");
  assert.deepEqual(await cached(page), [first, first]);
}, APP);

/** What the worker has shown. */
interface Shown {
  title: string;
  tag: string;
  data: { id: string; path: string };
}

/**
 * The service worker of a page. A browser without a window has no notifications, so the worker keeps what it shows, and
 * is asked to open what it has shown.
 */
async function workerOf(page: Page) {
  await installed(page);
  const context = page.context();
  const [worker] = context.serviceWorkers();
  await worker!.evaluate(`
    self.shown = [];
    ServiceWorkerRegistration.prototype.showNotification = async (title, { tag, data }) => {
      shown.push({ title, tag, data });
    };
    WindowClient.prototype.focus = async () => {};
    navigator.setAppBadge = async (...given) => { self.badge = given; };`);
  // A page of its own, so that the desk's can be closed.
  const devtools: CDPSession = await context.newCDPSession(await context.newPage());
  const { promise, resolve } = Promise.withResolvers<string>();
  devtools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
    const own = registrations.find(({ scopeURL, isDeleted }) => scopeURL === DESK && !isDeleted);
    if (own !== undefined) resolve(own.registrationId);
  });
  await devtools.send("ServiceWorker.enable");
  const registrationId = await promise;
  return {
    /** Delivers a push, as the push service does. */
    async push(push: { id?: string; talk: Talk }) {
      const { id: notification_id = crypto.randomUUID(), talk } = push;
      const data = JSON.stringify({
        ...{ notification_id, kind: "text", urgent: false, conversation_id: talk.id, lead_id: null, first_name: "Ada" },
      });
      await devtools.send("ServiceWorker.deliverPushMessage", { origin: new URL(DESK).origin, registrationId, data });
      return notification_id;
    },
    shown: async () => await worker!.evaluate("shown") as Shown[],
    badge: async () => await worker!.evaluate("self.badge") as unknown[],
    /** Clicks the last notification. */
    click: () =>
      worker!.evaluate(`
        const click = new ExtendableEvent("notificationclick");
        click.waitUntil = () => {};
        click.notification = { ...shown.at(-1), close() {} };
        dispatchEvent(click);`),
  };
}

deskTest("a push has the first name alone, opens the page, and leaves to it what it has said", async (page) => {
  const agent = await createTexter();
  const [talk, other] = [await createTalk(agent, "Ada"), await createTalk(agent, "Devon")];
  await signInJoined(page, agent, "recruits");
  const worker = await workerOf(page);
  const isClaimed = (id: string) =>
    until(async () => (await page.evaluate("localStorage.notified ?? ''") as string).includes(id));
  const heard = page.waitForResponse(OF_NOTIFICATIONS);
  await receive(talk, { Body: "Is this still open?" });
  await heard;
  const [{ id }] = await sql<[{ id: string }]>`
  select id from public.agent_notifications where conversation_id = ${talk.id}`;
  await isClaimed(id);
  await worker.push({ id, talk });
  // The worker comes first: the page leaves it to the worker.
  const pushed = await worker.push({ talk: other });
  await until(async () => (await worker.shown()).length > 0);
  await isClaimed(pushed);
  assert.deepEqual((await worker.shown()).map(({ tag }) => tag), [other.id]);
  await worker.click();
  await texts(page).waitFor();
  assert.match(page.url(), new RegExp(`#/inbox/${other.id}$`));

  // The user sees it already.
  await worker.push({ talk: other });
  await worker.push({ talk });
  await until(async () => (await worker.shown()).length > 1);
  assert.deepEqual((await worker.shown()).map(({ tag }) => tag), [other.id, talk.id]);

  // No page is open.
  await page.goto("about:blank");
  const last = await worker.push({ talk: other });
  await until(async () => (await worker.shown()).length > 2);
  const data = { id: last, path: `/inbox/${other.id}` };
  assert.deepEqual((await worker.shown())[2], { title: "Ada has written.", tag: other.id, data });
  assert.deepEqual(await worker.badge(), []);
}, APP);

/** Stands in for what a browser without a window lacks: the permission, and a push service. */
async function standInForPush(page: Page): Promise<void> {
  await page.route("**/desk/push-key", (route) => route.fulfill({ json: { public_key: "B".repeat(87) } }));
  const keys = { p256dh: "B".repeat(87), auth: "a".repeat(22) };
  const endpoint = `https://push.example/${crypto.randomUUID()}`;
  await page.addInitScript(`
    Object.defineProperty(Notification, "permission", { get: () => "granted" });
    const subscription = {
      endpoint: "${endpoint}",
      toJSON: () => (${JSON.stringify({ endpoint, keys })}),
      unsubscribe: async () => localStorage.removeItem("test-subscribed"),
    };
    PushManager.prototype.getSubscription = async () => localStorage.getItem("test-subscribed") && subscription;
    PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
      if (!userVisibleOnly || applicationServerKey.length !== 87) throw new DOMException("no", "AbortError");
      localStorage.setItem("test-subscribed", "yes");
      return subscription;
    };`);
}

/** Switches pushes on and off on a device. What the service has lost is stored again. */
async function switchPushes(page: Page, agent: Texter): Promise<void> {
  const subscriptions = async () =>
    (await sql`select id from public.push_subscriptions where agent_id = ${agent.agent_id}`).length;
  const box = page.getByLabel("Notify me on this device while no page is open");
  await page.getByRole("button", { name: "Nora" }).click();
  await box.check();
  await until(async () => await subscriptions() === 1);
  await box.uncheck();
  await until(async () => await subscriptions() === 0);
  await box.check();
  await until(async () => await subscriptions() === 1);

  // The browser has renewed it, or the service has lost it; the open page and the next start store it again.
  const lose = () => sql`delete from public.push_subscriptions where agent_id = ${agent.agent_id}`;
  await lose();
  await page.context().serviceWorkers()[0]!.evaluate(`
  PushManager.prototype.subscribe = async () => {};
  const renewed = new Event("pushsubscriptionchange");
  dispatchEvent(Object.assign(renewed, { oldSubscription: { options: {} }, waitUntil() {} }));`);
  await until(async () => await subscriptions() === 1);
  await lose();
  await page.reload();
  await until(async () => await subscriptions() === 1);
  await page.getByRole("button", { name: "Nora" }).click();
  assert.ok(await box.isChecked());
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("E-mail").waitFor();
  await until(async () => await subscriptions() === 0);
  assert.equal(await page.evaluate("localStorage.getItem('test-subscribed')"), null);
}
