/** The rights that the login of an agent still has after `agent leave`. */
import assert from "node:assert/strict";
import { adminJson } from "../support/admin.ts";
import { browserClient, createAgentWithLead, signInNewAgent } from "../support/agents.ts";
import { sql } from "../support/client.ts";

Deno.test("an agent who has left reads nothing, does nothing, and is signed out", async () => {
  const { client, agent_id, agency_id, email, password } = await createAgentWithLead();
  const other = await signInNewAgent(agency_id);
  const leads = async (by: typeof client) => (await by.from("leads").select("id")).data?.length;
  assert.deepEqual([await leads(client), await leads(other.client)], [1, 0]);

  const left = await adminJson(`agent leave ${agent_id} --to ${other.agent_id} --yes`);
  assert.deepEqual([left.sales_leads, left.login, left.is_last], [1, email, false]);

  // With the token that has not expired yet.
  assert.deepEqual([await leads(client), await leads(other.client)], [0, 1]);
  const { error } = await client.rpc("no_reply_needed", { conversation_id: crypto.randomUUID() });
  assert.equal(error?.code, "42501");
  assert.notEqual((await client.auth.refreshSession()).error, null);
  assert.notEqual((await browserClient().auth.signInWithPassword({ email, password })).error, null);
});

Deno.test("an agent who leaves takes no operator's login away", async () => {
  const { agent_id, agency_id } = await createAgentWithLead();
  const other = await signInNewAgent(agency_id);
  await sql`insert into public.operators (user_id) select user_id from public.agents where id = ${agent_id}`;
  await assert.rejects(
    adminJson(`agent leave ${agent_id} --to ${other.agent_id} --yes`),
    /the login is an operator's too/,
  );
  const [agent] = await sql`select is_active from public.agents where id = ${agent_id}`;
  assert.equal(agent!.is_active, true);
});
