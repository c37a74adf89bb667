import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import type { Page } from "playwright-core";
import { MAIL_FOLDER, mailFile, ROOT, stackInfoFile } from "../../dev/local/mod.ts";
import { adminJson } from "../support/admin.ts";
import { createAgentWithLead, signInNewAgent } from "../support/agents.ts";
import { createAgency, sql } from "../support/client.ts";
import { expire, refreshTokenIn, revoke, wake } from "./tokens.ts";
import {
  assertAccessible,
  assertAccessibleInDarkToo,
  DESK,
  deskTest,
  PHONE,
  signIn,
  signInByForm,
  until,
} from "./harness.ts";

deskTest("an agent signs in on a phone, signs out also offline, and learns what is not for agents", async (page) => {
  const { agent_id, email, password } = await createAgentWithLead();
  await page.goto(DESK);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  assert.equal(await page.title(), "Sign in – Desk");
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill("wrong");
  await press(page, "Sign in");
  await page.getByText("The e-mail address or the password is wrong.").waitFor();
  await assertAccessibleInDarkToo(page);

  await page.getByLabel("Password").fill(password);
  for (
    const [status, sentence] of [
      [0, "No connection. Check your network and try again."],
      [429, "Too many attempts. Try again in a minute."],
    ] as const
  ) {
    await page.route(
      "**/auth/v1/token**",
      (route) =>
        status === 0 ? route.abort() : route.fulfill({ status, json: { code: status, error_code: "x", msg: "x" } }),
    );
    await press(page, "Sign in");
    await page.getByText(sentence).waitFor();
    await page.unrouteAll({ behavior: "ignoreErrors" });
  }
  await press(page, "Sign in");
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  await page.locator("h1:focus").waitFor();
  await readWhy(page, agent_id);
  await page.route("**/auth/v1/logout**", (route) => route.abort());
  await signOut(page);
  await page.reload();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
}, PHONE);

/** Opens parts that are for others or were switched off. The page says so. */
async function readWhy(page: Page, agent_id: string): Promise<void> {
  for (
    const [view, who] of [
      ["Home", "an agency's managers"],
      ["Settings", "an agency's managers"],
      ["Operator", "operators of the service"],
    ] as const
  ) {
    await page.evaluate(`location.hash = "#/${view.toLowerCase()}"`);
    await page.getByText(`This part is for ${who}.`).waitFor();
    assert.equal(await page.getByRole("link", { name: view }).count(), 0);
  }
  await sql`update public.agents set is_active = false where id = ${agent_id}`;
  // As when the user comes back to the tab.
  await page.evaluate(() => dispatchEvent(new Event("visibilitychange")));
  await page.getByText("This login has no desk.").waitFor();
  await page.reload();
  await page.getByText("This login has no desk.").waitFor();
}

deskTest("an invited agent sets a password by the link of docs/hosting.md, and of the service's own", async (page) => {
  const { email, agent_id } = await invite();
  const link = templateLink("invite", linkTo(email));
  await page.goto(link);
  await page.getByRole("heading", { name: "Welcome" }).waitFor();
  const addresses = () => page.evaluate("navigation.entries().map(({ url }) => url).join()") as Promise<string>;
  assert.doesNotMatch(await addresses(), /token/);
  await assertAccessible(page);
  const [user] = await sql`
    select u.email_confirmed_at from auth.users u join public.agents a on a.user_id = u.id where a.id = ${agent_id}`;
  assert.equal(user!.email_confirmed_at, null, "the link was used before anybody pressed the button");
  await press(page, "Go on");
  await page.getByText(`For ${email}.`).waitFor();
  await assertAccessible(page);
  await page.getByLabel("New password").fill("short");
  await press(page, "Save the password");
  await page.getByText("Password should be at least 6 characters.").waitFor();
  await setPassword(page, "correct horse");
  await signOut(page);

  // Another link in the same tab changes what is behind the # alone.
  await page.goto("about:blank");
  await page.goto(link);
  await press(page, "Go on");
  await page.getByRole("heading", { name: "This link no longer works" }).waitFor();
  await page.getByLabel("E-mail").fill(email);
  await press(page, "Send a link");
  await page.getByText("an e-mail with a link is on its way").waitFor();
  for (const works of [true, false]) {
    await page.goto("about:blank");
    await page.goto(linkTo(email));
    if (works) {
      await page.getByRole("button", { name: "Go on" }).waitFor();
      assert.doesNotMatch(await addresses(), /token/);
      await press(page, "Go on");
      await setPassword(page, "battery staple");
      await signOut(page);
    } else await page.getByRole("heading", { name: "This link no longer works" }).waitFor();
  }
});

