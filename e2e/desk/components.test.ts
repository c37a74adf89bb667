/** Each component of desk/ui that acts, alone, on a page that is built for these tests (desk/ui/examples): keyboard, address, axe. */
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { exampleTest, showExample } from "./examples.ts";
import { assertAccessible, assertAccessibleInDarkToo, assertFits, PHONE, until } from "./harness.ts";

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
  "a button, a question, a form and a fault act once, and say what went wrong",
  async (page) => {
    const button = page.getByRole("button", { name: "Do it" });
    await button.focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await page.locator("button[aria-disabled=true]").waitFor();
    assert.equal(await calls(page), 1);
    await page.evaluate("test.reject('The service has a fault.')");
    await page.getByRole("alert").getByText("The service has a fault.").waitFor();
    assert.ok(await hasFocus(button));
    await page.keyboard.press("Space");
    await page.getByRole("alert").waitFor({ state: "detached" });
    await page.evaluate("test.resolve()");
    await page.locator("button[aria-disabled=false]").waitFor();
    assert.equal(await calls(page), 2);

    await showExample(page, "confirm-button");
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
    await dialog.getByRole("button", { name: "Delete it" }).click();
    await page.evaluate("test.resolve()");
    await dialog.waitFor({ state: "hidden" });

    await showExample(page, "form");
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
    await assertAccessibleInDarkToo(page);
    await field.press("Enter");
    await page.evaluate("test.resolve()");
    await page.getByRole("status").getByText("Saved").waitFor();

    await showExample(page, "error-boundary");
    await page.getByRole("heading", { name: "This view has a fault" }).waitFor();
    await assertAccessible(page);
    await page.getByRole("button", { name: "Try again" }).press("Enter");
    await page.getByRole("heading", { name: "This view has a fault" }).waitFor();
    await page.evaluate("test.isMended = true");
    await page.getByRole("button", { name: "Try again" }).press("Enter");
    await page.getByText("The view is back").waitFor();

    await showExample(page, "parts");
    await assertAccessibleInDarkToo(page);
    await page.setViewportSize(PHONE.viewport!);
    await assertFits(page);
  },
);

