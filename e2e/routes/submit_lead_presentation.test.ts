import assert from "node:assert/strict";
import type { SupabaseClient } from "@supabase/supabase-js";
import { browserClient, createAgentWithLead, signInNewAgent } from "../support/agents.ts";
import { atOnce, sql } from "../support/client.ts";

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

Deno.test("a repeated client_submission_id gets the first result, in parallel too", async () => {
  const { client, lead_id } = await createAgentWithLead();
  const id = { client_submission_id: crypto.randomUUID() };
  const responses = await atOnce(5, () => submit({ client }, lead_id, id));
  for (const { error } of responses) assert.equal(error, null);
  const results = responses.map(({ data }) => data);
  const [first, ...repeats] = results.sort((a, b) => a.duplicate - b.duplicate);
  assert.equal(first.duplicate, false);
  for (const repeat of repeats) assert.deepEqual(repeat, { ...first, duplicate: true });
  const counts = await sql`select count(*)::int from public.lead_sales where lead_id = ${lead_id}`;
  assert.equal(counts[0]!.count, 1);
});

Deno.test("a wrong field is named and nothing is stored", async () => {
  const { client, lead_id } = await createAgentWithLead();
  for (
    const [field, change] of [
      ["sale.annual_premium", { sale: { product: "Term", annual_premium: "a lot" } }],
      ["demographics.shoe_size", { demographics: { shoe_size: 43 } }],
      ["referrals[1].phone", { referrals: [submission.referrals[0], { first_name: "Uwe" }] }],
    ] as const
  ) {
    const { error, status } = await submit({ client }, lead_id, change);
    assert.deepEqual([status, error!.code], [400, "22023"], JSON.stringify(error));
    assert.match(error!.message, new RegExp(`^${RegExp.escape(field)}: `));
  }
  const left = await sql`
    select from public.lead_presentations where lead_id = ${lead_id}
    union all select from public.lead_demographics where lead_id = ${lead_id}`;
  assert.equal(left.length, 0);
});

Deno.test("a manager of the agency may submit, another agency's agent, a colleague and anon may not", async () => {
  const { agency_id, lead_id } = await createAgentWithLead();
  const manager = await signInNewAgent(agency_id, "manager");
  assert.equal((await submit(manager, lead_id)).error, null);

  const stranger = await createAgentWithLead();
  const colleague = await signInNewAgent(agency_id);
  for (const { client } of [stranger, colleague]) {
    const { error, status } = await submit({ client }, lead_id);
    assert.equal(status, 404, JSON.stringify(error));
    assert.equal((await client.from("leads").select("id").eq("id", lead_id)).data!.length, 0);
  }
  assert.equal((await submit({ client: browserClient() }, lead_id)).status, 401);
});

Deno.test("a signed-in user writes only through this procedure, and only the service role calls the others", async () => {
  const { client, agent_id, lead_id } = await createAgentWithLead();
  const writes = [
    client.from("lead_sales").insert({ lead_id, agent_id, product: "Term", annual_premium: 1 }),
    client.from("lead_activities").insert({ lead_id, agent_id, type: "presentation_started" }),
    client.from("leads").update({ first_name: "Mallory" }).eq("id", lead_id).select(),
    client.from("leads").delete().eq("id", lead_id).select(),
    client.rpc("log_presentation_activity", { lead_id, agent_id, type: "presentation_started" }),
    client.rpc("create_vendor_api_key", { vendor_slug: "generic", label: "mine" }),
    client.from("vendors").select(),
    client.from("vendor_api_keys").select(),
  ];
  for (const { data, error } of await Promise.all(writes)) {
    assert(error !== null || data.length === 0, JSON.stringify(data));
  }
  const [lead] = await sql`select first_name from public.leads where id = ${lead_id}`;
  assert.equal(lead!.first_name, "Ida");
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
