import type { Page } from "playwright-core";
import type { SignedIn } from "../support/agents.ts";
import { startChromium } from "../desk/chromium.ts";
import { servePages } from "./pages.ts";

/** The browser of all these tests; null where none runs on this machine. */
export const chromium = await startChromium();
Deno.test.afterAll(() => chromium?.stop());

/** A test with the example pages on an origin of its own, so that nothing another test has stored is there. */
export function browserTest(
  name: string,
  run: (page: Page, origin: string) => Promise<void>,
): void {
  Deno.test({
    name,
    ignore: chromium === null,
    async fn() {
      const pages = servePages();
      const page = await chromium!.context.newPage();
      try {
        await run(page, pages.origin);
      } finally {
        for (const open of chromium!.context.pages()) {
          if (open.url().startsWith(pages.origin)) await open.close();
        }
        await pages.stop();
      }
    },
  });
}

/** Signs an agent in on the agent's page. */
export async function signIn(
  page: Page,
  origin: string,
  { email, password }: Pick<SignedIn, "email" | "password">,
): Promise<void> {
  await page.goto(origin);
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Nora Quist" }).waitFor();
}

/** Waits until something is true, for twenty seconds at most. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (let waited = 0; waited < 20_000 && !await isTrue(); waited += 50) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
