import type postgres from "postgres";

/** When the story of a row was: when it was received, until when people texted, and what was done until when. */
export interface Story {
  /** Of a lead, or of a rejected delivery. */
  id: string;
  received: Date;
  texted: Date;
  done: Date;
}

/** When the parts of the world were made: all leads, then all texts, then what agents did. */
export interface Made {
  began: Date;
  leads: Date;
  texts: Date;
}

/** Lets what waits for a time wait no longer: the bot's turns, and texts and dispatches that are tried again. */
export async function passTime(sql: postgres.Sql): Promise<void> {
  await sql`update public.text_outbox set due_at = now() where state = 'pending' and due_at > now() and due_at < 'infinity'`;
  await sql`update public.bot_turns set due_at = least(due_at, now())`;
  await sql`update private.dispatches set due_at = least(due_at, now()) where state = 'waiting'`;
}

/**
 * Moves the clock: all of the world was made a moment ago, and becomes as old as its stories are. No function takes a
 * time, so this is the only place that sets times. It moves each time of a story, whatever table it is in, by the same
 * function, which keeps their order. No trigger runs, because nothing but the clock changes.
 */
export async function moveClock(sql: postgres.Sql, made: Made, stories: Story[]): Promise<void> {
  await sql.begin(async (sql) => {
    await sql`set local session_replication_role = replica`;
    await sql`
      create temporary table story (
        id uuid primary key, received timestamptz, texted timestamptz, done timestamptz
      ) on commit drop`;
    await sql`
      insert into story (id, received, texted, done)
      select * from jsonb_to_recordset(${sql.json(stories as never)})
        as s (id uuid, received timestamptz, texted timestamptz, done timestamptz)`;
    await sql`
      insert into story select c.id, s.received, s.texted, s.done
      from public.recruiting_conversations c
      left join (public.lead_returns r join public.recruiting_leads l on l.id = r.recruiting_lead_id)
        on c.recruiting_lead_id is null and r.agency_id = c.agency_id and l.phone = c.recruit_phone
      join story s on s.id = coalesce(c.recruiting_lead_id, r.recruiting_lead_id)
      on conflict do nothing`;
    await sql`
      insert into story select m.id, s.received, s.texted, s.done
      from public.recruiting_messages m join story s on s.id = m.conversation_id`;
    await sql.unsafe(placed(made));
    const tables = await sql<{ name: string; times: string[]; link: string }[]>`${sql.unsafe(TABLES)}`;
    for (const { name, times, link } of tables) {
      await sql.unsafe(
        `update ${name} t set ${
          times.map((time) => `${time} = pg_temp.placed(t.${time}, s)`).join()
        } from story s where s.id = ${link}`,
      );
    }
    await sql`
      update public.recruiting_message_events e set received_at = pg_temp.placed(e.received_at, s)
      from public.recruiting_messages m join story s on s.id = m.id where m.provider_message_id = e.provider_message_id`;
    await sql`
      update public.text_consents t set changed_at = e.last, created_at = e.first
      from (
        select agency_id, phone, min(occurred_at) as first, max(occurred_at) as last from public.text_consent_events group by 1, 2
      ) e
      where (e.agency_id, e.phone) = (t.agency_id, t.phone)`;
    await sql`
      update public.agents a set last_assigned_at =
        (select max(l.distributed_at) from public.recruiting_leads l where l.agent_id = a.id)
      where a.last_assigned_at >= ${made.began}`;
    // The orders are as old as the first story, so that they have a forecast.
    for (const table of ["public.recruiting_orders", "private.recruiting_order_choices"]) {
      await sql`
        update ${
        sql(table)
      } set created_at = created_at - (${made.began}::timestamptz - (select min(received) from story))`;
    }
    // Rejected deliveries were counted when they came.
    await sql`delete from private.metric_days where result = 'rejected'`;
    await sql`
      insert into private.metric_days (day, metric, vendor_id, result, count)
      select (received_at at time zone 'UTC')::date, 'leads', vendor_id, 'rejected', count(*)
      from public.rejected_deliveries group by 1, 3`;
    await sql`select private.recount_order_days()`;
  });
}

/** Where a time comes: each part of the making becomes a part of the story. What is still to come stays as far off. */
function placed({ began, leads, texts }: Made): string {
  const part = (from: string, until: string, start: string, end: string) =>
    `${start} + (${end} - (${start})) * (extract(epoch from at - ${from}) / extract(epoch from ${until} - ${from}))`;
  const [first, second, third] = [began, leads, texts].map((time) => `timestamptz '${time.toISOString()}'`) as [
    string,
    string,
    string,
  ];
  const received = "s.received + interval '1 second'";
  return `
    create function pg_temp.placed(at timestamptz, s story) returns timestamptz language sql stable as $$
      select case
        when not isfinite(at) or at < ${first} then at
        when at <= ${second} then ${part(first, second, "s.received", received)}
        when at <= ${third} then ${part(second, third, received, "s.texted")}
        when at <= now() then ${part(third, "now()", "s.texted", "s.done")}
        else s.done + (at - now())
      end
    $$`;
}

/** The tables with times that belong to a lead, a conversation, a text or a rejected delivery, and how they do. */
const TABLES = `
  select c.oid::regclass::text as name, t.times, l.link
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace and n.nspname in ('public', 'private')
  cross join lateral (
    select array_agg(quote_ident(a.attname)) as times
    from pg_attribute a
    where a.attrelid = c.oid and a.attnum > 0 and a.atttypid = 'timestamptz'::regtype and a.attgenerated = ''
  ) t
  cross join lateral (
    select 'coalesce(' || string_agg('t.' || a.attname, ', ' order by p.place) || ')' as link
    from unnest(array['message_id', 'conversation_id', 'recruiting_lead_id', 'lead_id', 'id']) with ordinality p (name, place)
    join pg_attribute a on a.attrelid = c.oid and a.attname = p.name and a.atttypid = 'uuid'::regtype
    where p.name <> 'id'
      or c.relname in ('recruiting_leads', 'recruiting_conversations', 'recruiting_messages', 'rejected_deliveries', 'leads')
  ) l
  where c.relkind = 'r' and t.times is not null and l.link is not null`;
