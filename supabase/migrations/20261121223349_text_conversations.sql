set local check_function_bodies = off;

create table "private"."waiting_greetings" (
  "lead_id" uuid not null,
  "created_at" timestamp with time zone not null default clock_timestamp(),
  constraint "waiting_greetings_pkey" primary key (lead_id)
);

alter table "private"."waiting_greetings"
  enable row level security;

create table "public"."agent_notifications" (
  "id" uuid not null default gen_random_uuid(),
  "agent_id" uuid not null,
  "conversation_id" uuid not null,
  "message_id" uuid not null,
  "kind" text not null,
  "created_at" timestamp with time zone not null default now(),
  "read_at" timestamp with time zone,
  constraint "agent_notifications_kind_check"
    check ((kind = ANY (ARRAY['text'::text, 'opt_out'::text, 'failed'::text]))),
  constraint "agent_notifications_message_id_kind_key" unique (message_id, kind),
  constraint "agent_notifications_pkey" primary key (id)
);

alter table "public"."agent_notifications"
  enable row level security;

create or replace function private.greeting (
  template text,
  lead public.recruiting_leads
)
  returns text
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  agency_name constant text := (select a.name from public.agencies a where a.id = lead.agency_id);
  agent_name constant text := (
    select concat_ws(' ', a.first_name, a.last_name) from public.agents a where a.id = lead.agent_id
  );
  names constant jsonb := jsonb_build_object(
    'first_name', private.greeting_name(lead.first_name),
    'agent', coalesce(agent_name, agency_name),
    'agency', agency_name);
begin
  -- In one pass, so that a name with braces in it stays as it is.
  return (
    select string_agg(coalesce(names ->> part[1], part[2]), '' order by ordinal)
    from regexp_matches(template, '\{(\w+)\}|([^{]+)', 'g') with ordinality as parts (part, ordinal)
  );
end
$function$;

create or replace function private.greeting_name (
  first_name text
)
  returns text
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  name constant text := btrim(regexp_replace(first_name, '[[:space:]]+', ' ', 'g'));
begin
  -- Applicants type their names themselves. What is no name is not sent on, such as an address.
  return case
    when name = '' or length(name) > 50 or name ~ '[0-9/:@<>{}|\\^_=+*#%&$]' or name ~ '\.[[:alpha:]]{2}' then 'there'
    else name
  end;
end
$function$;

create or replace function private.known_service_number (
  agency_id uuid,
  recruit_phone text
)
  returns text
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return coalesce(
    (
      select c.service_phone
      from public.recruiting_conversations c
      join public.service_numbers n on n.phone = c.service_phone and n.agency_id = c.agency_id
      where c.recruit_phone = known_service_number.recruit_phone and c.agency_id = known_service_number.agency_id
      order by c.last_message_at desc nulls last, c.created_at desc
      limit 1
    ),
    (
      select t.service_phone
      from public.unmatched_texts t
      join public.service_numbers n on n.phone = t.service_phone
      where t.recruit_phone = known_service_number.recruit_phone and n.agency_id = known_service_number.agency_id
      order by t.received_at desc
      limit 1
    )
  );
end
$function$;

create or replace function private.least_used_service_number (
  agency_id uuid,
  recruit_phone text
)
  returns text
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  -- Counting more would take long, and no longer matters.
  max_count constant integer := 1000;
begin
  return (
    select n.phone
    from public.service_numbers n
    cross join lateral (
      select count(*) as conversations, max(latest.created_at) as used_at
      from (
        select c.created_at
        from public.recruiting_conversations c
        where c.service_phone = n.phone
        order by c.created_at desc
        limit max_count
      ) latest
    ) use
    where n.agency_id = least_used_service_number.agency_id
      and n.status = 'active'
      -- The number may have been another agency's.
      and not exists (
        select
        from public.recruiting_conversations c
        where c.recruit_phone = least_used_service_number.recruit_phone and c.service_phone = n.phone
      )
    order by use.conversations, use.used_at nulls first, n.phone
    limit 1
  );
end
$function$;

