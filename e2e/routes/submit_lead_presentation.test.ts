import assert from "node:assert/strict";
import type { SupabaseClient } from "@supabase/supabase-js";
import { browserClient, createAgentWithLead, signInNewAgent } from "../support/agents.ts";

const submission = {
  demographics: { date_of_birth: "1958-03-14", marital_status: "married", children: 2, tobacco_user: false },
  sale: { product: "Final expense", annual_premium: 612.5, payment_frequency: "monthly" },
  referrals: [{ first_name: "Ola", phone: "312-555-0190" }, { first_name: "Uwe", phone: "312-555-0191" }],
};

/** Submits the presentation of a lead, with these changes. */
async function submit({ client }: { client: SupabaseClient }, lead_id: string, change = {}) {
  const args = { lead_id, ...submission, ...change };
  return await client.rpc("submit_lead_presentation", args);
}

Deno.test("SPEC 4.4: a signed-in agent submits demographics, sale and referrals in one call", async () => {
  const { client, agent_id, lead_id } = await createAgentWithLead();
  const { data, error } = await submit({ client }, lead_id);
  assert.equal(error, null);
  assert.equal(data.duplicate, false);
  assert.equal(data.referral_ids.length, 2);

  const { data: sales } = await client.from("lead_sales").select("*");
  assert.equal(sales!.length, 1);
  assert.partialDeepStrictEqual(sales![0], {
    id: data.sale_id,
    presentation_id: data.presentation_id,
    lead_id,
    agent_id,
    ...submission.sale,
  });
  const { data: demographics } = await client.from("lead_demographics").select("*");
  assert.partialDeepStrictEqual(demographics![0], { lead_id, ...submission.demographics });
  const { data: metrics } = await client.from("lead_metrics").select("*").eq("lead_id", lead_id)
    .single();
  assert.partialDeepStrictEqual(metrics, { presentations_submitted: 1, sales: 1, annual_premium: 612.5, referrals: 2 });
});

Deno.test("a repeated submission, a wrong field and a lead of somebody else have these responses", async () => {
  const { client, agency_id, lead_id } = await createAgentWithLead();
  const id = { client_submission_id: crypto.randomUUID() };
  const first = await submit({ client }, lead_id, id);
  assert.deepEqual((await submit({ client }, lead_id, id)).data, { ...first.data, duplicate: true });

  const wrong = await submit({ client }, lead_id, { referrals: [submission.referrals[0], { first_name: "Uwe" }] });
  assert.deepEqual([wrong.status, wrong.error!.code], [400, "22023"]);
  assert.match(wrong.error!.message, /^referrals\[1\]\.phone: /);
  const colleague = await signInNewAgent(agency_id);
  assert.equal((await submit(colleague, lead_id)).status, 404);
  assert.equal((await submit({ client: browserClient() }, lead_id)).status, 401);
});

Deno.test("the seed's agents sign in with the password that supabase/seed.sql names", async () => {
  const client = browserClient();
  const { error } = await client.auth.signInWithPassword({
    email: "maria.alvarez@example.com",
    password: "lead-intake-local",
  });
  assert.equal(error, null);
  const { data } = await client.from("leads").select("first_name");
  const names = data!.map(({ first_name }) => first_name);
  assert(names.includes("Walter"), "a lead of hers");
  assert(!names.includes("Helen"), "a lead of a colleague's");
});
