import assert from "node:assert/strict";
import { join } from "node:path";
import type { SupabaseClient } from "@supabase/supabase-js";
import type { BrowserContext, BrowserContextOptions, Disposable, Page } from "playwright-core";
import { ROOT } from "../../dev/local/mod.ts";
import { stack } from "../support/client.ts";
import { type Chromium, startChromium } from "./chromium.ts";

const path = Deno.env.get("CHROMIUM");

/** Whether a browser runs on this machine. */
export const hasChromium = path !== undefined;

let started: Promise<Chromium> | undefined;

/** The browser of a process of tests, started for the first of them that runs. */
export function chromium(): Promise<Chromium> {
  return started ??= startChromium(path!);
}

Deno.test.afterAll(async () => (await started)?.stop());

/** Where the stack under test serves the desk. */
export const DESK = `${stack.api_url}/desk/`;

/** The operator of the seed. */
export const OLIVIA = { email: "olivia.park@example.com", password: "lead-intake-local" };

/** A page of the desk's origin that has no script. */
const EMPTY = `${DESK}config.json`;

const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 800 } };

/** A phone of a small size. */
export const PHONE: BrowserContextOptions = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

/** The narrowest window that the desk is made for. */
export const NARROW = { width: 320, height: 640 };

// The browser parses ASCII faster.
const AXE = Deno.readTextFileSync(join(ROOT, "node_modules/axe-core/axe.min.js"))
  .replace(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);

const faults: string[] = [];
// Otherwise an error that no test catches would end all of them.
for (const kind of ["error", "unhandledrejection"] as const) {
  addEventListener(kind, (event) => {
    event.preventDefault();
    faults.push(String(event instanceof ErrorEvent ? event.error : (event as PromiseRejectionEvent).reason));
  });
}

/** The page for the next test with these options. The desk's scripts are loaded and compiled there. */
const kept = new Map<BrowserContextOptions, Page>();

/** The methods whose effect on a page stays when it is reloaded. */
const LASTING = [
  ...["addInitScript", "addLocatorHandler", "exposeBinding", "exposeFunction", "routeWebSocket", "setExtraHTTPHeaders"],
  // Those of its clock.
  ...["install", "pauseAt", "setFixedTime", "setSystemTime"],
];

/** The effects of these methods that can be undone, by context. */
const effects = new WeakMap<BrowserContext, Disposable[]>();

/** The contexts that a test has changed in a way that cannot be undone. */
const spoilt = new WeakSet<BrowserContext>();

/** A test with a browser in which nobody is signed in. A fault of a script, the page's or its own, fails it. */
export function deskTest(
  name: string,
  run: (page: Page) => Promise<void>,
  options: BrowserContextOptions = DESKTOP,
): void {
  Deno.test({
    name,
    ignore: !hasChromium,
    async fn() {
      const page = kept.get(options) ?? await openPage(options);
      kept.delete(options);
      const context = page.context();
      // A call without a timeout of its own would end no test. It ends with its page.
      const limit = setTimeout(() => void context.close(), 180_000);
      let isKept = false;
      try {
        await run(page);
        isKept = (options === DESKTOP || options === PHONE) && !page.isClosed() && !spoilt.has(context);
      } catch (error) {
        const shown = await page.locator("body").ariaSnapshot({ timeout: 1_000 }).catch(() => "nothing");
        (error as Error).message += `\n${page.url()} shows:\n${shown}`;
        throw error;
      } finally {
        clearTimeout(limit);
        // Otherwise what still fulfils a request would end all tests of the file.
        for (const part of [context, ...context.pages()]) await part.unrouteAll({ behavior: "ignoreErrors" });
        if (isKept) await clear(page, options);
        else await context.close();
      }
      assert.deepEqual(faults.splice(0), []);
      if (isKept) kept.set(options, page);
    },
  });
}

async function openPage(options: BrowserContextOptions): Promise<Page> {
  const context = await (await chromium()).newContext({
    timezoneId: "America/Chicago",
    locale: "en-US",
    // What moves is painted again and again.
    reducedMotion: "reduce",
    // What a worker reads is not routed by a test.
    serviceWorkers: "block",
    ...options,
  });
  context.on("weberror", (fault) => faults.push(String(fault.error())));
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  for (const part of [page, context, context.clock]) {
    for (const name of LASTING.filter((name) => name in part)) {
      const act = Reflect.get(part, name).bind(part);
      Reflect.set(part, name, async (...given: unknown[]) => {
        const effect: Disposable | void = await act(...given);
        if (effect === undefined) spoilt.add(context);
        else effects.set(context, [...effects.get(context) ?? [], effect]);
        return effect;
      });
    }
  }
  return page;
}