create or replace function private.notify_agent (
  conversation_id uuid,
  message_id uuid,
  kind text
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  insert into public.agent_notifications (agent_id, conversation_id, message_id, kind)
  select c.assigned_agent_id, c.id, notify_agent.message_id, notify_agent.kind
  from public.recruiting_conversations c
  where c.id = notify_agent.conversation_id and c.status = 'escalated'
  on conflict on constraint agent_notifications_message_id_kind_key do nothing;
end
$function$;

create or replace function private.open_conversation (
  lead public.recruiting_leads,
  agent_id uuid
)
  returns public.recruiting_conversations
  language plpgsql
  set search_path to ''
  AS $function$
declare
  number text;
  opened public.recruiting_conversations;
begin
  -- Of two calls at once, the second finds the conversation of the first.
  perform private.lock_consent(lead.agency_id, lead.phone);
  number := coalesce(
    private.known_service_number(lead.agency_id, lead.phone),
    private.least_used_service_number(lead.agency_id, lead.phone));
  if number is null then
    return null;
  end if;

  insert into public.recruiting_conversations as c (
    recruiting_lead_id, agency_id, recruit_phone, service_phone, assigned_agent_id
  )
  values (lead.id, lead.agency_id, lead.phone, number, open_conversation.agent_id)
  on conflict (recruit_phone, service_phone) do update
  set recruiting_lead_id = coalesce(c.recruiting_lead_id, excluded.recruiting_lead_id)
  -- Somebody may have just made it for another agency.
  where c.agency_id = excluded.agency_id
  returning c.* into opened;
  return opened;
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

create or replace function public.hand_back_to_bot (
  conversation_id uuid
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  caller constant public.agents := private.current_agent();
begin
  update public.recruiting_conversations c
  set status = 'bot'
  where c.id = hand_back_to_bot.conversation_id
    and c.agency_id = caller.agency_id
    and (c.assigned_agent_id = caller.id or caller.role = 'manager');
  if not found then
    raise exception 'conversation_id: there is no such conversation' using errcode = 'PT404';
  end if;
  return jsonb_build_object('conversation_id', conversation_id, 'status', 'bot');
end
$function$;

create or replace function public.mark_read (
  notification_ids uuid[]
)
  returns integer
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  newly_read integer;
begin
  update public.agent_notifications n
  set read_at = now()
  where n.id = any (notification_ids) and n.agent_id = private.current_agent_id() and n.read_at is null;
  get diagnostics newly_read = row_count;
  return newly_read;
end
$function$;

create or replace function public.record_text_consent (
  phone text,
  state text,
  reason text
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  caller constant public.agents := private.current_agent();
begin
  if caller.role is distinct from 'manager' then
    raise exception 'only an active manager may record a consent' using errcode = 'insufficient_privilege';
  elsif coalesce(phone, '') !~ '^\+[1-9][0-9]{1,14}$' then
    perform private.invalid_field('phone', 'must be a number in E.164, such as +13125550100');
  elsif coalesce(state, '') not in ('opted_in', 'opted_out') then
    perform private.invalid_field('state', 'must be opted_in or opted_out');
  elsif coalesce(reason, '') !~ '[^[:space:]]' then
    perform private.invalid_field('reason', 'is required');
  end if;
  perform private.record_consent(caller.agency_id, phone, state, 'manager', agent_id => caller.id, reason => reason);
  return jsonb_build_object('phone', phone, 'state', state);
end
$function$;

create or replace function public.start_conversation (
  recruiting_lead_id uuid,
  agent_id uuid default null::uuid
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  caller constant public.agents := private.current_agent();
  lead public.recruiting_leads;
  lead_agent_id uuid;
  conversation public.recruiting_conversations;
begin
  if caller.id is null then
    raise exception 'only an active agent may start a conversation' using errcode = 'insufficient_privilege';
  end if;
  select l.* into lead
  from public.recruiting_leads l
  where l.id = start_conversation.recruiting_lead_id
    and l.agency_id = caller.agency_id
    and (l.agent_id = caller.id or caller.role = 'manager');
  if not found then
    raise exception 'recruiting_lead_id: there is no such lead' using errcode = 'PT404';
  elsif coalesce(lead.phone, '') !~ '^\+[1-9][0-9]{1,14}$' then
    perform private.invalid_field('recruiting_lead_id', 'the lead has no phone number in E.164');
  elsif agent_id is not null and not exists (
    select from public.agents a
    where a.id = start_conversation.agent_id and a.agency_id = lead.agency_id and a.is_active
  ) then
    perform private.invalid_field('agent_id', 'must be an active agent of the lead''s agency');
  end if;

  lead_agent_id := (select a.id from public.agents a where a.id = lead.agent_id and a.is_active);
  conversation := private.open_conversation(lead, coalesce(agent_id, lead_agent_id));
  if conversation.id is null then
    raise exception 'recruiting_lead_id: its agency has no active service number' using errcode = 'PT409';
  end if;

  update public.recruiting_conversations c
  set assigned_agent_id = coalesce(
    start_conversation.agent_id,
    -- Whoever has taken a conversation over keeps it.
    case when c.status = 'escalated' then c.assigned_agent_id end,
    lead_agent_id,
    c.assigned_agent_id)
  where c.id = conversation.id;
  return jsonb_build_object('conversation_id', conversation.id, 'service_phone', conversation.service_phone);
end
$function$;

alter table "private"."waiting_greetings"
  add constraint "waiting_greetings_lead_id_fkey" foreign key (lead_id) references public.recruiting_leads(id)
    on delete cascade;

alter table "public"."agent_notifications"
  add constraint "agent_notifications_agent_id_fkey" foreign key (agent_id) references public.agents(id);

alter table "public"."agent_notifications"
  add constraint "agent_notifications_conversation_id_fkey" foreign key (conversation_id)
    references public.recruiting_conversations(id) on delete cascade;

alter table "public"."agent_notifications"
  add constraint "agent_notifications_message_id_fkey" foreign key (message_id)
    references public.recruiting_messages(id) on delete cascade;

create index waiting_greetings_created_at_idx on private.waiting_greetings using btree (created_at);

create index agent_notifications_agent_id_created_at_idx on public.agent_notifications
  using btree (agent_id, created_at);

create index agent_notifications_conversation_id_idx on public.agent_notifications using btree (conversation_id);

create index agent_notifications_unread_idx on public.agent_notifications using btree (agent_id, created_at)
  where (read_at is null);

create policy "agents read their own notifications" on "public"."agent_notifications"
  for select
  to "authenticated"
  using ((agent_id = ( select private.current_agent_id() as current_agent_id)));

comment on column "public"."agent_notifications"."kind" is '`text`: the recruit has written; `opt_out`: and wants no texts any more; `failed`: a text could not be sent.';

comment on column "public"."agent_notifications"."read_at" is 'When the agent has read it; null: not yet.';

comment on function "private"."greeting"(text, public.recruiting_leads) is 'A greeting_template with the lead''s first name, its agent''s name (without an agent the agency''s) and its agency''s name.';

comment on function "private"."greeting_name"(text) is 'The first name of a lead as a greeting has it: `there` for what can hardly be a name.';

comment on function "private"."known_service_number"(uuid, text) is 'The number of the agency that the recruit has last been in touch with, paused or not; null: none.';

comment on function "private"."least_used_service_number"(uuid, text) is 'The active number of the agency with the fewest conversations, counted up to 1,000; of several, the one that has got none for longest. Leaves out numbers that the recruit has a conversation with; null: there is none.';

comment on function "private"."notify_agent"(uuid, uuid, text) is 'Tells the assigned agent of an escalated conversation about one of its messages, once for each kind: text, opt_out or failed. Does nothing while the bot has the conversation.';

comment on function "private"."open_conversation"(public.recruiting_leads, uuid) is 'The conversation of a lead''s recruit with its agency: the one with the number that the recruit knows, else a new one, assigned to this agent (null: nobody). The lead has an agency and a phone in E.164. Null when the agency has no active number.';

comment on function "private"."queue_greeting"(public.recruiting_leads) is 'Queues the greeting of a lead that goes to an agency, if its order has a greeting_template, its vendor has_text_consent, it has a phone in E.164, the recruit has not opted out, and the agency has never texted the recruit. Never fails; waits at most 20 ms for a lock, and then leaves the lead in waiting_greetings.';

comment on function "private"."queue_greetings"(uuid[]) is 'Does queue_greeting() for leads that have just gone to an agency, for 50 ms. The leads that are left go to waiting_greetings.';

comment on function "private"."queue_waiting_greetings"(integer) is 'Does queue_greeting() for up to max leads of waiting_greetings, those that have waited longest.';

comment on function "public"."hand_back_to_bot"(uuid) is 'Gives a conversation back to the bot. It stays assigned, so that its agent can read on. The assigned agent may call it, and a manager of its agency. Returns {conversation_id, status: bot}, also when the bot has it already. PT404 for an unknown conversation, or one of other agents.';

comment on function "public"."mark_read"(uuid[]) is 'Marks notifications of the signed-in agent as read. Returns how many were not read before; ids that are not the agent''s own are passed over.';

comment on function "public"."record_text_consent"(text, text, text) is 'Records what a recruit has said otherwise than by text, for the agency of the signed-in manager: state opted_in or opted_out, with the reason. An opt-out refuses the texts that wait. Returns {phone, state}. Errors: 42501 (HTTP 403) when the caller is no active manager; 22023 (400) names the field. The provider keeps a list of its own: to a recruit who has texted STOP to a number, it sends nothing from it before START, whatever is recorded here.';

comment on function "public"."start_conversation"(uuid, uuid) is 'The conversation with a lead''s recruit: the one that there is with the number of the agency that the recruit knows, or a new one with its least used active number. It takes over the recruit''s unmatched texts to that number. The lead''s agent may call it, and a manager of its agency. It is assigned to the agent named, else to the lead''s; one that is escalated already changes its agent only for one who is named. Returns {conversation_id, service_phone}. Errors: 42501 (HTTP 403) when the caller is no active agent; PT404 for an unknown lead or another agent''s; 22023 (400) when the lead has no phone in E.164 or the agent named is no active agent of the agency; PT409 when the agency has no active number.';

comment on table "private"."waiting_greetings" is 'Leads that have gone to an agency and are still to be greeted, because there were many at once or somebody else had a lock.';

comment on table "public"."agent_notifications" is 'What an agent is told about a conversation that the agent has taken over, stored with the message itself. Realtime only says that there is a row: clients read the unread rows on every connect.';

revoke all on function "private"."greeting"(text, public.recruiting_leads) from public;

grant execute on function "private"."greeting"(text, public.recruiting_leads) to "postgres", "service_role";

revoke all on function "private"."greeting_name"(text) from public;

grant execute on function "private"."greeting_name"(text) to "postgres", "service_role";

revoke all on function "private"."known_service_number"(uuid, text) from public;

grant execute on function "private"."known_service_number"(uuid, text) to "postgres", "service_role";

revoke all on function "private"."least_used_service_number"(uuid, text) from public;

grant execute on function "private"."least_used_service_number"(uuid, text) to "postgres", "service_role";

revoke all on function "private"."notify_agent"(uuid, uuid, text) from public;

grant execute on function "private"."notify_agent"(uuid, uuid, text) to "postgres", "service_role";

revoke all on function "private"."open_conversation"(public.recruiting_leads, uuid) from public;

grant execute on function "private"."open_conversation"(public.recruiting_leads, uuid) to "postgres", "service_role";

revoke all on function "private"."queue_greeting"(public.recruiting_leads) from public;

grant execute on function "private"."queue_greeting"(public.recruiting_leads) to "postgres", "service_role";

revoke all on function "private"."queue_greetings"(uuid[]) from public;

grant execute on function "private"."queue_greetings"(uuid[]) to "postgres", "service_role";

revoke all on function "private"."queue_waiting_greetings"(integer) from public;

grant execute on function "private"."queue_waiting_greetings"(integer) to "postgres", "service_role";

revoke all on function "public"."hand_back_to_bot"(uuid) from public;

grant execute on function "public"."hand_back_to_bot"(uuid) to "authenticated", "postgres";

revoke all on function "public"."mark_read"(uuid[]) from public;

grant execute on function "public"."mark_read"(uuid[]) to "authenticated", "postgres";

revoke all on function "public"."record_text_consent"(text, text, text) from public;

grant execute on function "public"."record_text_consent"(text, text, text) to "authenticated", "postgres";

revoke all on function "public"."start_conversation"(uuid, uuid) from public;

grant execute on function "public"."start_conversation"(uuid, uuid) to "authenticated", "postgres";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."waiting_greetings"
  to "postgres";

grant delete, insert, select, update on table "private"."waiting_greetings" to "service_role";

grant select on table "public"."agent_notifications" to "authenticated";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "public"."agent_notifications"
  to "postgres";

grant delete, insert, select, update on table "public"."agent_notifications" to "service_role";
