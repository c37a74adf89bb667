import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { stack } from "../support/client.ts";

/** It changes with each new access token; that of one second may be the same. */
export function refreshTokenIn(page: Page): Promise<string> {
  return page.evaluate(() => JSON.parse(localStorage.getItem("desk-session")!).refresh_token);
}

/** Lets the page's access token be over. Returns it. */
export function expire(page: Page): Promise<string> {
  return page.evaluate(() => {
    const session = JSON.parse(localStorage.getItem("desk-session")!);
    localStorage.setItem("desk-session", JSON.stringify({ ...session, expires_at: 1 }));
    return session.access_token;
  });
}

/** Tells the page what a tab hears when its user comes back to it. */
export async function wake(page: Page): Promise<void> {
  await page.evaluate(() => dispatchEvent(new Event("visibilitychange")));
}

/** Ends the page's session at the service, as an operator or a new password does. */
export async function revoke(page: Page): Promise<void> {
  const token = await page.evaluate<string>(() => JSON.parse(localStorage.getItem("desk-session")!).access_token);
  const response = await fetch(`${stack.api_url}/auth/v1/logout`, {
    method: "POST",
    headers: { apikey: stack.publishable_key, authorization: `Bearer ${token}` },
  });
  assert.equal(response.status, 204);
  // Not sooner: the page would get another session.
  await expire(page);
}
