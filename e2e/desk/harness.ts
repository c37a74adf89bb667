import assert from "node:assert/strict";
import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { ROOT } from "../../dev/local/mod.ts";
import { stack } from "../support/client.ts";
import { startChromium } from "./chromium.ts";

/** The browser of all these tests; null where none runs on this machine. */
export const chromium = await startChromium();
Deno.test.afterAll(() => chromium?.stop());

/** Where the stack under test serves the desk. */
export const DESK = `${stack.api_url}/desk/`;

/** A phone of a small size. */
export const PHONE: BrowserContextOptions = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

/** The narrowest window that the desk is made for. */
export const NARROW = { width: 320, height: 640 };

const AXE = Deno.readTextFileSync(join(ROOT, "node_modules/axe-core/axe.min.js"));

/** A test with a browser of its own, in which nobody is signed in. A fault of the page's own script fails it. */
export function deskTest(
  name: string,
  run: (page: Page) => Promise<void>,
  options: BrowserContextOptions = { viewport: { width: 1280, height: 800 } },
): void {
  Deno.test({
    name,
    ignore: chromium === null,
    async fn() {
      const context = await chromium!.newContext({ timezoneId: "America/Chicago", locale: "en-US", ...options });
      const faults: string[] = [];
      context.on("weberror", (fault) => faults.push(String(fault.error())));
      const page = await context.newPage();
      page.setDefaultTimeout(20_000);
      try {
        await run(page);
      } finally {
        await context.close();
      }
      assert.deepEqual(faults, []);
    },
  });
}

/** Signs in at the desk, and waits until its first view is there. */
export async function signIn(
  page: Page,
  { email, password }: { email: string; password: string },
  view = "",
): Promise<void> {
  await page.goto(`${DESK}#/${view}`);
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("banner").waitFor();
}

/** Asserts that a view has no fault that axe finds, in light and in dark. */
export async function assertAccessible(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(AXE);
    const violations: { id: string; nodes: string[] }[] = await page.evaluate(`axe.run().then(({ violations }) =>
      violations.map(({ id, nodes }) =>
        ({ id, nodes: nodes.map(({ html, failureSummary }) => html + failureSummary) })))`);
    assert.deepEqual(violations, [], colorScheme);
  }
  await page.emulateMedia({ colorScheme: "light" });
}

/** Asserts that nothing makes the page wider than the screen. */
export async function assertFits(page: Page): Promise<void> {
  assert.equal(await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"), 0);
}

/** Keeps a picture of a view for the docs, in the folder that DESK_PICTURES names. Without it nothing happens. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = Deno.env.get("DESK_PICTURES");
  if (folder) await page.screenshot({ path: join(ROOT, folder, `${name}.png`) });
}

/** Waits until something is true, for twenty seconds at most. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 20_000; !await isTrue();) {
    assert(Date.now() < deadline, `not so within 20 s: ${isTrue}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
