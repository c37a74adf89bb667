-- The first text to a recruit, when the lead goes to an agency.
--
-- Leads are distributed under the distribution lock, so distribution only records who is to be greeted. The worker queues
-- the greetings, each in its own transaction. A failing greeting never affects its lead: skipped_greetings has the reason.
-- A greeting that takes too long delays only itself, and is tried again later.

create function private.visible_name(name text) returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return nullif(btrim(regexp_replace(private.visible_text(name), '[ \n]+', ' ', 'g')), '');
end
$$;

comment on function private.visible_name(text) is
  'Returns a name on one line, as readers see it; null if nothing is visible.';

create function private.choose_agent(agency_id uuid, variadic preferred uuid[]) returns uuid
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select a.id
    from public.agents a
    where a.agency_id = choose_agent.agency_id
      and a.is_active
      and (a.id = any (preferred) or a.accepts_recruits or a.role = 'manager')
    order by array_position(preferred, a.id) nulls last, (a.away_until > now()) is true, a.accepts_recruits desc,
      a.last_assigned_at nulls first, a.id
    limit 1
  );
end
$$;

comment on function private.choose_agent(uuid, uuid[]) is
  'Returns the agent who gets a conversation of this agency: the first active one of the preferred agents, else the agent who '
  'has waited longest for a recruit, else a manager. Agents who are away come last, unless preferred. Null if none of them is '
  'active.';

create function private.fill_template(template text, lead public.recruiting_leads, assigned_agent_id uuid default null)
returns text
language plpgsql
stable
set search_path = ''
as $$
declare
  first_name constant text := private.visible_name(lead.first_name);
  agency_name constant text := (
    select private.visible_name(a.name) from public.agencies a where a.id = lead.agency_id
  );
  agent_name constant text := (
    select private.visible_name(concat_ws(' ', a.first_name, a.last_name))
    from public.agents a
    where a.id = private.choose_agent(lead.agency_id, assigned_agent_id, lead.agent_id)
  );
  has_agent constant boolean := coalesce(lower(agent_name) <> lower(agency_name), false);
  names constant jsonb := jsonb_build_object(
    -- Applicants type their names themselves. Text that is not a name, such as an address, is not sent.
    'first_name', case
      when length(first_name) <= 50 and first_name !~ '[0-9/:@<>{}|\\^_=+*#%&$]|\.[[:alpha:]]{2}' then first_name
      else 'there'
    end,
    'agent', case when has_agent then agent_name else 'an agent' end,
    'sentence_agent', case when has_agent then agent_name else 'An agent' end,
    'agency', agency_name);
begin
  -- In one pass, so that a name with braces in it stays as it is.
  return (
    select string_agg(coalesce(names ->> part[1], part[2]), '' order by ordinal)
    from regexp_matches(
      -- A sentence begins with a capital letter.
      regexp_replace(template, '(^|[.!?]\s+)\{agent\}', '\1{sentence_agent}', 'g'), '\{(\w+)\}|([^{]+)', 'g'
    ) with ordinality as parts (part, ordinal)
  );
end
$$;

comment on function private.fill_template(text, public.recruiting_leads, uuid) is
  'A text with the lead''s first name, the name of the agent who gets the conversation, and the agency''s name, each as '
  'visible_name(). The agent: assigned_agent_id, else the lead''s agent, else the next one of choose_agent(). If the agency '
  'has no agent, or the agent has the agency''s name, it is `an agent`. `there` replaces an implausible first name.';

create table public.skipped_greetings (
  recruiting_lead_id uuid primary key references public.recruiting_leads (id) on delete cascade,
  agency_id uuid not null references public.agencies (id),
  reason text not null check (
    reason in (
      'no_greeting', 'no_consent', 'no_phone', 'is_test', 'opted_out', 'suppressed', 'lead_returned', 'texted_before', 'no_number',
      'taken_over', 'too_long', 'expired', 'error')
  ),
  created_at timestamptz not null default clock_timestamp()
);

create index on public.skipped_greetings (agency_id);

comment on table public.skipped_greetings is
  'Greetings that were never queued. Queued ones are in text_outbox, whatever became of them.';
