/** `npm run admin -- agent invite`: the mailbox of the address gets the login, and nobody else. */
import assert from "node:assert/strict";
import { createClient } from "@supabase/supabase-js";
import { admin, adminJson, assertRefused, npmRun } from "../support/admin.ts";
import { createAgency, sql, stack } from "../support/client.ts";

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

Deno.test("an agent is invited, and the login is the agent's", async () => {
  const email = newEmail();
  const agent = await createAgent(email);
  const invited = await adminJson(`agent invite ${email}`);
  assert.equal(invited.id, agent.id);
  assert.equal(invited.invited, true);
  const { data } = await auth.admin.getUserById(invited.user_id);
  assert.equal(data.user!.email, email);
  assert.ok(data.user!.invited_at);
  assert.ok(!data.user!.email_confirmed_at);
});

for (const isConfirmed of [false, true]) {
  const kind = isConfirmed ? "confirmed" : "unconfirmed";
  Deno.test(`a stranger's ${kind} user of the address does not become the agent's`, async () => {
    const email = newEmail();
    const agent = await createAgent(email);
    await createStranger(email, agent, isConfirmed);
    assertRefused(
      await admin(`agent invite ${agent.id}`),
      1,
      isConfirmed
        ? /has a login that this command did not make: made 20[\d: -]+, confirmed 20[\d: -]+, never used.*--existing/
        : /has a login that this command did not make: made 20[\d: -]+, never confirmed, never used.*Delete it/,
    );
    assert.equal(await userIdOf(agent), null);
  });
}

Deno.test("--existing connects a confirmed user, after a question that shows what it is", async () => {
  const email = newEmail();
  const agent = await createAgent(email);
  const user_id = await createStranger(email, agent, true);
  assertRefused(
    await admin(`agent invite ${agent.id} --existing`),
    2,
    /made 20[\d: -]+, confirmed 20[\d: -]+, never used\b.*--yes$/,
  );
  assert.equal(await userIdOf(agent), null);
  const connected = await adminJson(`agent invite ${agent.id} --existing --yes`);
  assert.equal(connected.invited, false);
  assert.equal(connected.user_id, user_id);
});

Deno.test("--existing connects no unconfirmed user, whatever else is said", async () => {
  const email = newEmail();
  const agent = await createAgent(email);
  await createStranger(email, agent, false);
  assertRefused(
    await admin(`agent invite ${agent.id} --existing --yes`),
    1,
    /never confirmed.*Delete it/,
  );
  assert.equal(await userIdOf(agent), null);
});

Deno.test("an invitation is sent again until it has been used", async () => {
  const agent = await createAgent(newEmail());
  const first = await adminJson(`agent invite ${agent.id}`);
  const again = await adminJson(`agent invite ${agent.id}`);
  assert.deepEqual([again.invited, again.user_id], [true, first.user_id]);

  // As after a command that broke off before the two were connected.
  await sql`update public.agents set user_id = null where id = ${agent.id}`;
  const resumed = await adminJson(`agent invite ${agent.id}`);
  assert.deepEqual([resumed.invited, resumed.user_id], [true, first.user_id]);

  await useInvitation(first.user_id);
  assertRefused(
    await admin(`agent invite ${agent.id}`),
    1,
    /has a login already: made 20[\d: -]+, confirmed 20[\d: -]+/,
  );
});

Deno.test("after the address was corrected the invitation goes to the right one", async () => {
  const [wrong, right] = [newEmail(), newEmail()];
  const agent = await createAgent(wrong);
  const first = await adminJson(`agent invite ${agent.id}`);
  await adminJson(`agent update ${agent.id} --email ${right}`);
  const second = await adminJson(`agent invite ${agent.id}`);
  assert.deepEqual([second.invited, second.user_id], [true, first.user_id]);
  assert.equal((await auth.admin.getUserById(first.user_id)).data.user!.email, right);
});

Deno.test("a login belongs to one agent, and an invitation to the agent it was made for", async () => {
  const email = newEmail();
  const agent = await createAgent(email);
  const { user_id } = await adminJson(`agent invite ${agent.id}`);
  const twin = await createAgent(email);
  assertRefused(await admin(`agent invite ${twin.id}`), 1, /belongs to another agent\.$/);

  await useInvitation(user_id);
  await sql`update public.agents set user_id = null where id = ${agent.id}`;
  assertRefused(await admin(`agent invite ${twin.id}`), 1, /did not make.*--existing/);
});

Deno.test("an agent without an e-mail address is not invited", async () => {
  const agency = await createAgency();
  const nameless = await adminJson(`agent create --agency ${agency.id} --first-name Ada`);
  assertRefused(
    await admin(`agent invite ${nameless.id}`),
    1,
    /^The agent has no e-mail address: /,
  );
});

Deno.test("an invitation needs the project's own key", async () => {
  const agent = await createAgent(newEmail());
  const invite = (env: Record<string, string>) =>
    npmRun("admin", `agent invite ${agent.id} --db-url ${stack.db_url}`, {
      SUPABASE_URL: "",
      SUPABASE_SERVICE_ROLE_KEY: "",
      ...env,
    });
  assertRefused(await invite({}), 1, /^Set SUPABASE_URL and SUPABASE_SECRET_KEY/);
  assertRefused(
    await invite({ SUPABASE_URL: stack.api_url, SUPABASE_SECRET_KEY: stack.publishable_key }),
    1,
    /does not accept the secret key/,
  );
  const hosted = { SUPABASE_URL: `${stack.api_url}/`, SUPABASE_SECRET_KEY: stack.secret_key };
  const { code, err } = await invite(hosted);
  assert.equal(code, 0, err);
});
