import assert from "node:assert/strict";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { inTurns } from "../../desk/data/request_turns.ts";
import { createAgency, sql, stack } from "./client.ts";

const WITHOUT_STORAGE = { auth: { persistSession: false, autoRefreshToken: false } };

/** An agent who is signed in. */
export interface SignedIn {
  client: SupabaseClient;
  agent_id: string;
  /** Its session's access token. */
  token: string;
  email: string;
  password: string;
}

/** The client of a browser in which nobody is signed in. As the desk's, it sends three requests at a time. */
export function browserClient(): SupabaseClient {
  return createClient(stack.api_url, stack.publishable_key, { ...WITHOUT_STORAGE, global: { fetch: inTurns(fetch) } });
}

/** A user who is signed in, and is no agent. */
export interface User {
  client: SupabaseClient;
  id: string;
  /** Its session's access token. */
  token: string;
  email: string;
  password: string;
}

/** Makes a user and signs it in. */
export async function signInNewUser(): Promise<User> {
  const email = `${crypto.randomUUID()}@example.com`;
  const password = crypto.randomUUID();
  const { auth } = createClient(stack.api_url, stack.secret_key, WITHOUT_STORAGE);
  const created = await auth.admin.createUser({ email, email_confirm: true });
  assert.equal(created.error, null);
  // A hash as strong as the service's takes a tenth of a second to make, and again at each sign-in.
  await sql`
    update auth.users set encrypted_password = extensions.crypt(${password}, extensions.gen_salt('bf', 4))
    where id = ${created.data.user!.id}`;
  const client = browserClient();
  const { data, error } = await client.auth.signInWithPassword({ email, password });
  assert.equal(error, null);
  return { client, id: data.user!.id, token: data.session!.access_token, email, password };
}

/** Makes an operator and signs it in. */
export async function signInNewOperator(): Promise<User> {
  const user = await signInNewUser();
  await sql`insert into public.operators (user_id) values (${user.id})`;
  return user;
}

/** Makes an agent with a login and signs it in. */
export async function signInNewAgent(
  agency_id: string,
  role: "agent" | "manager" = "agent",
): Promise<SignedIn> {
  const { id, ...user } = await signInNewUser();
  const [agent] = await sql`
    insert into public.agents (agency_id, user_id, first_name, last_name, role)
    values (${agency_id}, ${id}, 'Nora', 'Quist', ${role}) returning id`;
  return { ...user, agent_id: agent!.id };
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
  const agent = await signInNewAgent(agency_id);
  return { ...agent, agency_id, lead_id: await createLead(agency_id, agent.agent_id) };
}

/** Signs a JWT as the project does. */
export async function signToken(claims: object): Promise<string> {
  const encode = (bytes: Uint8Array) => bytes.toBase64({ alphabet: "base64url", omitPadding: true });
  const json = (value: object) => encode(new TextEncoder().encode(JSON.stringify(value)));
  const text = `${json({ alg: "HS256", typ: "JWT" })}.${json({ aud: "authenticated", ...claims })}`;
  const key = await crypto.subtle.importKey(
    "raw",
    new TextEncoder().encode(stack.jwt_secret),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  const signature = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text));
  return `${text}.${encode(new Uint8Array(signature))}`;
}