deskTest("a password is changed, or reset where it is forgotten: the old one and its sessions end", async (page) => {
  const agent = await createAgentWithLead();
  await page.goto(DESK);
  await page.getByLabel("E-mail").fill("typed@example.com");
  for (const button of ["Forgot the password?", "Back to signing in", "Forgot the password?"]) {
    await press(page, button);
    assert.equal(await page.getByLabel("E-mail").inputValue(), "typed@example.com");
  }
  await assertAccessible(page);
  for (const email of ["nobody@example.com", agent.email]) {
    await page.getByLabel("E-mail").fill(email);
    await press(page, "Send a link");
    await page.getByText("If the address has a login").waitFor();
  }
  await page.goto("about:blank");
  await page.goto(templateLink("recovery", linkTo(agent.email)));
  await press(page, "Go on");
  await setPassword(page, "battery staple");
  const { error } = await agent.client.auth.refreshSession();
  assert.ok(error, "the session of the old password goes on");
  const old = await agent.client.auth.signInWithPassword(agent);
  assert.equal(old.error?.code, "invalid_credentials");

  await page.getByRole("button", { name: "Nora" }).click();
  await page.getByRole("link", { name: "Change the password" }).click();
  await page.getByLabel("New password").fill("battery staple");
  await press(page, "Save the password");
  await page.getByText(/should be different/).waitFor();
  await setPassword(page, "correct horse");
  await signOut(page);
  await signInByForm(page, { ...agent, password: "correct horse" });
});

deskTest("a token is replaced unseen; after a session's end its user goes on, another begins anew", async (page) => {
  const { id } = await createAgency();
  const [one, other] = [await signInNewAgent(id), await signInNewAgent(id, "manager")];
  await sql`update public.agents set first_name = 'Otis' where id = ${other.agent_id}`;
  await signIn(page, one, "password");
  const field = page.getByLabel("New password");
  await field.fill("half written");
  let calls = 0;
  await page.route("**/rpc/signed_in_user", async (route) => {
    if (route.request().method() === "POST" && calls++ === 0) {
      await route.fulfill({ status: 401, json: { code: "PGRST303", message: "JWT expired" } });
    } else await route.continue();
  });
  const before = await refreshTokenIn(page);
  await wake(page);
  await until(() => calls >= 2);
  assert.notEqual(await refreshTokenIn(page), before);
  assert.equal(await page.getByText("This may be out of date").count(), 0);
  const refreshed = await refreshTokenIn(page);
  await expire(page);
  await wake(page);
  await until(async () => await refreshTokenIn(page) !== refreshed);
  assert.equal(await field.inputValue(), "half written");
  assert.equal(await page.getByLabel("E-mail").count(), 0);

  // An open dialog lets nothing else be used.
  await page.evaluate(`{
  const dialog = document.createElement("dialog");
  document.querySelector("main").append(dialog);
  dialog.showModal();
}`);
  async function end(): Promise<void> {
    await revoke(page);
    await wake(page);
    await page.getByText("Your session has ended.").waitFor();
  }
  await end();
  assert.equal(await page.getByLabel("E-mail").inputValue(), one.email);
  assert.ok(!await field.isVisible());
  await page.getByLabel("Password", { exact: true }).fill(one.password);
  await press(page, "Sign in");
  await page.getByRole("heading", { name: "Set your password" }).waitFor();
  assert.equal(await field.inputValue(), "half written");

  await end();
  await page.getByLabel("E-mail").fill(other.email);
  await page.getByLabel("Password", { exact: true }).fill(other.password);
  await press(page, "Sign in");
  await page.getByRole("heading", { name: "Home" }).waitFor();
  await page.getByRole("button", { name: "Otis" }).waitFor();
  assert.equal(await field.count(), 0);
  assert.equal(await page.getByText(one.email).count(), 0);
});

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
}

async function signOut(page: Page): Promise<void> {
  await page.locator(".account > button").click();
  await press(page, "Sign out");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
}

async function setPassword(page: Page, password: string): Promise<void> {
  await page.getByLabel("New password").fill(password);
  await press(page, "Save the password");
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
}

/** An agent who was invited by the operator. */
async function invite() {
  const { id: agency_id } = await createAgency();
  const email = `${crypto.randomUUID()}@example.com`;
  const agent = await adminJson(
    `agent create --agency ${agency_id} --first-name Nora --last-name Quist --email ${email}`,
  );
  await adminJson(`agent invite ${agent.id} --redirect-to ${DESK}`);
  return { agent_id: agent.id as string, email };
}

/** The link in the latest e-mail to an address. */
function linkTo(address: string): string {
  const folder = join(dirname(stackInfoFile()), MAIL_FOLDER);
  return /http\S+verify\?\S+/.exec(Deno.readTextFileSync(mailFile(folder, address)))![0];
}

/** The link that the project's template makes of what the service's own leads to. */
function templateLink(type: "invite" | "recovery", link: string): string {
  const page = Deno.readTextFileSync(join(ROOT, "docs/hosting.md"));
  const [, template] = new RegExp(`href="(\\S*{{ .RedirectTo }}[^"]*type=${type})"`).exec(page)!;
  return template!.replace("{{ .RedirectTo }}", DESK)
    .replace("{{ .TokenHash }}", new URL(link).searchParams.get("token")!);
}