/** Removes everything that a test may have left in a page, except for loaded and compiled scripts. */
async function clear(page: Page, { viewport }: BrowserContextOptions): Promise<void> {
  const context = page.context();
  for (const other of context.pages()) if (other !== page) await other.close();
  page.removeAllListeners();
  for (const effect of effects.get(context) ?? []) await effect.dispose();
  effects.delete(context);
  await context.setOffline(false);
  await page.goto(EMPTY);
  await page.evaluate("sessionStorage.clear(); name = ''");
  const devtools = await context.newCDPSession(page);
  await devtools.send("Storage.clearDataForOrigin", { origin: new URL(DESK).origin, storageTypes: "all" });
  await devtools.send("Page.resetNavigationHistory");
  await devtools.detach();
  await context.clearPermissions();
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(viewport!);
  await page.mouse.move(0, 0);
}

/** Runs `work` with a page of another browser, which may read and write the clipboard. */
export async function withOther(page: Page, work: (other: Page) => Promise<void>): Promise<void> {
  const context = await page.context().browser()!.newContext({ viewport: { width: 1280, height: 800 } });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  try {
    const other = await context.newPage();
    other.setDefaultTimeout(20_000);
    await work(other);
  } finally {
    await context.close();
  }
}

/** Opens a view of the desk for a user who is signed in already, and waits until it is there. */
export async function signIn(
  page: Page,
  user: { client?: SupabaseClient; email: string; password: string },
  view = "",
): Promise<void> {
  if (user.client === undefined) return await signInByForm(page, user, view);
  const { data: { session } } = await user.client.auth.getSession();
  // Stored once by another page of the origin: a reload of the desk does not store it again.
  if (page.url() !== EMPTY) await page.goto(EMPTY);
  await page.evaluate((session) => localStorage.setItem("desk-session", session), JSON.stringify(session));
  await page.goto(`${DESK}#/${view}`);
  await frameStands(page);
}

/** Signs in as a person does, which takes longer. */
export async function signInByForm(
  page: Page,
  { email, password }: { email: string; password: string },
  view = "",
): Promise<void> {
  await page.goto(`${DESK}#/${view}`);
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await frameStands(page);
}

/** Resolves when the frame is there. On a phone an open conversation hides it. */
async function frameStands(page: Page): Promise<void> {
  await page.locator("header").waitFor({ state: "attached" });
}

/** Asserts that axe finds no fault in a view, or in the part of it that a selector names. */
export async function assertAccessible(page: Page, part?: string): Promise<void> {
  assert.deepEqual(await violations(page, {}, part), []);
}

/**
 * Asserts that the words of a view can be read in light and in dark, and that axe finds no other fault. All colours are
 * tokens (desk/ui/tokens.css): once for each style sheet and each kind of part that has colours of its own is enough.
 */
export async function assertAccessibleInDarkToo(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: "dark" });
  assert.deepEqual(await violations(page, { runOnly: ["color-contrast"] }), [], "in dark");
  await page.emulateMedia({ colorScheme: "light" });
  await assertAccessible(page);
}

async function violations(page: Page, rules: { runOnly?: string[] }, part = "html"): Promise<unknown> {
  if (!await page.evaluate("'axe' in globalThis")) await page.evaluate(AXE);
  // Where each of the elements without a fault is takes longest to find out.
  const options = { ...rules, resultTypes: ["violations"], selectors: false };
  return await page.evaluate(
    `axe.run(${JSON.stringify(part)}, ${JSON.stringify(options)}).then(({ violations }) => violations.map((
      { id, nodes },
    ) => ({ id, nodes: nodes.map(({ html, failureSummary }) => html + failureSummary) })))`,
  );
}

/**
 * Leaves the vendors of other tests out of the charts and tables of vendors: it would take axe half a minute to look at hundreds,
 * and of so many rows only those that show are on the page.
 */
export async function hideOtherVendors(page: Page, ...own: string[]): Promise<void> {
  const lists = [["rpc/count_vendor_days", "vendor"], ["rpc/vendor_quality", "vendor"], [
    "vendor_list",
    "slug",
  ]] as const;
  for (const [path, name] of lists) {
    await page.route(`**/rest/v1/${path}*`, async (route) => {
      // What is on its way when a view is left, or the test ends, is read by nobody.
      const response = await route.fetch().catch(() => null);
      if (response === null) return;
      const vendors: Record<string, string>[] = response.ok() ? await response.json() : [];
      const json = vendors.filter(({ [name]: slug }) => own.includes(slug!) || !slug!.startsWith("test-"));
      await route.fulfill(response.ok() ? { response, json } : { response }).catch(() => {});
    });
  }
}

/** Asserts that nothing makes the page wider than the screen, once it has been laid out for its size. */
export async function assertFits(page: Page): Promise<void> {
  // Less than nothing where room is kept for a scroll bar that is not there.
  const excess = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
  let pixels = 0;
  await until(async () => (pixels = await page.evaluate(excess)) <= 0).catch(() => {
    assert.fail(`${page.url()} is ${pixels} px wider than the screen`);
  });
}

/** Resolves once the page has rendered what it has read by now. */
export async function rendered(page: Page): Promise<void> {
  await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))");
}

/** Waits until something is true, for twenty seconds at most. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 20_000; !await isTrue();) {
    assert(Date.now() < deadline, `not so within 20 s: ${isTrue}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
