import { Argument } from "commander";
import type { AdminCommand } from "../command.ts";
import { CommandError } from "../errors.ts";
import { list } from "../lists.ts";
import { readEmail } from "../lookup.ts";
import { LIMIT } from "../options.ts";
import type { Outcome, Session } from "../session.ts";

const EMAIL = new Argument("<email>").argParser(readEmail);

export function addOperator(program: AdminCommand): void {
  const operator = program.noun("operator", "who may do on the page what operators do here, and what they did");
  operator.verb("add", "lets a user with a login look into everything, and replay", "nora@example.com")
    .addArgument(EMAIL).runs(addUser);
  operator.verb("remove", "ends that at once; the user keeps the login", "nora@example.com")
    .addArgument(EMAIL).runs(removeUser);
  operator.verb("list", "operators, and when each last signed in").runs(listOperators);
  operator.verb(
    "actions",
    "who read, replayed or distributed what on the page, or changed much here, the newest first",
    "--limit 20",
  )
    .takes(LIMIT).runs(listActions);
}

async function addUser({ sql }: Session, address: string): Promise<Outcome> {
  const [user] = await sql<{ id: string; is_confirmed: boolean }[]>`
    select u.id, u.email_confirmed_at is not null as is_confirmed
    from auth.users u where lower(u.email) = ${address}`;
  if (user === undefined) {
    throw new CommandError(
      `There is no login of ${address}. Invite the agent first (npm run admin -- agent invite), ` +
        "or another user in the dashboard: Authentication, Users",
    );
  }
  // The first person who opens the link sets the password, and that may be a stranger.
  if (!user.is_confirmed) {
    throw new CommandError(`Nobody has opened the link that was sent to ${address} yet. Add the user afterwards.`);
  }
  const { count } = await sql`insert into public.operators (user_id) values (${user.id}) on conflict do nothing`;
  return {
    data: { user_id: user.id, email: address, added: count > 0 },
    text: count > 0 ? `${address} is an operator now.` : `${address} was an operator before.`,
  };
}

async function removeUser({ sql }: Session, address: string): Promise<Outcome> {
  const [removed] = await sql<{ user_id: string }[]>`
    delete from public.operators o using auth.users u
    where u.id = o.user_id and lower(u.email) = ${address} returning o.user_id`;
  if (removed === undefined) {
    throw new CommandError(`${address} is no operator. See npm run admin -- operator list`);
  }
  return { data: { ...removed, email: address, removed: true }, text: `${address} is no operator any more.` };
}

async function listOperators({ sql }: Session): Promise<Outcome> {
  const rows = await sql`
    select u.email, concat_ws(' ', a.first_name, a.last_name) as agent, o.created_at as since,
      u.last_sign_in_at as signed_in, o.user_id
    from public.operators o
    join auth.users u on u.id = o.user_id
    left join public.agents a on a.user_id = o.user_id
    order by u.email`;
  return list(rows, "There is no operator: npm run admin -- operator add", ({ user_id: _, ...row }) => row);
}

async function listActions({ sql }: Session, { limit }: { limit: number }): Promise<Outcome> {
  const rows = await sql`
    select a.created_at, u.email, a.action, a.subject, a.user_id, a.done_by, a.id,
      count(*) over ()::int - ${limit} as more
    from public.operator_actions a
    left join auth.users u on u.id = a.user_id
    order by a.created_at desc, a.id desc
    limit ${limit}`;
  const more = rows[0]?.more ?? 0;
  const { data, text } = list(
    rows.map(({ more: _, ...row }) => row),
    "No operator has done anything.",
    ({ created_at, email, user_id, done_by, action, subject }) => ({
      created_at,
      operator: email ?? user_id ?? done_by,
      action,
      of: subject.delivery_ids?.join(" ") ?? subject.order_ids?.join(" ") ?? subject.agent_id ??
        subject.lead_id ?? subject.by ?? `at most ${subject.max}`,
    }),
  );
  return { data, text: more > 0 ? `${text}\n\n${more} more: see --limit` : text };
}
