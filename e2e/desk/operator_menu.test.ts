/** The menu of an operator's views, in a window without room for their list. */
import assert from "node:assert/strict";
import { signInNewOperator } from "../support/agents.ts";
import { assertAccessible, assertFits, deskTest, NARROW, signIn } from "./harness.ts";

deskTest("in a narrow window one menu has the views of an operator, also by keyboard", async (page) => {
  await page.setViewportSize({ width: 900, height: 1000 });
  await signIn(page, await signInNewOperator(), "operator/numbers");
  const menu = page.getByRole("button", { name: "Operator: Numbers", exact: true });
  const views = page.getByRole("navigation", { name: "Operator" });
  await menu.waitFor();
  assert.equal(await views.isVisible(), false);
  await menu.press("Enter");
  await views.getByRole("link", { name: "Numbers" }).and(page.locator("[aria-current=page]")).waitFor();
  assert.equal(await views.getByRole("link").count(), 12);
  await assertAccessible(page);
  await page.keyboard.press("Escape");
  await views.waitFor({ state: "hidden" });
  await page.locator(":focus").and(menu).waitFor();

  await menu.press("Enter");
  await page.keyboard.press("Tab");
  await page.locator(":focus").and(views.getByRole("link", { name: /^Today/ })).waitFor();
  await views.getByRole("link", { name: "Vendors" }).press("Enter");
  await page.getByRole("heading", { level: 1, name: "Vendors" }).and(page.locator(":focus")).waitFor();
  await views.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Operator: Vendors" }).waitFor();
  await assertAccessible(page);

  await page.setViewportSize(NARROW);
  await page.getByRole("button", { name: "Operator: Vendors" }).click();
  await views.getByRole("link", { name: "What we did" }).waitFor();
  await assertFits(page);
});
