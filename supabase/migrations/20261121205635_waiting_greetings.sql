set local check_function_bodies = off;

drop trigger "greet_recruit_of_new_lead" on "public"."recruiting_leads";

drop trigger "greet_recruit_of_waiting_lead" on "public"."recruiting_leads";

drop function "private"."greet_recruit"();

create table "private"."waiting_greetings" (
  "lead_id" uuid not null,
  "created_at" timestamp with time zone not null default clock_timestamp(),
  constraint "waiting_greetings_pkey" primary key (lead_id)
);

alter table "private"."waiting_greetings"
  enable row level security;

create or replace function private.is_text_due()
  returns boolean
  language plpgsql
  stable
  set search_path to ''
  set enable_seqscan to 'off'
  set enable_bitmapscan to 'off'
  set enable_sort to 'off'
  set enable_incremental_sort to 'off'
  AS $function$
begin
  return coalesce((
    select o.lease_until <= now()
    from public.text_outbox o
    where o.state = 'sending'
    order by o.lease_until
    limit 1
  ), false) or coalesce((
    select true
    from public.text_outbox o
    where o.state = 'unconfirmed' and o.due_at <= now() and (o.lease_until is null or o.lease_until <= now())
    order by o.due_at
    limit 1
  ), false) or coalesce((
    select o.due_at <= now() from public.text_outbox o where o.state = 'pending' order by o.due_at limit 1
  ), false) and coalesce((
    select true
    from public.service_numbers n
    cross join (values (0), (1)) p (priority)
    cross join lateral (
      select
      from public.text_outbox o
      join public.recruiting_conversations c on c.id = o.conversation_id and c.agency_id = n.agency_id
      where o.service_phone = n.phone
        and o.state = 'pending'
        and o.priority = p.priority
        and o.due_at <= now()
        and not private.is_behind(o)
      order by o.due_at, o.ordinal
      limit 1
    ) due
    where n.status = 'active' and n.busy_until <= now() + interval '1 second'
    limit 1
  ), false) or exists (select from private.waiting_greetings);
end
$function$;

create or replace function private.queue_greeting (
  lead public.recruiting_leads
)
  returns void
  language plpgsql
  set search_path to ''
  set lock_timeout to '20ms'
  AS $function$
declare
  max_length constant integer := 1600;
  template text;
  conversation public.recruiting_conversations;
  body text;
begin
  select o.greeting_template into template
  from public.recruiting_orders o
  join public.vendors v on v.id = lead.vendor_id
  where o.id = lead.order_id and v.has_text_consent;
  if template is null
    or coalesce(lead.phone, '') !~ '^\+[1-9][0-9]{1,14}$'
    or lead.vendor_metadata -> 'is_test' is not distinct from 'true'
  then
    return;
  end if;

  perform private.lock_consent(lead.agency_id, lead.phone);
  if private.is_opted_out(lead.agency_id, lead.phone) or exists (
    -- The agency has texted the recruit before.
    select
    from public.recruiting_conversations c
    join public.recruiting_messages m on m.conversation_id = c.id
    where c.recruit_phone = lead.phone and c.agency_id = lead.agency_id and m.direction = 'outbound'
  ) then
    return;
  end if;

  body := private.greeting(template, lead);
  if length(body) > max_length then
    raise warning 'lead % is not greeted: the text has more than % characters', lead.id, max_length;
    return;
  end if;
  conversation := private.open_conversation(lead, lead.agent_id);
  if conversation.id is null then
    raise warning 'lead % is not greeted: its agency has no active service number', lead.id;
  elsif conversation.status = 'bot' then
    perform private.queue_text(conversation.id, 'greeting', body);
  end if;
exception
  when lock_not_available then
    insert into private.waiting_greetings (lead_id) values (lead.id) on conflict do nothing;
  when others then
    -- Without the error's message, which may quote the lead.
    raise warning 'lead % is not greeted: SQLSTATE %', lead.id, sqlstate;
end
$function$;

