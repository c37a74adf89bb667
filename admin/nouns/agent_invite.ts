import { type AuthError, createClient } from "@supabase/supabase-js";
import type postgres from "postgres";
import type { ProjectApi } from "../database.ts";
import { type AgentRow, findAgent } from "../find.ts";
import { CommandError, explain, type Outcome, type Session } from "../outcome.ts";

/**
 * Gives an agent a login: makes the user of its e-mail address, to whom the auth service sends a link, and connects the
 * two. Where the address has a user already, as after a first attempt that broke off, only connects them.
 *
 * @param redirectTo the page that the link leads to; unless given the project's site URL
 */
export async function inviteAgent(
  { sql, api }: Session,
  given: string,
  redirectTo?: string,
): Promise<Outcome> {
  const agent = await findAgent(sql, given);
  if (agent.user_id !== null) {
    throw new CommandError(`The agent ${agent.email ?? agent.id} has a login already.`);
  }
  if (agent.email === null) {
    throw new CommandError(
      `The agent has no e-mail address: npm run admin -- agent update ${agent.id} --email <address>`,
    );
  }
  if (api === undefined) {
    throw new CommandError(
      "Set SUPABASE_URL and SUPABASE_SECRET_KEY: the auth service of the project sends the e-mail.",
    );
  }

  const known = await findUser(sql, agent.email);
  const userId = known ?? await inviteUser(api, agent.email, redirectTo);
  const connected = await connectUser(sql, agent, userId);
  return {
    data: { ...connected, invited: known === undefined },
    text: known === undefined
      ? `Invited ${agent.email}: the e-mail has the link.`
      : `${agent.email} had a login before, which is the agent's now.`,
  };
}

async function findUser(sql: postgres.Sql, email: string): Promise<string | undefined> {
  const [user] = await sql<{ id: string }[]>`
    select id from auth.users where lower(email) = lower(${email})`;
  return user?.id;
}

async function inviteUser(api: ProjectApi, email: string, redirectTo?: string): Promise<string> {
  const { auth } = createClient(api.url, api.secretKey, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
  const { data, error } = await auth.admin.inviteUserByEmail(email, { redirectTo });
  if (error !== null) throw new CommandError(explainAuth(api, error));
  return data.user.id;
}

function explainAuth({ url }: ProjectApi, { status, code, message }: AuthError): string {
  if (status === 401 || status === 403) {
    return `The auth service at ${url} does not accept the secret key (${code ?? status})`;
  }
  return `The auth service at ${url} refused the invitation: ${message} (${code ?? status})`;
}

async function connectUser(sql: postgres.Sql, agent: AgentRow, userId: string): Promise<AgentRow> {
  try {
    const [connected] = await sql<[AgentRow]>`
      update public.agents set user_id = ${userId} where id = ${agent.id} returning *`;
    return connected;
  } catch (error) {
    throw explain(error, { "23505": `The login ${agent.email} belongs to another agent.` });
  }
}