exampleTest("table", "is sorted and selected from, as a chart is", async (page) => {
  const names = () => page.getByRole("rowheader").allInnerTexts();
  assert.deepEqual((await names()).slice(0, 2), ["Devon Price", "Grace Kim"]);
  await page.getByRole("button", { name: "Waiting" }).click();
  assert.match(page.url(), /#\/table\?sort=-waiting$/);
  assert.deepEqual((await names()).slice(0, 2), ["Devon Price", "Omar Haddad"]);
  assert.equal(await page.getByRole("columnheader", { name: "Waiting" }).getAttribute("aria-sort"), "descending");
  await page.reload();
  await page.getByRole("rowheader").first().waitFor();
  assert.deepEqual((await names()).slice(0, 2), ["Devon Price", "Omar Haddad"]);
  await page.getByRole("button", { name: "Name" }).click();
  assert.match(page.url(), /#\/table$/);

  await page.getByLabel("Select Grace Kim").check();
  await page.getByLabel("Select all that are shown").check();
  await page.getByRole("group", { name: "Selected rows" }).getByText("6 selected").waitFor();
  await page.getByLabel("Select Maya Ortiz").uncheck();
  await page.getByRole("button", { name: "Give them away" }).click();
  await page.getByRole("group", { name: "Selected rows" }).waitFor({ state: "detached" });

  await page.getByRole("button", { name: "More about Maya Ortiz" }).click();
  await page.getByRole("menuitem", { name: "Archive" }).click();
  assert.match(await page.locator("output").innerText(), /^give Devon Price.*;archive Maya Ortiz;$/);

  const selected = () => page.getByRole("checkbox", { checked: true }).evaluateAll((all) => all.length);
  const box = (name: string) => page.getByLabel(`Select ${name}`);
  await box("Grace Kim").click();
  await box("Ruth Lindqvist").click({ modifiers: ["Shift"] });
  await page.getByText("4 selected").waitFor();
  assert.equal(await page.evaluate("getSelection().toString()"), "");
  await box("Maya Ortiz").click();
  await box("Omar Haddad").click({ modifiers: ["Shift"] });
  await page.getByText("2 selected").waitFor();

  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Shift+ArrowUp");
  await page.locator(":focus").and(box("Devon Price")).waitFor();
  await page.getByText("3 selected").waitFor();
  await box("Tomás Rivera").focus();
  await page.keyboard.press("Shift+Space");
  await page.getByText("6 selected").waitFor();
  assert.equal(await selected(), 7, "with the one that selects all");

  await showExample(page, "table-long");
  assert(await page.getByRole("row").count() < 100);
  await until(async () => {
    await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
    return await page.locator("tr[aria-rowindex='5001']").count() === 1;
  });
  assert(await page.getByRole("row").count() < 100);
  // The head stays where it is.
  assert((await page.getByRole("columnheader", { name: "State" }).boundingBox())!.y < 60);

  await showExample(page, "bar-chart");
  const bar = (name: RegExp) => page.getByRole("link", { name });
  await bar(/^Nov 23: 8 recruits, Indeed 2, Job board 4, ZipRecruiter 1, Referral 1$/).focus();
  await page.keyboard.press("ArrowLeft");
  await page.locator(".tip").getByText("Nov 22: 7").waitFor();
  await page.keyboard.press("Enter");
  await until(() => page.url().endsWith("#/day/12"));
  await page.getByRole("button", { name: "Table" }).click();
  await page.getByRole("row", { name: /^Nov 13 6 4 3 1 14$/ }).waitFor();

  await showExample(page, "browser");
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

exampleTest(
  "menu",
  "keys go through it and a palette; a drawer closes, a toast closes or undoes, a search waits",
  async (page) => {
    const button = page.getByRole("button", { name: "More" });
    await button.focus();
    await page.keyboard.press("Enter");
    await page.locator("[role=menuitem]:focus", { hasText: "Snooze" }).waitFor();
    await assertAccessibleInDarkToo(page);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("output").innerText(), "delete;");
    await page.keyboard.press("Enter");
    await page.locator("[role=menuitem]:focus").waitFor();
    await page.keyboard.press("Escape");
    await page.locator("button:focus", { hasText: "More" }).waitFor();

    await showExample(page, "palette");
    const options = page.getByRole("option");
    assert.equal(await options.count(), 3);
    await assertAccessibleInDarkToo(page);
    await page.keyboard.type("rec go");
    assert.deepEqual(await options.locator("bdi").allInnerTexts(), ["Recruits", "Maya Ortiz"]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("output").innerText(), "maya;");
    await page.getByRole("dialog").waitFor({ state: "detached" });

    await showExample(page, "drawer");
    const open = page.getByRole("button", { name: "Open it" });
    const drawer = page.getByRole("dialog", { name: "About Maya" });
    const closes = [
      () => page.keyboard.press("Escape"),
      () => page.getByRole("button", { name: "Close" }).click(),
      () => page.mouse.click(20, 300),
    ];
    for (const close of closes) {
      await open.click();
      await drawer.waitFor();
      await close();
      await drawer.waitFor({ state: "detached" });
    }

    await showExample(page, "toast");
    await page.clock.install();
    const toasts = page.locator(".toast");
    for (let n = 0; n < 4; n++) await page.getByRole("button", { name: "Move" }).click();
    assert.deepEqual(await toasts.locator("> span").allInnerTexts(), ["Moved 2", "Moved 3", "Moved 4"]);
    await assertAccessibleInDarkToo(page);
    await toasts.first().getByRole("button", { name: "Undo" }).click();
    assert.equal(await page.locator("output").innerText(), "undo 2;");
    await page.mouse.move(0, 0);
    await page.keyboard.press("Escape");
    assert.deepEqual(await toasts.locator("> span").allInnerTexts(), ["Moved 3"]);
    await page.clock.fastForward(60_000);
    await until(async () => await toasts.count() === 0);

    await showExample(page, "search");
    // On a busy machine the keys would come with pauses.
    await page.clock.pauseAt(Date.now() + 3_600_000);
    await page.getByRole("searchbox", { name: "Name or last digits" }).pressSequentially(" Maya  ");
    await page.clock.runFor(200);
    const status = page.getByRole("status");
    assert.equal(await status.innerText(), "");
    await page.clock.runFor(100);
    await status.getByText("|Maya", { exact: true }).waitFor();
  },
);