create or replace function private.queue_greetings (
  lead_ids uuid[]
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  deadline constant timestamptz := clock_timestamp() + interval '50 ms';
  lead public.recruiting_leads;
  done integer := 0;
begin
  for lead in
    select l.*
    from unnest(lead_ids) with ordinality as given (id, ordinal)
    join public.recruiting_leads l on l.id = given.id
    order by given.ordinal
  loop
    exit when clock_timestamp() > deadline;
    perform private.queue_greeting(lead);
    done := done + 1;
  end loop;

  insert into private.waiting_greetings (lead_id)
  select given.id from unnest(lead_ids[done + 1:]) as given (id)
  on conflict do nothing;
end
$function$;

create or replace function private.queue_waiting_greetings (
  max integer
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  lead public.recruiting_leads;
begin
  for lead in
    with taken as (
      select w.lead_id
      from private.waiting_greetings w
      order by w.created_at
      limit max
      for update skip locked
    ), deleted as (
      delete from private.waiting_greetings w using taken t where w.lead_id = t.lead_id returning w.lead_id
    )
    select l.* from deleted d join public.recruiting_leads l on l.id = d.lead_id
  loop
    perform private.queue_greeting(lead);
  end loop;
end
$function$;

create or replace function private.record_consent (
  agency_id uuid,
  phone text,
  state text,
  source text,
  words text default null::text,
  message_id uuid default null::uuid,
  agent_id uuid default null::uuid,
  reason text default null::text,
  occurred_at timestamp with time zone default null::timestamp with time zone
)
  returns boolean
  language plpgsql
  set search_path to ''
  AS $function$
declare
  said_at timestamptz;
begin
  perform private.lock_consent(agency_id, phone);
  -- After the lock, so that of two at once the second one decides.
  said_at := coalesce(record_consent.occurred_at, clock_timestamp());

  insert into public.text_consent_events (
    agency_id, phone, state, source, words, message_id, agent_id, reason, occurred_at
  )
  values (
    record_consent.agency_id, record_consent.phone, record_consent.state, record_consent.source, record_consent.words,
    record_consent.message_id, record_consent.agent_id, record_consent.reason, said_at
  )
  on conflict on constraint text_consent_events_agency_id_message_id_key do nothing;
  if not found then
    return false;
  end if;

  insert into public.text_consents as c (agency_id, phone, state, source, changed_at)
  values (record_consent.agency_id, record_consent.phone, record_consent.state, record_consent.source, said_at)
  on conflict on constraint text_consents_pkey do update
  set
    state = excluded.state,
    source = excluded.source,
    changed_at = greatest(c.changed_at, excluded.changed_at)
  where c.changed_at <= excluded.changed_at
    -- A text that is fetched later has the provider's time, in seconds, and others that of their arrival. In doubt it is an
    -- opt-out.
    or excluded.source in ('keyword', 'wording')
      and excluded.state = 'opted_out'
      and c.changed_at <= excluded.changed_at + interval '1 minute';
  if not found then
    return false;
  end if;

  if record_consent.state = 'opted_out' then
    perform private.refuse_texts(record_consent.agency_id, record_consent.phone);
  end if;
  return true;
end
$function$;

create or replace function private.record_placement (
  placement private.placement,
  lead_ids uuid[]
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  turns constant integer := cardinality(placement.agent_ids);
  has_greeting boolean;
begin
  update public.recruiting_orders o
  set
    filled = o.filled + placement.leads,
    status = case when o.filled + placement.leads = o.quantity then 'filled' else o.status end
  where o.id = placement.order_id
  returning o.greeting_template is not null into has_greeting;

  update public.agents a
  set last_assigned_at = placement.distributed_at
    -- The last of the leads that came to this agent.
    + (turn.ordinal - 1 + (placement.leads - turn.ordinal) / turns * turns) * interval '1 microsecond'
  from unnest(placement.agent_ids) with ordinality as turn (agent_id, ordinal)
  where a.id = turn.agent_id and turn.ordinal <= placement.leads;

  if has_greeting then
    perform private.queue_greetings(lead_ids);
  end if;
end
$function$;

create or replace function public.claim_texts (
  max integer
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  lookups jsonb;
  sends record;
begin
  perform private.queue_waiting_greetings(max);
  -- Look-ups come first, because the texts behind them wait. They leave room for others.
  lookups := private.claim_lookups((max + 1) / 2);
  sends := private.claim_sends(max - jsonb_array_length(lookups));
  return jsonb_build_object('texts', lookups || sends.texts, 'next_at', sends.next_at);
end
$function$;

alter table "private"."waiting_greetings"
  add constraint "waiting_greetings_lead_id_fkey" foreign key (lead_id) references public.recruiting_leads(id)
    on delete cascade;

create index waiting_greetings_created_at_idx on private.waiting_greetings using btree (created_at);

comment on function "private"."queue_greeting"(public.recruiting_leads) is 'Queues the greeting of a lead that goes to an agency, if its order has a greeting_template, its vendor has_text_consent, it has a phone in E.164, the recruit has not opted out, and the agency has never texted the recruit. Never fails; waits at most 20 ms for a lock, and then leaves the lead in waiting_greetings.';

comment on function "private"."queue_greetings"(uuid[]) is 'Does queue_greeting() for leads that have just gone to an agency, for 50 ms. The leads that are left go to waiting_greetings.';

comment on function "private"."queue_waiting_greetings"(integer) is 'Does queue_greeting() for up to max leads of waiting_greetings, those that have waited longest.';

comment on function "private"."record_placement"(private.placement, uuid[]) is 'Called once for each placement, when its leads have been stored with it: counts them at the order and the agents, which find_placement() has locked, and greets the recruits if the order has a greeting. lead_ids: the leads in the order of their turns; the nth goes to agent (n - 1) % cardinality(agent_ids) + 1.';

comment on table "private"."waiting_greetings" is 'Leads that have gone to an agency and are still to be greeted, because there were many at once or somebody else had a lock.';

revoke all on function "private"."queue_greetings"(uuid[]) from public;

grant execute on function "private"."queue_greetings"(uuid[]) to "postgres", "service_role";

revoke all on function "private"."queue_waiting_greetings"(integer) from public;

grant execute on function "private"."queue_waiting_greetings"(integer) to "postgres", "service_role";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."waiting_greetings"
  to "postgres";

grant delete, insert, select, update on table "private"."waiting_greetings" to "service_role";
