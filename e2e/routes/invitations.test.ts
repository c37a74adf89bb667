/** POST /desk/invitations. Who may invite whom is in supabase/tests/operators/settings.test.sql. */
import assert from "node:assert/strict";
import { createClient } from "@supabase/supabase-js";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { MAIL_FOLDER, mailFile, stackInfoFile } from "../../dev/local/mod.ts";
import { signInNewAgent } from "../support/agents.ts";
import { assertError, createAgency, sql, stack } from "../support/client.ts";
import { functionWith } from "../support/function.ts";
import { post } from "../support/operator.ts";
import { withFetch } from "../../dev/testing/faults/responses.ts";

const PATH = "/invitations";
const { auth } = createClient(stack.api_url, stack.secret_key, {
  auth: { persistSession: false, autoRefreshToken: false },
});
const agency = await createAgency();
const manager = await signInNewAgent(agency.id, "manager");

const newEmail = () => `${crypto.randomUUID()}@example.com`;
const agentsWith = (email: string) =>
  sql`select id, agency_id, user_id, first_name, last_name, role from public.agents where email = ${email}`;

Deno.test("a manager invites a person, who gets an e-mail and is an agent with a login", async () => {
  const email = newEmail();
  const person = { first_name: "Ines", last_name: "Ilves", email: email.toUpperCase(), role: "manager" };
  const { status, body } = await post(PATH, person, manager);
  const [agent] = await agentsWith(email);
  assert.deepEqual([status, body], [200, { agent_id: agent!.id, status: "invited" }]);
  const { user_id, ...stored } = agent!;
  const names = { first_name: "Ines", last_name: "Ilves", role: "manager" };
  assert.deepEqual({ ...stored }, { id: body.agent_id, agency_id: agency.id, ...names });
  const { data } = await auth.admin.getUserById(user_id);
  assert.deepEqual([data.user!.email, data.user!.email_confirmed_at ?? null], [email, null]);
  assert(existsSync(mailFile(join(dirname(stackInfoFile()), MAIL_FOLDER), email)), "the e-mail was sent");

  // Again, until the link has been used.
  assert.deepEqual((await post(PATH, person, manager)).body, { agent_id: agent!.id, status: "invited_again" });
  assert.equal((await agentsWith(email)).length, 1);
  await auth.admin.updateUserById(user_id, { email_confirm: true });
  assertError(await post(PATH, person, manager), 409, "CONFLICT", /^email: Ines Ilves has a login already$/);
});

Deno.test("an address that has a login elsewhere is refused with the same words, whatever the login is", async () => {
  const other = await signInNewAgent((await createAgency()).id);
  const stranger = newEmail();
  await auth.admin.createUser({ email: stranger, email_confirm: false });
  for (const email of [other.email, stranger]) {
    const refused = await post(PATH, { first_name: "Eve", email }, manager);
    assertError(refused, 409, "CONFLICT", /^email: nobody can be invited at this address\. Ask the people/);
    assert.deepEqual((await agentsWith(email)).filter(({ agency_id }) => agency_id === agency.id), []);
  }
});

Deno.test("an invitation that the auth service refuses leaves no agent, and is made by the next one", async () => {
  const email = newEmail();
  const desk = await functionWith("desk", {});
  const headers = { authorization: `Bearer ${manager.token}` };
  const body = { first_name: "Ida", email };
  const response = await withFetch(async (fetch, input, init) => {
    const isInvitation = /\/auth\/v1\/(?:admin|invite)/.test(input instanceof Request ? input.url : String(input));
    return isInvitation
      ? Response.json({ code: 403, msg: "User not allowed" }, { status: 403 })
      : await fetch(input, init);
  }, () => desk("/desk/invitations", { headers, body }));
  assertError(response, 500, "INTERNAL_ERROR", /send the same request again/);
  assert.deepEqual([...await agentsWith(email)], []);

  // As after one that ended between the login and the agent.
  const invited_agent_id = crypto.randomUUID();
  await auth.admin.createUser({ email, app_metadata: { invited_agent_id } });
  assert.deepEqual((await post(PATH, body, manager)).body, { agent_id: invited_agent_id, status: "invited_again" });
});

Deno.test("an operator names the agency, what is wrong is named, and an agent may not", async () => {
  const email = newEmail();
  const { body } = await post(PATH, { agency_id: agency.id, first_name: "Ola", email });
  assert.equal((await agentsWith(email))[0]!.id, body.agent_id);
  for (
    const [sent, field, message] of [
      [{ email: "ada" }, "email", "must be an e-mail address"],
      [{ email: newEmail(), role: "operator" }, "role", "must be agent or manager"],
    ] as const
  ) {
    const wrong = await post(PATH, { first_name: "Ada", ...sent }, manager);
    assert.deepEqual([wrong.status, wrong.body.error.details], [400, [{ field, message }]]);
  }
  const agent = await signInNewAgent(agency.id);
  const refused = await post(PATH, { first_name: "Ada", email }, agent);
  assertError(refused, 403, "FORBIDDEN", /^only a manager or an operator/);
  assertError(await post(PATH, {}, { token: "a.b.c" }), 401, "UNAUTHORIZED", /token/);
});
