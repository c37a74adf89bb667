import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { ROOT } from "../../dev/local/mod.ts";
import { createAgentWithLead } from "../support/agents.ts";
import { sql } from "../support/client.ts";
import { receive } from "../support/sms.ts";
import { assertAccessible, assertFits, DESK, deskTest, NARROW, rendered, signIn, until } from "./harness.ts";
import { createColleague, createTalk, createTexter, list, outbox, tell, type Texter, texts } from "./talks.ts";

/** Somebody who has every entry: a manager who is an operator too. */
async function createEverybody() {
  const manager = await createTexter("manager");
  await sql`
    insert into public.operators (user_id) select user_id from public.agents where id = ${manager.agent_id}`;
  return manager;
}

/** Each entry, and the title of its view. */
const VIEWS = Object.entries({
  Home: "Home",
  Inbox: "Inbox",
  Recruits: "Recruits",
  "Sales leads": "Sales leads",
  Settings: "Settings",
  Operator: "Today",
});

deskTest("a view that fails leaves the frame; each has its title, the focus and its entry, and fits", async (page) => {
  const violations: string[] = [];
  await page.exposeFunction("violated", (directive: string) => violations.push(directive));
  await page.addInitScript(`
  addEventListener("securitypolicyviolation", (event) =>
  violated(event.violatedDirective + " " + event.blockedURI + " " + event.sourceFile));
  globalThis.moved = 0;
  new PerformanceObserver((list) => {
  for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) moved += value;
  }).observe({ type: "layout-shift", buffered: true });`);
  const everybody = await createEverybody();
  await mendFaults(page, everybody);
  await page.route(/\/(rest|functions)\/v1\//, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 200));
    await route.continue();
  });
  // Its letters run to the left, and turn nothing around the name.
  const name = "\u05de\u05d0\u05d9\u05d4";
  await sql`update public.agents set first_name = ${name} where id = ${everybody.agent_id}`;
  const colleague = await createColleague(everybody, name);
  const talks = [await createTalk(everybody, name), await createTalk(colleague, name)] as const;
  for (const talk of talks) await tell(talk, [["recruit", "Hi", 5]]);
  await sql`
  insert into public.leads (external_id, agency_id, agent_id, first_name, phone, state, type)
  values (gen_random_uuid(), ${everybody.agency_id}, ${colleague.agent_id}, ${name}, '555', 'IL', 'fe')`;
  async function assertIsolated(view: string): Promise<void> {
    await page.getByRole("main").getByText(name).filter({ visible: true }).first().waitFor();
    const bare = await page.evaluate(`[...document.querySelectorAll("#main *")]
  .filter((element) => !element.closest("bdi, option, .visually-hidden"))
  .filter(({ childNodes }) => [...childNodes].some((node) => node.nodeType === 3 && node.data.includes("${name}")))
  .map(({ outerHTML }) => outerHTML)`);
    assert.deepEqual(bare, [], view);
  }

  const wide = page.viewportSize()!;
  const nav = page.getByRole("navigation", { name: "Main" });
  for (const [entry, title] of VIEWS) {
    // By the address: what moves after a click would not count.
    await page.evaluate(`moved = 0; location.hash = "#/${entry.split(" ")[0]!.toLowerCase()}"`);
    await page.getByRole("heading", { name: title, level: 1 }).waitFor();
    await page.locator(".skeleton").first().waitFor({ state: "detached" });
    const moved = await page.evaluate(
      "new Promise((resolve) => requestAnimationFrame(() => resolve(moved)))",
    ) as number;
    assert.ok(moved < 0.05, `${entry}: ${moved}`);
    await page.locator("h1:focus").waitFor();
    assert.equal((await page.title()).replace("(2) ", ""), `${title} – Desk`);
    assert.equal(await nav.getByRole("link", { name: entry }).getAttribute("aria-current"), "page");
    assert.equal(await nav.locator("[aria-current=page]").count(), 1);
    assert.equal(await page.getByRole("heading", { level: 1 }).count(), 1);
    if (!["Home", "Operator"].includes(entry)) await assertIsolated(entry);
    await page.setViewportSize(NARROW);
    await assertFits(page);
    assert.deepEqual(await smallTargets(page), [], title);
    const { x, width, height } = (await nav.getByRole("link", { name: entry }).boundingBox())!;
    assert.ok(x >= 0 && x + width <= NARROW.width && height >= 40, `${entry} at ${x}, ${width} x ${height}`);
    await page.setViewportSize(wide);
    await rendered(page);
  }
  for (const view of [`inbox/${talks[1].id}`, `recruits/${talks[1].lead_id}`]) {
    await page.evaluate(`location.hash = "#/${view}"`);
    await page.locator(".skeleton").first().waitFor({ state: "detached" });
    await assertIsolated(view);
  }
  // What the policy forbids.
  assert.deepEqual(violations, []);
  await page.unrouteAll({ behavior: "ignoreErrors" });
});

