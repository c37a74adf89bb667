import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { receive } from "../support/sms.ts";
import { assertAccessible, deskTest, signIn, until } from "./harness.ts";
import {
  assertQueued,
  box,
  createTalk,
  createTexter,
  list,
  openTalk,
  send,
  tell,
  type Texter,
  texts,
} from "./talks.ts";

deskTest("a text appears, is announced, moves nothing and runs no script; what is sent is one text", async (page) => {
  await page.addInitScript(`
    globalThis.found = [];
    addEventListener("securitypolicyviolation", (event) => found.push(event.violatedDirective));
    globalThis.alert = () => found.push("alert");`);
  const agent = await createTexter();
  const talk = await openTalk(page, agent);
  await box(page).fill("I am writ");
  await receive(talk, { Body: "Hello?" });
  await texts(page).getByText("Hello?").waitFor();
  await page.locator("[aria-live=polite]", { hasText: "Maya: Hello?" }).waitFor();
  assert.equal(await box(page).evaluate("document.activeElement.value"), "I am writ");
  await list(page).getByText("Hello?").waitFor();
  await box(page).fill("x".repeat(1601));
  await page.getByText("1,601 of 1,600 · 11 segments", { exact: true }).waitFor();
  // It is too long. The page sends one text after the other, so that it would come first.
  await box(page).press("Control+Enter");
  // The box is free once the text is queued, however long the list is read.
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route("**/rest/v1/inbox?*limit=51*", async (route) => {
    await promise;
    await route.continue().catch(() => {});
  });
  await box(page).fill("When may I call?");
  await send(page).dblclick();
  await texts(page).getByText("When may I call?").waitFor();
  await until(async () => await box(page).inputValue() === "" && await box(page).getAttribute("readonly") === null);
  await assertQueued(page, talk, ["When may I call?"]);
  resolve();
  await readScripts(page, agent);
});

/** Reads a conversation whose texts and names are scripts. What runs is in `found`. */
async function readScripts(page: Page, agent: Texter): Promise<void> {
  const name = "<img src=x onerror=alert(1)>";
  const bodies = [
    "<script>alert(1)</script>",
    "<b>bold</b> javascript:alert(1)",
    "<svg onload=alert(1)>",
    "{{1+1}} ${1}",
  ];
  const talk = await createTalk(agent, name, {
    last_name: "<script>alert(2)</script>",
    email: "javascript:alert(3)",
    vendor_fields: { "<i>key</i>": "<img src=x onerror=alert(4)>" },
  });
  for (const Body of bodies) await receive(talk, { Body });
  await page.evaluate(`location.hash = "#/inbox/${talk.id}"`);
  for (const body of bodies) await texts(page).getByText(body).waitFor();
  await page.getByRole("heading", { name }).waitFor();
  await list(page).getByText(name).waitFor();
  await page.getByRole("complementary").getByText("<img src=x onerror=alert(4)>").waitFor();
  assert.equal(
    await page.locator("main img, main script, main svg[onload], main b, main i, [href^=javascript]").count(),
    0,
  );
  assert.deepEqual(await page.evaluate("found"), []);
}

deskTest("what cannot be loaded or read says so, is read again, and takes nothing else away", async (page) => {
  const manager = await createTexter("manager");
  const talk = await createTalk(manager);
  await tell(talk, [["recruit", "Is this still open?", 5]]);
  const [conversations, messages] = ["**/rest/v1/inbox*", "**/rest/v1/recruiting_messages*"] as const;
  const fail = (path: string) =>
    page.route(path, (route) => route.fulfill({ status: 400, json: { message: "broken" } }));
  await page.route(/\/recruit_timeline[^/]*\.js/, (route) => route.abort());
  // Else the page reads again by itself once it is connected.
  await page.routeWebSocket(/realtime/, () => {});
  await fail(conversations);
  await signIn(page, manager, "inbox");
  await page.getByText("The conversations could not be read.").waitFor();
  await page.unroute(conversations);
  await fail(messages);
  await list(page).getByRole("button", { name: "Try again" }).click();
  await list(page).getByRole("link", { name: /Maya/ }).click();
  await page.getByText("The texts could not be read.").waitFor();
  await page.getByText("The timeline could not be loaded.").waitFor();
  await assertAccessible(page);
  await page.unroute(messages);
  await page.getByRole("button", { name: "Try again" }).click();
  await texts(page).getByText("Is this still open?").waitFor();
  await box(page).fill("Yes, it is");
  await send(page).click();
  await assertQueued(page, talk, ["Yes, it is"]);
});
