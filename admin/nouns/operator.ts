import type postgres from "postgres";
import { describeSubject } from "../../supabase/functions/_shared/operator_subject.ts";
import type { AdminCommand } from "../command.ts";
import { CommandError, UsageError } from "../errors.ts";
import { findLead } from "../find.ts";
import { list } from "../lists.ts";
import { EMAIL, endTime, LIMIT, pastTime, text } from "../options.ts";
import type { Outcome, Session } from "../session.ts";

export function addOperator(program: AdminCommand): void {
  const operator = program.noun("operator", "who may do on the page what operators do here, and what they did");
  operator.verb("add", "lets a user with a login look into everything, and replay", "nora@example.com")
    .addArgument(EMAIL).runs(addUser);
  operator.verb("remove", "ends that at once; the user keeps the login", "nora@example.com")
    .addArgument(EMAIL).runs(removeUser);
  operator.verb("list", "operators, and when each last signed in").reads(listOperators);
  operator.verb(
    "actions",
    "who changed something or was shown data of a person, here and on the page, the newest first",
    "--by nora@example.com --since 2026-01-31 --action 'lead return'",
  )
    .takes(
      text("--by <name>", "only this operator's: a name of --as, a login, or a user's e-mail address or id"),
      pastTime("--since <time>", "only from this time on"),
      endTime("--until <time>", "only until this time"),
      text("--lead <lead>", "only what concerned this lead: the sender's id, its id or the first 8 characters of it"),
      text("--action <action>", "only this action, such as 'lead return'"),
      LIMIT,
    )
    .reads(listActions);
}

async function addUser({ sql, act }: Session, address: string): Promise<Outcome> {
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
  const { count } = await act(
    (transaction) => transaction`insert into public.operators (user_id) values (${user.id}) on conflict do nothing`,
    ({ count }) => count > 0 ? { user_id: user.id } : null,
  );
  return {
    data: { user_id: user.id, email: address, added: count > 0 },
    text: count > 0 ? `${address} is an operator now.` : `${address} was an operator before.`,
  };
}

async function removeUser({ act }: Session, address: string): Promise<Outcome> {
  const [removed] = await act(
    (transaction) =>
      transaction<{ user_id: string }[]>`
        delete from public.operators o using auth.users u
        where u.id = o.user_id and lower(u.email) = ${address} returning o.user_id`,
    ([removed]) => removed ?? null,
  );
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

interface ActionFilters {
  by?: string;
  since?: Date;
  until?: Date;
  lead?: string;
  action?: string;
  limit: number;
}

async function listActions(
  { sql }: Session,
  { by, since, until, lead, action, limit }: ActionFilters,
): Promise<Outcome> {
  const [known] = await sql`select private.action_members(${action ?? "lead show"}) is null as unknown`;
  if (known!.unknown) {
    throw new UsageError(`--action: there is no action "${action}". It is a noun and a verb, such as lead return`);
  }
  const conditions = [
    by && sql`(a.done_by = ${by} or lower(a.email) = lower(${by}) or a.user_id::text = lower(${by}))`,
    since && sql`a.created_at >= ${since}`,
    until && sql`a.created_at < ${until}`,
    action && sql`a.action = ${action}`,
    lead && (await concerns(sql, (await findLead(sql, lead.trim())).id)).isMeant,
  ].filter((condition) => condition !== undefined);
  const isMeant = sql`true ${[sql``, ...conditions.map((each) => sql`and ${each}`)]}`;
  const rows = await sql`
    select a.created_at, a.email, a.action, a.subject, a.user_id, a.done_by, a.id, a.operator
    from public.operator_action_list a
    where ${isMeant}
    order by a.created_at desc, a.id desc
    limit ${limit}`;
  const none = conditions.length === 0 ? "No operator has done anything." : "No operator has done that.";
  const { data, text } = list(rows, none, ({ created_at, operator, action, subject }) => ({
    created_at,
    operator,
    action,
    of: describeSubject(subject),
  }));
  if (rows.length < limit) return { data, text };
  const [{ more }] = await sql<[{ more: number }]>`
    select count(*)::int - ${limit} as more
    from public.operator_action_list a where ${isMeant}`;
  return { data, text: more > 0 ? `${text}\n\n${more} more: see --limit` : text };
}

/** The condition for actions that concern a lead: they name it, or a delivery that has become it. */
async function concerns(sql: Session["sql"], id: string): Promise<{ isMeant: postgres.Fragment }> {
  const deliveries = await sql<{ id: string }[]>`select id from public.rejected_deliveries where lead_id = ${id}`;
  const subjects = [
    { lead_ids: [id] },
    ...deliveries.flatMap((delivery) => [{ delivery_id: delivery.id }, { delivery_ids: [delivery.id] }]),
  ];
  // The index finds each of these, but not one of an array.
  const others = subjects.map((subject) => sql`or a.subject @> ${sql.json(subject)}`);
  return { isMeant: sql`(a.subject @> ${sql.json({ lead_id: id })} ${others})` };
}