/** Signs in to a view that has a fault. Another one, whose file is gone, is there after a reload. */
async function mendFaults(page: Page, user: Texter): Promise<void> {
  await page.route("**/rest/v1/order_pace?**", (route) => route.fulfill({ json: [{ id: "1", quantity: null }] }));
  await page.route(/\/assets\/[^/]*\.js/, async (route) => {
    const response = await route.fetch();
    const isRecruits = (await response.text()).includes("board-page");
    await route.fulfill(isRecruits ? { status: 404, body: "" } : { response });
  });
  await signIn(page, user, "settings/orders");
  await page.getByRole("heading", { name: "This view has a fault" }).waitFor();
  await page.getByRole("link", { name: "Recruits" }).click();
  await page.getByRole("heading", { name: "This view cannot be opened" }).waitFor();
  await page.getByText("This page is older than the service, or has no connection. Reload it;").waitFor();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("link", { name: "Orders and greetings" }).click();
  await page.getByText("No order is open.").waitFor();
  await page.getByRole("link", { name: "Recruits" }).click();
  await page.getByRole("button", { name: "Reload" }).click();
  await page.getByRole("heading", { name: "Recruits", level: 1 }).waitFor();
}

/**
 * The things that are too small for a thumb: less than 24 pixels in one direction. A link in a sentence may be, a
 * box whose label is not, and a bar whose number stands in a table too.
 */
function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(
    `[...document.querySelectorAll("button, input, select, textarea, summary, nav a, li > a:not(.bar)")]
    .filter((target) => target.checkVisibility() && !target.classList.contains("visually-hidden"))
    .map((target) => target.closest("label") ?? target)
    .filter((target) => Math.min(target.offsetWidth, target.offsetHeight) < 24)
    .map(({ outerHTML }) => outerHTML)`,
  );
}

deskTest("by keyboard an agent signs in, writes, sends, cancels, and gets to each view and recruit", async (page) => {
  const agent = await createTexter();
  await sql`update public.service_numbers set status = 'paused', paused_reason = 'test' where phone = ${agent.service}`;
  const talk = await createTalk(agent);
  const other = await createTalk(agent, "Devon", { email: "devon.oakford@example.com" });
  await createTalk(await createColleague(agent), "Devona");
  await receive(talk, { Body: "Hi" });
  // An address that leads nowhere leads to the first view.
  await page.goto(`${DESK}#/nowhere/at/all`);
  await page.getByLabel("E-mail").waitFor();
  await page.keyboard.type(agent.email);
  await page.keyboard.press("Tab");
  await page.keyboard.type(agent.password);
  await page.keyboard.press("Enter");
  await list(page).getByRole("link", { name: /Maya/ }).waitFor();
  assert.equal(new URL(page.url()).hash, "#/inbox");
  await tabTo(page, "Maya, unread");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Maya" }).waitFor();
  await until(() => page.evaluate("document.activeElement.textContent === 'Maya'") as Promise<boolean>);
  await tabTo(page, "Text to Maya");
  await page.keyboard.type("By keyboard");
  await page.keyboard.press("Control+Enter");
  await texts(page).getByText("Held until the agency's number works again.").waitFor();
  await page.keyboard.press("Shift+Tab");
  await until(() => page.evaluate("document.activeElement.textContent === 'Cancel this text'") as Promise<boolean>);
  await page.keyboard.press("Enter");
  await texts(page).getByText("Not sent: it was cancelled.").waitFor();
  await until(async () => (await outbox(talk)).map(({ reason }) => reason).join() === "cancelled");

  // The first thing of the page.
  await page.getByRole("banner").getByRole("link").first().focus();
  await page.keyboard.press("Shift+Tab");
  await page.locator("a:focus", { hasText: "Skip to the content" }).waitFor();
  await page.keyboard.press("Enter");
  await page.locator("h1:focus").waitFor();

  const account = page.getByRole("button", { name: "Nora" });
  const signOut = page.getByRole("button", { name: "Sign out" });
  await account.focus();
  await page.keyboard.press("Enter");
  await signOut.waitFor();
  await assertAccessible(page);
  await page.keyboard.press("Escape");
  await signOut.waitFor({ state: "hidden" });
  await page.locator("button:focus", { hasText: "Nora" }).waitFor();
  for (const key of ["Enter", "Tab", "Enter"]) await page.keyboard.press(key);
  await page.getByRole("heading", { name: "Set your password" }).waitFor();
  assert.ok(!await signOut.isVisible());
  await account.click();
  await page.goBack();
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  await signOut.waitFor({ state: "hidden" });

  const palette = page.getByRole("dialog", { name: "Go to or do" });
  await page.keyboard.press("Control+k");
  await palette.getByRole("option", { name: "Sales leads" }).waitFor();
  await page.keyboard.type("devon");
  await palette.getByRole("option", { name: "Devon" }).waitFor();
  assert.deepEqual(await palette.getByRole("option").locator("bdi").allInnerTexts(), ["Devon"]);
  await page.keyboard.press("Enter");
  await until(() => page.url().endsWith(`#/recruits/${other.lead_id}`));
  await page.getByRole("heading", { name: "Devon" }).first().waitFor();
  await page.keyboard.press("Control+k");
  await palette.getByRole("group", { name: "Recent" }).getByRole("option", { name: "Devon" }).waitFor();
  await page.goBack();
  await palette.waitFor({ state: "detached" });
});

