import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import type { Page } from "playwright-core";
import { adminJson } from "../support/admin.ts";
import { signInNewAgent } from "../support/agents.ts";
import { createAgency, sql } from "../support/client.ts";
import { MAIL_FOLDER, mailFile, stackInfoFile } from "../../dev/local/mod.ts";
import { browserTest, signIn } from "./harness.ts";

/** The link in the latest e-mail to an address. */
function linkTo(address: string): string {
  const folder = join(dirname(stackInfoFile()), MAIL_FOLDER);
  return /http\S+verify\?\S+/.exec(Deno.readTextFileSync(mailFile(folder, address)))![0];
}

async function invite(origin: string) {
  const { id: agency_id } = await createAgency();
  const email = `${crypto.randomUUID()}@example.com`;
  const agent = await adminJson(`agent create --agency ${agency_id} --first-name Nora
    --last-name Quist --email ${email}`);
  await adminJson(`agent invite ${agent.id} --redirect-to ${origin}/password.html`);
  return { agent_id: agent.id as string, email };
}

async function setPassword(page: Page, password: string): Promise<void> {
  await page.getByLabel("New password").fill(password);
  await page.getByRole("button", { name: "Set the password" }).click();
  await page.getByRole("heading", { name: "Nora Quist" }).waitFor();
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Sign in" }).waitFor();
}

browserTest(
  "an invited agent sets a password, signs out and signs in with it",
  async (page, origin) => {
    const { email } = await invite(origin);
    const link = linkTo(email);
    await page.goto(link);
    // Whoever looks over the shoulder, or at the history, finds no session in the address.
    await page.getByLabel("New password").waitFor();
    assert.ok(page.url().startsWith(`${origin}/password.html`));
    assert.doesNotMatch(page.url(), /token/);
    await setPassword(page, "correct horse");
    await signOut(page);
    await page.reload();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    await signIn(page, origin, { email, password: "correct horse" });
    await signOut(page);

    await page.goto(link);
    await page.getByText("The link was used before, or is over.").waitFor();
    assert.ok(!await page.getByLabel("New password").isVisible());
  },
);

browserTest(
  "an agent whose invitation is over gets another link on the page",
  async (page, origin) => {
    const { agent_id, email } = await invite(origin);
    await sql`
    update auth.users set recovery_sent_at = now() - interval '2 days'
    where id = (select user_id from public.agents where id = ${agent_id})`;
    await page.goto(linkTo(email));
    await page.getByText("The link was used before, or is over.").waitFor();
    await page.getByLabel("E-mail").fill(email);
    await page.getByRole("button", { name: "Send a link" }).click();
    await page.getByText("an e-mail with a link is on its way").waitFor();
    await page.goto(linkTo(email));
    await setPassword(page, "correct horse");
  },
);

browserTest(
  "a forgotten password is reset, and the old one and its sessions end",
  async (page, origin) => {
    const { id: agency_id } = await createAgency();
    const agent = await signInNewAgent(agency_id);
    await page.goto(origin);
    await page.getByRole("link", { name: "Forgot the password?" }).click();
    for (const email of ["nobody@example.com", agent.email]) {
      await page.getByLabel("E-mail").fill(email);
      await page.getByRole("button", { name: "Send a link" }).click();
      await page.getByText("If the address has a login").waitFor();
    }
    await page.goto(linkTo(agent.email));
    await setPassword(page, "battery staple");
    const { error } = await agent.client.auth.refreshSession();
    assert.ok(error, "the session of the old password goes on");
    const old = await agent.client.auth.signInWithPassword(agent);
    assert.equal(old.error?.code, "invalid_credentials");
    await signOut(page);
    await signIn(page, origin, { ...agent, password: "battery staple" });
  },
);

browserTest("an agent changes the password, and a weak one is refused", async (page, origin) => {
  const { id: agency_id } = await createAgency();
  const agent = await signInNewAgent(agency_id);
  await signIn(page, origin, agent);
  await page.getByRole("link", { name: "Change the password" }).click();
  // The same again.
  await page.getByLabel("New password").fill(agent.password);
  await page.getByRole("button", { name: "Set the password" }).click();
  await page.getByText(/should be different/).waitFor();
  await setPassword(page, "battery staple");
  await signOut(page);
  await signIn(page, origin, { ...agent, password: "battery staple" });
});
