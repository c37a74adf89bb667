/** The menu of an operator's views, in a window without room for their list. */
import assert from "node:assert/strict";
import { signInNewOperator } from "../support/agents.ts";
import { assertAccessible, assertFits, deskTest, NARROW, signIn } from "./harness.ts";

deskTest(
  "in a narrow window what has something to do stands above, and a menu has the rest, also by keyboard",
  async (page) => {
    await page.setViewportSize({ width: 900, height: 1000 });
    await signIn(page, await signInNewOperator(), "operator/numbers");
    const queues = page.getByRole("navigation", { name: "Operator", exact: true });
    await queues.getByRole("link", { name: "Unmatched texts" }).waitFor();
    assert.equal(await queues.getByRole("link").count(), 5);
    assert.equal(await queues.locator("[aria-current]").count(), 0);
    const menu = page.getByRole("button", { name: "Numbers", exact: true });
    const views = page.getByRole("navigation", { name: "More of the operator" });
    await menu.and(page.locator("[aria-current]")).waitFor();
    assert.equal(await views.isVisible(), false);
    await menu.press("Enter");
    await views.getByRole("link", { name: "Numbers" }).and(page.locator("[aria-current=page]")).waitFor();
    assert.equal(await views.getByRole("link").count(), 8);
    await assertAccessible(page);
    await page.keyboard.press("Escape");
    await views.waitFor({ state: "hidden" });
    await page.locator(":focus").and(menu).waitFor();

    await menu.press("Enter");
    await page.keyboard.press("Tab");
    await page.locator(":focus").and(views.getByRole("link", { name: /^Search/ })).waitFor();
    await views.getByRole("link", { name: "Vendors" }).press("Enter");
    await page.getByRole("heading", { level: 1, name: "Vendors" }).and(page.locator(":focus")).waitFor();
    await views.waitFor({ state: "hidden" });
    await assertAccessible(page);

    await page.setViewportSize(NARROW);
    await page.getByRole("button", { name: "Vendors", exact: true }).click();
    await queues.getByRole("link", { name: "Unmatched texts" }).click();
    await page.getByRole("heading", { level: 1, name: "Unmatched texts" }).and(page.locator(":focus")).waitFor();
    await assertFits(page);
    await page.getByRole("button", { name: /^Unmatched texts/ }).click();
    assert.equal(await queues.getByRole("link").count(), 13);
    await assertFits(page);
    await assertAccessible(page);
    await queues.getByRole("link", { name: "Audit log" }).click();
    await page.getByRole("heading", { level: 1, name: "Audit log" }).waitFor();
  },
);
