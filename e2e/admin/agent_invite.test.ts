/** `npm run admin -- agent invite`: the mailbox of the address gets the login, and nobody else. */
import assert from "node:assert/strict";
import { createClient } from "@supabase/supabase-js";
import { admin, adminJson, assertRefused } from "../support/admin.ts";
import { createAgency, sql, stack } from "../support/client.ts";
import { withEnv } from "../support/env.ts";

const { auth } = createClient(stack.api_url, stack.secret_key, {
  auth: { persistSession: false, autoRefreshToken: false },
});

const newEmail = () => `${crypto.randomUUID()}@example.com`;

async function createAgent(email: string, role = "manager") {
  const agency = await createAgency();
  return await adminJson(`agent create --agency ${agency.id} --first-name Ada --email ${email}
    --role ${role} --again`);
}

/** A user as a sign-up leaves it, whose password the stranger knows. */
async function createStranger(email: string, agent: { id: string }, email_confirm: boolean) {
  const { data, error } = await auth.admin.createUser({
    email,
    password: "correct horse",
    email_confirm,
    // A user may write this of itself.
    user_metadata: { invited_agent_id: agent.id },
  });
  assert.equal(error, null);
  return data.user!.id;
}

/** The effect of a click on the link. */
async function useInvitation(user_id: string): Promise<void> {
  const { error } = await auth.admin.updateUserById(user_id, { email_confirm: true });
  assert.equal(error, null);
}

async function userIdOf(agent: { id: string }): Promise<string | null> {
  const [row] = await sql`select user_id from public.agents where id = ${agent.id}`;
  return row!.user_id;
}

/** When a login was made, confirmed and used, as the command says it. */
const MADE = String.raw`made 20[\d: -]+, confirmed 20[\d: -]+, never used`;

Deno.test("an agent is invited until the link has been used, also after the address was corrected", async () => {
  const [wrong, email] = [newEmail(), newEmail()];
  const agent = await createAgent(wrong);
  const first = await adminJson(`agent invite ${wrong}`);
  assert.deepEqual([first.id, first.invited], [agent.id, true]);
  const user = async () => (await auth.admin.getUserById(first.user_id)).data.user!;
  const made = await user();
  assert.deepEqual([made.email, made.email_confirmed_at ?? null], [wrong, null]);
  assert.ok(made.invited_at);

  const invite = `agent invite ${agent.id}`;
  const inviteAgain = async () => {
    const { invited, user_id } = await adminJson(invite);
    assert.deepEqual([invited, user_id], [true, first.user_id]);
  };
  await inviteAgain();
  // As after a command that broke off before the two were connected.
  await sql`update public.agents set user_id = null where id = ${agent.id}`;
  await inviteAgain();
  await adminJson(`agent update ${agent.id} --email ${email}`);
  await inviteAgain();
  assert.equal((await user()).email, email);

  // The login belongs to one agent, and the invitation to the agent it was made for.
  const twin = await createAgent(email);
  assertRefused(await admin(`agent invite ${twin.id}`), 1, /belongs to another agent\.$/);
  await useInvitation(first.user_id);
  assertRefused(await admin(invite), 1, new RegExp(`has a login already: ${MADE}`));
  await sql`update public.agents set user_id = null where id = ${agent.id}`;
  assertRefused(await admin(`agent invite ${twin.id}`), 1, /did not make.*--existing/);
});

Deno.test("a stranger's unconfirmed login of the address never becomes the agent's", async () => {
  const email = newEmail();
  const agent = await createAgent(email);
  await createStranger(email, agent, false);
  for (const options of ["", " --existing --yes"]) {
    assertRefused(
      await admin(`agent invite ${agent.id}${options}`),
      1,
      /has a login that this command did not make: made 20[\d: -]+, never confirmed, never used.*Delete it/,
    );
  }
  assert.equal(await userIdOf(agent), null);
});

Deno.test("a stranger's confirmed login becomes the agent's with --existing, after a question that shows what it is", async () => {
  const email = newEmail();
  const agent = await createAgent(email);
  const user_id = await createStranger(email, agent, true);
  const refused = await admin(`agent invite ${agent.id}`);
  assertRefused(refused, 1, new RegExp(`has a login that this command did not make: ${MADE}.*--existing`));
  assertRefused(await admin(`agent invite ${agent.id} --existing`), 2, new RegExp(`${MADE}\\b.*--yes$`));
  assert.equal(await userIdOf(agent), null);
  const connected = await adminJson(`agent invite ${agent.id} --existing --yes`);
  assert.deepEqual([connected.invited, connected.user_id], [false, user_id]);
});

Deno.test("an invitation needs the project's own key", async () => {
  const agent = await createAgent(newEmail());
  const invite = (env: Record<string, string>) =>
    withEnv(
      { SUPABASE_URL: undefined, SUPABASE_SECRET_KEY: undefined, SUPABASE_SERVICE_ROLE_KEY: undefined, ...env },
      () => admin(`agent invite ${agent.id} --db-url ${stack.db_url}`),
    );
  assertRefused(await invite({}), 1, /^Set SUPABASE_URL and SUPABASE_SECRET_KEY/);
  assertRefused(
    await invite({ SUPABASE_URL: stack.api_url, SUPABASE_SECRET_KEY: stack.publishable_key }),
    1,
    /does not accept the secret key/,
  );
  const { code, err } = await invite({ SUPABASE_URL: `${stack.api_url}/`, SUPABASE_SECRET_KEY: stack.secret_key });
  assert.equal(code, 0, err);
});
