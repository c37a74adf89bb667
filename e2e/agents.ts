import assert from "node:assert/strict";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { createAgency, sql, stack } from "./client.ts";

/** An agent who is signed in. */
export interface SignedIn {
  client: SupabaseClient;
  agent_id: string;
  email: string;
  password: string;
}

/** The client of a browser in which nobody is signed in. */
export function browserClient(): SupabaseClient {
  return createClient(stack.api_url, stack.publishable_key, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
}

/** Signs a new user up, who is an agent. */
export async function signUp(
  agency_id: string,
  role: "agent" | "manager" = "agent",
): Promise<SignedIn> {
  const client = browserClient();
  const email = `${crypto.randomUUID()}@example.com`;
  const password = crypto.randomUUID();
  const { data, error } = await client.auth.signUp({ email, password });
  assert.equal(error, null);
  const [agent] = await sql`
    insert into public.agents (agency_id, user_id, first_name, last_name, role)
    values (${agency_id}, ${data.user!.id}, 'Nora', 'Quist', ${role}) returning id`;
  return { client, agent_id: agent!.id, email, password };
}

/** Makes a sales lead of an agent. */
export async function createLead(agency_id: string, agent_id: string): Promise<string> {
  const [lead] = await sql`
    insert into public.leads (external_id, agency_id, agent_id, first_name, phone, state, type)
    values (gen_random_uuid(), ${agency_id}, ${agent_id}, 'Ida', '555-0100', 'IL', 'fe') returning id`;
  return lead!.id;
}

/** Makes an agency with a signed-in agent who has a lead. */
export async function createAgentWithLead() {
  const { id: agency_id } = await createAgency();
  const agent = await signUp(agency_id);
  return { ...agent, agency_id, lead_id: await createLead(agency_id, agent.agent_id) };
}
