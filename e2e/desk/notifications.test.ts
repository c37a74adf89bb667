import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { sql } from "../support/client.ts";
import { receive } from "../support/sms.ts";
import { assertFits, deskTest, rendered, signIn, until } from "./harness.ts";
import {
  box,
  createTalk,
  createTexter,
  list,
  OF_NOTIFICATIONS,
  signInJoined,
  tell,
  type Texter,
  texts,
} from "./talks.ts";

/**
 * Stands in for the browser's notifications, which a browser without a window does not have. `shown` has those that
 * this page has shown; asking for the permission gives what `permission` says.
 */
async function standInForNotifications(page: Page, permission: "granted" | "denied", before = "default") {
  await page.context().addInitScript(`
    globalThis.shown = [];
    globalThis.Notification = class extends EventTarget {
      static permission = origin !== "null" && localStorage.getItem("test-permission") || "${before}";
      static async requestPermission() {
        localStorage.setItem("test-permission", "${permission}");
        return this.permission = "${permission}";
      }
      constructor(title, options) {
        super();
        Object.assign(this, options, { title });
        shown.push(this);
      }
      close() {}
    };`);
}

/** The notifications that a page has shown, as they are read. */
async function shown(page: Page): Promise<string[]> {
  return await page.evaluate("shown.map(({ title, body = '' }) => title + body)") as string[];
}

/** Signs in to the inbox, waits until the page hears of what happens, and goes on to another view. */
async function openInbox(page: Page, agent: Texter, view?: string): Promise<void> {
  await tell(await createTalk(agent, "Known"), [["recruit", "Zero", 1]]);
  await signInJoined(page, agent, "inbox");
  await list(page).getByRole("link", { name: "Known" }).waitFor();
  if (view !== undefined) await page.evaluate(`location.hash = "#/${view}"`);
}

/** Resolves once the tabs of a browser have settled which of them notifies of what they have heard by now. */
async function settled(page: Page): Promise<void> {
  // Each takes a notification under this lock, and a lock is given in the order in which it is asked for.
  await page.evaluate("navigator.locks.request('notified', () => {})");
}

function toast(page: Page, words: string) {
  return page.locator(".toast").filter({ hasText: words });
}

deskTest("a notification shows only the first name, opens the recruit, and appears once for two tabs", async (page) => {
  await standInForNotifications(page, "granted", "granted");
  const agent = await createTexter();
  const talk = await createTalk(agent, "Devon", { last_name: "Oakford" });
  await openInbox(page, agent, "sales");
  await receive(talk, { Body: "My secret words" });
  await until(async () => (await shown(page)).length > 0);
  assert.deepEqual(await shown(page), ["Devon has written."]);
  await page.evaluate("shown[0].onclick()");
  await texts(page).getByText("My secret words").waitFor();

  // It is open in front of the user.
  await receive(talk, { Body: "Another one" });
  await texts(page).getByText("Another one").waitFor();
  await receive(await createTalk(agent, "Grace"), { Body: "Hello" });
  await until(async () => (await shown(page)).length > 1);
  assert.deepEqual(await shown(page), ["Devon has written.", "Grace has written."]);

  // It is open, and nobody looks.
  await page.evaluate(`
  Object.defineProperty(document, "visibilityState", { configurable: true, value: "hidden" });
  document.dispatchEvent(new Event("visibilitychange"));`);
  await receive(talk, { Body: "Still there?" });
  await until(async () => (await shown(page)).length > 2);
  assert.equal((await shown(page))[2], "Devon has written.");

  await page.evaluate(`
  delete document.visibilityState;
  document.dispatchEvent(new Event("visibilitychange"));`);
  await notifyOnce(page, agent);

  const count = (await shown(page)).length;
  await page.getByRole("button", { name: "Nora" }).click();
  await page.getByLabel("Notifications of this browser").uncheck();
  await receive(await createTalk(agent, "Lena"), { Body: "Hello" });
  await toast(page, "Lena has written.").waitFor();
  await settled(page);
  assert.equal((await shown(page)).length, count);
});