comment on column public.skipped_greetings.agency_id is 'The agency whose order the lead went to.';
comment on column public.skipped_greetings.reason is
  '`no_greeting`: the order has none any more. `no_consent`: the vendor has no text consent, or the lead''s own consent says '
  'no. `no_phone`: the lead has no phone number in E.164. `is_test`: a test lead. `opted_out`: the recruit had opted out '
  'before. `suppressed`: the recruit was suppressed. `lead_returned`: the lead was taken back from the agency. '
  '`texted_before`: the agency has texted the recruit before. `no_number`: the agency has no number. `taken_over`: an agent '
  'has the conversation. `too_long`: more than 1,600 UTF-16 units. `expired`: it could not be queued for a day. `error`: the '
  'database''s log has the SQLSTATE.';
comment on column public.skipped_greetings.created_at is 'When it was decided.';

alter table public.skipped_greetings enable row level security;
grant select on public.skipped_greetings to authenticated;
grant select, insert, update, delete on public.skipped_greetings to service_role;

create policy "readers of a lead read that it is not greeted" on public.skipped_greetings
  for select to authenticated
  using ((select true from public.recruiting_leads l where l.id = skipped_greetings.recruiting_lead_id));

create function private.skip_greetings(lead_ids uuid[], reason text) returns void
language plpgsql
set search_path = ''
as $$
begin
  with skipped as (
    delete from private.waiting_greetings w where w.lead_id = any (skip_greetings.lead_ids) returning w.lead_id
  )
  insert into public.skipped_greetings (recruiting_lead_id, agency_id, reason)
  select l.id, l.agency_id, skip_greetings.reason
  from skipped s
  join public.recruiting_leads l on l.id = s.lead_id and l.agency_id is not null
  on conflict do nothing;
end
$$;

comment on function private.skip_greetings(uuid[], text) is
  'Cancels the pending greetings of these leads, with this reason in skipped_greetings.';

create function private.queue_greeting(lead public.recruiting_leads) returns text
language plpgsql
set search_path = ''
set lock_timeout = '20ms'
as $$
declare
  max_length constant integer := 1600;
  template text;
  has_consent boolean;
  conversation public.recruiting_conversations;
  body text;
  ban text;
begin
  select o.greeting_template, v.has_text_consent and lead.vendor_metadata #> '{consent,given}' is distinct from 'false'
  into template, has_consent
  from public.recruiting_orders o
  join public.vendors v on v.id = lead.vendor_id
  where o.id = lead.order_id;
  if template is null then
    return 'no_greeting';
  elsif not has_consent then
    return 'no_consent';
  elsif not pg_input_is_valid(coalesce(lead.phone, ''), 'public.e164') then
    return 'no_phone';
  elsif lead.vendor_metadata -> 'is_test' is not distinct from 'true' then
    return 'is_test';
  end if;

  perform private.lock_consent(lead.agency_id, lead.phone);
  ban := private.texting_ban(lead.agency_id, lead.phone, lead.id);
  if ban is not null then
    return ban;
  elsif not exists (select from public.recruiting_leads l where l.id = lead.id and l.agency_id = lead.agency_id) then
    return 'lead_returned';
  elsif exists (
    select
    from public.recruiting_conversations c
    join public.recruiting_messages m on m.conversation_id = c.id
    where c.recruit_phone = lead.phone and c.agency_id = lead.agency_id and m.direction = 'outbound'
  ) then
    return 'texted_before';
  end if;

  -- From a paused number it is sent once that is resumed.
  conversation := private.open_conversation(lead, lead.agent_id, takes_paused => true);
  if conversation.id is null then
    return 'no_number';
  elsif conversation.status <> 'bot' then
    return 'taken_over';
  end if;
  body := private.fill_template(template, lead, conversation.assigned_agent_id);
  if private.utf16_length(body) > max_length then
    raise string_data_right_truncation;
  end if;
  perform private.queue_text(conversation.id, 'greeting', body);
  return 'queued';
exception
  when string_data_right_truncation then
    return 'too_long';
  when lock_not_available then
    return 'locked';
  when others then
    -- Without the error's message, which may quote the lead.
    raise warning 'lead % is not greeted: SQLSTATE %', lead.id, sqlstate;
    return 'error';
end
$$;

comment on function private.queue_greeting(public.recruiting_leads) is
  'Queues the greeting of a lead that goes to an agency. Its order must have a greeting_template, its vendor has_text_consent, '
  'and the lead a phone in E.164 and no consent of its own that says no. The recruit has not opted out, is not suppressed, '
  'and was never texted by the agency. Returns `queued`, the reason of skipped_greetings, or `locked` after it has waited '
  '20 ms for a lock: call it again later. Fails only if the statement is cancelled.';

