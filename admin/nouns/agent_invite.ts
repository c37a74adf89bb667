import { type AuthError, isAuthError } from "@supabase/supabase-js";
import { existsSync } from "node:fs";
import type postgres from "postgres";
import { mailFile } from "../../dev/local/mod.ts";
import { prepareUser, sendInvitation } from "../../supabase/functions/desk/invited_user.ts";
import { type ProjectApi, projectClient } from "../database.ts";
import { CommandError, explained } from "../errors.ts";
import { findAgent, type Row } from "../find.ts";
import type { Outcome, Session } from "../session.ts";
import { formatTime } from "../table.ts";

/** The options of an invitation. */
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
 * address. Each step can be repeated until the link has been used. So the command is called again where it broke off,
 * where the link was lost or is over, and after the address was corrected.
 *
 * A user of the address that somebody else has made may be a stranger's, who knows its password. It is connected only
 * when it was confirmed and `existing` says so.
 */
export async function inviteAgent(
  session: Session,
  given: string,
  { redirectTo, existing }: Invitation,
): Promise<Outcome> {
  const { sql, api: projectApi, confirm } = session;
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
      data: { ...await connectUser(session, agent, user.id), invited: false },
      text: `${user.email} had a login before, which is the agent's now.`,
    };
  }

  const api = projectApi("the auth service of the project sends the e-mail");
  const { admin } = projectClient(api).auth;
  try {
    const id = await prepareUser(admin, user, agent.id, agent.email);
    const connected = await connectUser(session, agent, id);
    await sendInvitation(admin, agent.email, redirectTo);
    return {
      data: { ...connected, invited: true },
      text: `Invited ${agent.email}: the e-mail has the link.${whereMailIs(api, agent.email)}`,
    };
  } catch (error) {
    throw isAuthError(error) ? explainAuth(api, error) : error;
  }
}

/** The agent's own user, or else that of the agent's address. */
async function findUser(sql: postgres.Sql, agent: Row<"agents">): Promise<UserRow | undefined> {
  const [user] = await sql<UserRow[]>`
    select
      u.id, u.email, u.created_at, u.email_confirmed_at, u.last_sign_in_at,
      u.raw_app_meta_data ->> 'invited_agent_id' as invited_agent_id, a.id as agent_id
    from auth.users u
    left join public.agents a on a.user_id = u.id
    where u.id = ${agent.user_id}
      or (${agent.user_id}::uuid is null and lower(u.email) = lower(${agent.email}))`;
  return user;
}

function refuseStranger(user: UserRow, existing: true | undefined): void {
  if (user.agent_id !== null) {
    throw new CommandError(`The login ${user.email} belongs to another agent.`);
  }
  const whose = `${user.email} has a login that this command did not make: ${describe(user)}. ` +
    "The person who made it may know its password.";
  if (user.email_confirmed_at === null) {
    throw new CommandError(
      `${whose} Delete it in the project's dashboard (Authentication, Users), and invite the agent again.`,
    );
  }
  if (!existing) throw new CommandError(`${whose} If it is the agent's own, add --existing.`);
}

function describe({ created_at, email_confirmed_at, last_sign_in_at }: UserRow): string {
  return [
    `made ${formatTime(created_at)}`,
    email_confirmed_at ? `confirmed ${formatTime(email_confirmed_at)}` : "never confirmed",
    last_sign_in_at ? `last used ${formatTime(last_sign_in_at)}` : "never used",
  ].join(", ");
}

function explainAuth({ url }: ProjectApi, { status, code, message }: AuthError): CommandError {
  const reason = status === 401 || status === 403
    ? "does not accept the secret key"
    : `refused the invitation: ${message}`;
  return new CommandError(`The auth service at ${url} ${reason} (${code ?? status})`);
}

async function connectUser(
  { act }: Session,
  agent: Row<"agents">,
  userId: string,
): Promise<Row<"agents">> {
  const [connected] = await explained(
    act(
      (transaction) =>
        transaction<[Row<"agents">]>`
          update public.agents set user_id = ${userId} where id = ${agent.id} returning *`,
      { agent_id: agent.id },
    ),
    { "23503": "SUPABASE_URL is not the project of this database. Nobody was invited." },
  );
  return connected;
}

/** The local stack keeps its e-mails as files. */
function whereMailIs({ mailFolder }: ProjectApi, email: string): string {
  const file = mailFolder && mailFile(mailFolder, email);
  return file && existsSync(file) ? ` The local stack sends none, but keeps it: ${file}` : "";
}