/** Presses Tab until the focus is on what has this name. */
async function tabTo(page: Page, name: string): Promise<void> {
  const focused = `[document.activeElement.ariaLabel, document.activeElement.textContent].join(" ")`;
  for (let pressed = 0; pressed < 40; pressed++) {
    if ((await page.evaluate(focused) as string).includes(name)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`Tab does not lead to ${name}`);
}
deskTest("the page says that it lacks its config.json, https, the user, a newer build or a network", async (page) => {
  const show = async (
    fulfilled: Parameters<Parameters<Parameters<Page["route"]>[1]>[0]["fulfill"]>[0],
    words: RegExp,
  ) => {
    await page.route("**/desk/config.json", (route) => route.fulfill(fulfilled));
    await page.goto("about:blank");
    await page.goto(DESK);
    await page.getByText(words).waitFor();
  };
  await show({ status: 404, body: "" }, /config\.json cannot be read \(HTTP 404\)\. It belongs beside the page\./);
  await show({ json: { url: "https://abc.supabase.co" } }, /config\.json has no valid "publishable_key"\./);
  await assertAccessible(page);
  await page.unrouteAll({ behavior: "ignoreErrors" });

  await page.route(
    "**/rpc/signed_in_user",
    (route) => route.fulfill({ status: 404, json: { code: "X", message: "no such" } }),
  );
  const { email, password } = await createAgentWithLead();
  await page.goto("about:blank");
  await page.goto(DESK);
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "The desk cannot be opened" }).waitFor();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.route("**/rpc/signed_in_user", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...await response.json(), migrations: "29990101000000" } });
  });
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  await page.getByText("This page is older than the service.").waitFor();
  await page.context().setOffline(true);
  await page.getByText("You are offline.").waitFor();
  await page.context().setOffline(false);
  await page.getByText("You are offline.").waitFor({ state: "hidden" });
  await page.unrouteAll({ behavior: "wait" });

  // The browser has no locks there, and makes no ids of texts.
  await page.addInitScript("Object.defineProperty(globalThis, 'isSecureContext', { value: false })");
  await page.reload();
  await page.getByText("It works only at an address that begins with https.").waitFor();
});

Deno.test("a built page has no script or style in its HTML, and a secret key is never built into it", async () => {
  const out = Deno.makeTempDirSync();
  const build = (key: string) =>
    new Deno.Command("npm", {
      args: ["run", "desk", "--", "build", "--out", out, "--url", "https://abc.supabase.co", "--key", key],
      cwd: ROOT,
    }).output();
  const refused = await build("sb_secret_x");
  assert.ok(!refused.success);
  assert.match(new TextDecoder().decode(refused.stderr), /a secret key; everybody can read what is in a page/);
  assert.deepEqual([...Deno.readDirSync(out)], []);

  assert.ok((await build("sb_publishable_x")).success);
  const pages = [...Deno.readDirSync(out)].map(({ name }) => name).filter((name) => name.endsWith(".html"));
  assert.ok(pages.includes("index.html"));
  for (const name of pages) {
    const html = Deno.readTextFileSync(join(out, name));
    assert.doesNotMatch(html, /<script(?![^>]* src=)|<style|style=|\son\w+=/, name);
    assert.match(
      html,
      /default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:;.* https:\/\/abc\.supabase\.co wss:/,
      name,
    );
  }
  assert.ok(existsSync(join(out, "config.json")));
  Deno.removeSync(out, { recursive: true });
});