/** One of two tabs notifies, and neither does while the other shows the conversation. */
async function notifyOnce(page: Page, agent: Texter): Promise<void> {
  // No pauses: a tab that first reads its notifications after the text takes it for an old one and shows no toast. Two
  // tabs never take one notification: three that claimed 2,700 at the same time, also on busy processors, took each once.
  const talk = await createTalk(agent, "Omar");
  const other = await page.context().newPage();
  await signInJoined(other, agent, "recruits");
  const tabs = [page, other];
  const all = async () => (await Promise.all(tabs.map(shown))).flat();
  const before = await all();
  await receive(talk, { Body: "Is this still open?" });
  // A tab that shows the toast has asked for the notification.
  await Promise.all(tabs.map((tab) => toast(tab, "Omar has written.").waitFor({ state: "attached" })));
  for (const tab of tabs) await settled(tab);
  const notified = [...before, "Omar has written."];
  await until(async () => (await all()).length > before.length);
  assert.deepEqual(await all(), notified);

  await page.evaluate(`location.hash = "#/inbox/${talk.id}"`);
  await texts(page).getByText("Is this still open?").waitFor();
  // The tab that shows it hears of the notification after the others, and marks it read only then.
  const claimed = Promise.withResolvers<void>();
  await page.route(/\/rest\/v1\/(agent_notifications\?|rpc\/read_conversation)/, async (route) => {
    await claimed.promise;
    await route.continue();
  });
  await receive(talk, { Body: "Anybody?" });
  await texts(page).getByText("Anybody?").waitFor();
  const [{ id }] = await sql<[{ id: string }]>`
    select id from public.agent_notifications where conversation_id = ${talk.id} order by created_at desc limit 1`;
  await until(async () => (await page.evaluate("localStorage.notified") as string).includes(id));
  const heard = page.waitForResponse(OF_NOTIFICATIONS);
  claimed.resolve();
  await heard;
  await rendered(page);
  for (const tab of tabs) await settled(tab);
  assert.deepEqual(await all(), notified);
  await other.close();
}

deskTest("a toast, icons and an optional sound announce a recruit; notifications are offered once", async (page) => {
  await standInForNotifications(page, "denied");
  await page.addInitScript(`
  navigator.setAppBadge = async (count) => { globalThis.badge = count; };
  globalThis.sounds = 0;
  const { createOscillator } = AudioContext.prototype;
  AudioContext.prototype.createOscillator = function () { sounds++; return createOscillator.call(this); };`);
  const agent = await createTexter();
  const talk = await createTalk(agent, "Devon");
  await signInJoined(page, agent, "inbox");
  await list(page).getByText("Nobody waits for an answer.").waitFor();
  const ask = page.getByText("Shall this browser notify you when a recruit writes?");
  await ask.waitFor();
  await page.clock.install();
  const icon = () => page.evaluate("document.querySelector('link[rel=icon]').href") as Promise<string>;
  const plain = await icon();
  await receive(talk, { Body: "One" });
  const told = toast(page, "Devon has written.");
  await told.waitFor();
  assert.equal(await page.getByRole("status").filter({ has: told }).count(), 1);
  await told.hover();
  await settled(page);
  assert.equal(await page.evaluate("sounds"), 0);
  await until(async () => await icon() !== plain);
  assert.ok((await page.request.get(await icon())).ok());
  assert.equal(await page.evaluate("badge"), 1);
  await page.clock.fastForward(9_000);
  assert.ok(await told.isVisible());
  await page.mouse.move(10, 700);
  await page.clock.fastForward(9_000);
  await told.waitFor({ state: "detached" });

  await page.getByRole("button", { name: "Nora" }).click();
  await page.getByLabel("A sound when something is new").check();
  await page.keyboard.press("Escape");
  await receive(talk, { Body: "Two" });
  await until(async () => await page.evaluate("sounds") === 1);
  await told.getByRole("button", { name: "Open" }).click();
  await texts(page).getByText("Two").waitFor();
  assert.equal(await ask.count(), 0);
  assert.equal(await told.count(), 0);
  await page.getByRole("button", { name: "Done: No reply needed" }).click();
  await until(async () => await icon() === plain);
  assert.equal(await page.evaluate("badge"), 0);

  // A low phone whose keyboard is open.
  await page.setViewportSize({ width: 360, height: 440 });
  await receive(await createTalk(agent, "Bartholomew-Alexander"), { Body: "Hello" });
  const long = toast(page, "Bartholomew-Alexander has written.");
  await long.waitFor();
  const { y, height, x, width } = (await long.boundingBox())!;
  assert.ok(x >= 0 && x + width <= 360);
  for (const part of [box(page, "Devon"), page.getByRole("button", { name: "Send" })]) {
    assert.ok(y + height < (await part.boundingBox())!.y);
  }
  await assertFits(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  assert.deepEqual(await shown(page), []);
  assert.equal(await page.evaluate("localStorage.getItem('test-permission')"), null);
  await page.evaluate("location.hash = '#/inbox/waiting'");
  await page.getByRole("button", { name: "Not now" }).click();
  await ask.waitFor({ state: "hidden" });
  await page.reload();
  await page.getByRole("button", { name: "Nora" }).click();
  assert.ok(await page.getByLabel("A sound when something is new").isChecked());
  await list(page).getByRole("link", { name: "Bartholomew" }).waitFor();
  assert.equal(await ask.count(), 0);

  // Another login of this browser is asked by itself, and reads how to allow what was blocked.
  await signIn(page, await createTexter(), "inbox");
  await page.getByRole("button", { name: "Allow notifications" }).click();
  const how = page.getByText("This browser blocks notifications of this page. To allow them,").filter({
    visible: true,
  });
  await how.waitFor();
  await page.locator(".toasts").getByRole("button", { name: "OK" }).click();
  await how.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Nora" }).click();
  await how.waitFor();
});