create function public.claim_greetings(max integer) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  claimed jsonb;
begin
  -- Where texts have not been sent for long, nobody expects a greeting any more.
  perform private.skip_greetings(array(
    select w.lead_id
    from private.waiting_greetings w
    where w.created_at <= now() - interval '24 hours'
    limit 1000
    for update skip locked
  ), 'expired');
  with taken as (
    update private.waiting_greetings w
    set attempt = w.attempt + 1, due_at = now() + interval '1 minute' * 2 ^ least(w.attempt, 10)
    where w.lead_id = any (array(
      select due.lead_id
      from private.waiting_greetings due
      where due.due_at <= now()
      order by due.due_at
      limit claim_greetings.max
      for update skip locked
    ))
    returning w.lead_id, w.created_at
  )
  select coalesce(jsonb_agg(t.lead_id order by t.created_at), '[]') into claimed from taken t;
  return claimed;
end
$$;

comment on function public.claim_greetings(integer) is
  'Gives the worker up to max leads whose greeting is due, for queue_greeting(): [lead_id], those that have waited longest. '
  'A greeting that fails is due again after 1, 2, 4, 8 minutes and so on. A lead that has waited for a day is not greeted any '
  'more: skipped_greetings has it as `expired`.';
grant execute on function public.claim_greetings(integer) to service_role;

create function public.queue_greeting(id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  lead public.recruiting_leads;
  outcome text;
begin
  select l.* into lead
  from private.waiting_greetings w
  join public.recruiting_leads l on l.id = w.lead_id
  where w.lead_id = queue_greeting.id;
  if lead.id is null then
    return;
  end if;
  outcome := private.queue_greeting(lead);
  if outcome = 'locked' then
    update private.waiting_greetings w set due_at = now() + interval '1 second' where w.lead_id = lead.id;
  elsif outcome = 'queued' then
    delete from private.waiting_greetings w where w.lead_id = lead.id;
  else
    perform private.skip_greetings(array[lead.id], outcome);
  end if;
end
$$;

comment on function public.queue_greeting(uuid) is
  'Queues the greeting of a lead that claim_greetings() has given, or notes in skipped_greetings why not. If a lock is not '
  'available, it is due again in a second. A lead that no longer waits is skipped.';
grant execute on function public.queue_greeting(uuid) to service_role;

create function private.greeting_ban(created_at timestamptz, conversation public.recruiting_conversations)
returns text
language plpgsql
stable
set search_path = ''
as $$
begin
  if private.is_expired(created_at, conversation) then
    return 'expired';
  elsif exists (
    select
    from public.text_outbox o
    where o.conversation_id = conversation.id and o.kind = 'agent' and o.attempted_at is not null and o.state <> 'pending'
  ) then
    return 'taken_over';
  end if;
  return (
    select case
      when bool_or(d.has_consent and d.has_greeting) is not false then null
      when bool_or(d.has_consent) then 'no_greeting'
      else 'no_consent'
    end
    from (
      select v.has_text_consent and l.vendor_metadata #> '{consent,given}' is distinct from 'false' as has_consent,
        o.id is null or o.greeting_template is not null as has_greeting
      -- Of all leads of the recruit: the conversation may be older than the lead that is greeted.
      from public.recruiting_leads l
      join public.vendors v on v.id = l.vendor_id
      left join public.recruiting_orders o on o.id = l.order_id
      where l.phone = conversation.recruit_phone and length(l.phone) <= 16 and l.agency_id = conversation.agency_id
    ) d
  );
end
$$;

comment on function private.greeting_ban(timestamptz, public.recruiting_conversations) is
  'Returns why a greeting in the outbox must not be sent, as a reason of text_outbox: `expired` where it could '
  'have been sent a day ago, such as that of a paused number; `taken_over` once an agent has texted the recruit; `no_consent` '
  'or `no_greeting` where the vendor''s consent or the order''s greeting has been withdrawn since it was queued. Null: it may.';

create function private.is_expired(created_at timestamptz, conversation public.recruiting_conversations)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
declare
  a_day constant interval := '24 hours';
begin
  if created_at > now() - a_day then
    return false;
  end if;
  return (
    select w.opens_at <= now() - a_day
    from private.text_window(
      conversation.recruit_phone,
      (select l.state from public.recruiting_leads l where l.id = conversation.recruiting_lead_id),
      created_at
    ) w
  );
end
$$;

comment on function private.is_expired(timestamptz, public.recruiting_conversations) is
  'Whether a greeting in the outbox could have been sent a day ago, by its hours.';
