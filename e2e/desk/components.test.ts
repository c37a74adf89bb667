/** Each component of desk/ui that acts, alone, on a page that is built for these tests (desk/ui/examples). */
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { exampleTest } from "./examples.ts";
import { assertAccessible, until } from "./harness.ts";

/** Whether an element has the focus. */
async function hasFocus(element: Locator): Promise<boolean> {
  return await element.and(element.page().locator(":focus")).count() === 1;
}

/** How often the example was asked to act. */
function calls(page: Page): Promise<number> {
  return page.evaluate("test.calls") as Promise<number>;
}

exampleTest(
  "action-button",
  "acts once for a double click, keeps the focus, and says what went wrong",
  async (page) => {
    const button = page.getByRole("button", { name: "Do it" });
    await button.focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await page.locator("button[aria-disabled=true]").waitFor();
    assert.equal(await calls(page), 1);
    await assertAccessible(page);
    await page.evaluate("test.reject('The service has a fault.')");
    await page.getByRole("alert").getByText("The service has a fault.").waitFor();
    assert.ok(await hasFocus(button));
    await assertAccessible(page);
    await page.keyboard.press("Space");
    await page.getByRole("alert").waitFor({ state: "detached" });
    await page.evaluate("test.resolve()");
    await page.locator("button[aria-disabled=false]").waitFor();
    assert.equal(await calls(page), 2);
  },
);

exampleTest("confirm-button", "asks first, and Escape is no consent", async (page) => {
  const dialog = page.getByRole("dialog", { name: "Delete it" });
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await dialog.getByText("It is gone then.").waitFor();
  await assertAccessible(page);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await page.keyboard.press("Enter");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "hidden" });
  assert.equal(await calls(page), 0);
  await page.keyboard.press("Enter");
  await dialog.getByRole("button", { name: "Delete it" }).click();
  await page.evaluate("test.reject('It was sent already.')");
  await dialog.getByRole("alert").getByText("It was sent already.").waitFor();
  await assertAccessible(page);
  await dialog.getByRole("button", { name: "Delete it" }).click();
  await page.evaluate("test.resolve()");
  await dialog.waitFor({ state: "hidden" });
});

exampleTest("form", "gives its fields to what it does, and tells whether that went well", async (page) => {
  const field = page.getByLabel("E-mail");
  assert.equal(await page.getByRole("textbox", { description: "Only you see it." }).count(), 1);
  await field.press("Enter");
  assert.equal(await calls(page), 0);
  await field.fill("maya@example.com");
  await field.press("Enter");
  await until(async () => await calls(page) === 1);
  assert.deepEqual(await page.evaluate("test.given"), [{ email: "maya@example.com" }]);
  await page.evaluate("test.reject('Try again in a minute.')");
  await page.getByRole("alert").getByText("Try again in a minute.").waitFor();
  await assertAccessible(page);
  await field.press("Enter");
  await page.evaluate("test.resolve()");
  await page.getByRole("status").getByText("Saved").waitFor();
});

exampleTest("load-more-button", "reads the next page, and is gone after the last", async (page) => {
  await assertAccessible(page);
  await page.getByRole("button", { name: "Show more" }).press("Enter");
  await page.getByRole("button", { name: "Loading" }).and(page.locator("[aria-disabled=true]")).waitFor();
  await page.evaluate("test.resolve()");
  await page.getByText("Row 3").waitFor();
  assert.equal(await page.getByRole("button").count(), 0);
});

exampleTest("search", "has the words once the typing pauses, without the blanks around them", async (page) => {
  await page.getByRole("searchbox", { name: "Name or last digits" }).pressSequentially(" Maya  ");
  await page.getByRole("status").getByText("|Maya", { exact: true }).waitFor();
  await assertAccessible(page);
});

exampleTest("error-boundary", "says that a view has a fault, and shows it again", async (page) => {
  await page.getByRole("heading", { name: "This view has a fault" }).waitFor();
  await assertAccessible(page);
  await page.getByRole("button", { name: "Try again" }).press("Enter");
  await page.getByRole("heading", { name: "This view has a fault" }).waitFor();
  await page.evaluate("test.isMended = true");
  await page.getByRole("button", { name: "Try again" }).press("Enter");
  await page.getByText("The view is back").waitFor();
});

exampleTest("browser", "follows the window and the network", async (page) => {
  const status = page.getByRole("status");
  await status.getByText("wide, online").waitFor();
  await page.setViewportSize({ width: 500, height: 700 });
  await status.getByText("narrow, online").waitFor();
  await page.context().setOffline(true);
  await status.getByText("narrow, offline").waitFor();
  await page.evaluate(`
    Object.defineProperty(visualViewport, "height", { configurable: true, get: () => 300 });
    visualViewport.dispatchEvent(new Event("resize"));`);
  assert.equal(await page.evaluate("document.documentElement.style.getPropertyValue('--visible-height')"), "300px");
});
