import { type AuthError, createClient } from "@supabase/supabase-js";
import { existsSync } from "node:fs";
import type postgres from "postgres";
import { mailFile } from "../../dev/local/mod.ts";
import type { ProjectApi } from "../database.ts";
import { type AgentRow, findAgent } from "../find.ts";
import { CommandError, explain, type Outcome, type Session } from "../outcome.ts";

/** How an agent is invited. */
export interface Invitation {
  /** The page that the link leads to; unless given the project's site URL. */
  redirectTo?: string;
  /** Whether a login of the address that somebody else has made may become the agent's. */
  existing?: true;
}

/** A user of the auth service. */
interface UserRow {
  id: string;
  email: string;
  created_at: Date;
  /** When somebody with the mailbox has opened a link; null: nobody has. */
  email_confirmed_at: Date | null;
  last_sign_in_at: Date | null;
  /** The agent for whom this command has made it. Only the service role can write that. */
  invited_agent_id: string | null;
  /** The agent whose login it is. */
  agent_id: string | null;
}

/**
 * Gives an agent a login: makes a user, connects the two, and lets the auth service send a link to the agent's e-mail
 * address. Each step can be repeated, so the command is called again where it broke off, where the link was lost or is
 * over, and after the address was corrected, until the link has been used.
 *
 * A user of the address that somebody else has made may be a stranger's, who knows its password. It is connected only
 * when it was confirmed and `existing` says so.
 */
export async function inviteAgent(
  { sql, api, confirm }: Session,
  given: string,
  { redirectTo, existing }: Invitation,
): Promise<Outcome> {
  const agent = await findAgent(sql, given);
  if (agent.email === null) {
    throw new CommandError(
      `The agent has no e-mail address: npm run admin -- agent update ${agent.id} --email <address>`,
    );
  }
  const user = await findUser(sql, agent);
  const isInvited = user?.invited_agent_id === agent.id;
  if (user !== undefined && user.agent_id === agent.id) {
    if (!isInvited || user.email_confirmed_at !== null) {
      throw new CommandError(`The agent ${agent.email} has a login already: ${describe(user)}.`);
    }
  }
  if (user !== undefined && !isInvited) {
    refuseStranger(user, existing);
    await confirm(`${user.email} has a login: ${describe(user)}. Is it the agent's own?`);
  }
  if (user?.email_confirmed_at != null) {
    return {
      data: { ...await connectUser(sql, agent, user.id), invited: false },
      text: `${user.email} had a login before, which is the agent's now.`,
    };
  }

  if (api === undefined) {
    throw new CommandError(
      "Set SUPABASE_URL and SUPABASE_SECRET_KEY: the auth service of the project sends the e-mail.",
    );
  }
  const id = await prepareUser(api, user, agent.id, agent.email);
  const connected = await connectUser(sql, agent, id);
  await sendInvitation(api, agent.email, redirectTo);
  return {
    data: { ...connected, invited: true },
    text: `Invited ${agent.email}: the e-mail has the link.${whereMailIs(api, agent.email)}`,
  };
}

/** The agent's own user, or else that of the agent's address. */
async function findUser(sql: postgres.Sql, agent: AgentRow): Promise<UserRow | undefined> {
  const [user] = await sql<UserRow[]>`
    select
      u.id, u.email, u.created_at, u.email_confirmed_at, u.last_sign_in_at,
      u.raw_app_meta_data ->> 'invited_agent_id' as invited_agent_id, a.id as agent_id
    from auth.users u
    left join public.agents a on a.user_id = u.id
    where ${
    agent.user_id === null
      ? sql`lower(u.email) = lower(${agent.email})`
      : sql`u.id = ${agent.user_id}`
  }`;
  return user;
}

function refuseStranger(user: UserRow, existing: true | undefined): void {
  if (user.agent_id !== null) {
    throw new CommandError(`The login ${user.email} belongs to another agent.`);
  }
  const whose =
    `${user.email} has a login that this command did not make: ${
      describe(user)
    }. Whoever made it ` +
    "may know its password.";
  if (user.email_confirmed_at === null) {
    throw new CommandError(
      `${whose} Delete it in the project's dashboard (Authentication, Users), and invite the agent again.`,
    );
  }
  if (!existing) throw new CommandError(`${whose} If it is the agent's own, add --existing.`);
}

function describe({ created_at, email_confirmed_at, last_sign_in_at }: UserRow): string {
  const [made, confirmed, used] = [created_at, email_confirmed_at, last_sign_in_at]
    .map((time) => time?.toISOString().slice(0, 16).replace("T", " "));
  return [
    `made ${made}`,
    confirmed ? `confirmed ${confirmed}` : "never confirmed",
    used ? `last used ${used}` : "never used",
  ].join(", ");
}

/** Makes the user, or gives the one that waits the agent's address, which may have been corrected. */
async function prepareUser(
  api: ProjectApi,
  user: UserRow | undefined,
  invited_agent_id: string,
  email: string,
): Promise<string> {
  if (user?.email.toLowerCase() === email.toLowerCase()) return user.id;
  const { data, error } = user === undefined
    ? await authAdmin(api).createUser({ email, app_metadata: { invited_agent_id } })
    : await authAdmin(api).updateUserById(user.id, { email });
  if (error !== null) throw new CommandError(explainAuth(api, error));
  return data.user.id;
}

async function sendInvitation(api: ProjectApi, email: string, redirectTo?: string): Promise<void> {
  const { error } = await authAdmin(api).inviteUserByEmail(email, { redirectTo });
  if (error !== null) throw new CommandError(explainAuth(api, error));
}

function authAdmin({ url, secretKey }: ProjectApi) {
  const options = { auth: { persistSession: false, autoRefreshToken: false } };
  return createClient(url, secretKey, options).auth.admin;
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
    throw explain(error, {
      "23503": "SUPABASE_URL is not the project of this database. Nobody was invited.",
    });
  }
}

/** The local stack keeps its e-mails as files. */
function whereMailIs({ mailFolder }: ProjectApi, email: string): string {
  const file = mailFolder && mailFile(mailFolder, email);
  return file && existsSync(file) ? ` The local stack sends none, but keeps it: ${file}` : "";
}
