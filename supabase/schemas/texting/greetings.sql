-- The first text to a recruit, when the lead goes to an agency.
--
-- Leads are distributed under the distribution lock. So distribution only notes who is to be greeted, and the worker
-- does it before it claims texts, each in a transaction of its own. Whatever goes wrong with a greeting, the lead goes
-- on: the server's log then has a warning with the lead's id. A greeting that takes too long costs only itself, and
-- comes again later.

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
  'A name on one line, as its reader sees it; null when there is nothing to see.';

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
    order by array_position(preferred, a.id) nulls last, a.accepts_recruits desc, a.last_assigned_at nulls first, a.id
    limit 1
  );
end
$$;

comment on function private.choose_agent(uuid, uuid[]) is
  'The agent who gets a conversation of this agency: the first of the preferred agents who is active, else the agent who has '
  'waited longest for a recruit, else a manager. Null where none of them is active.';

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
    -- Applicants type their names themselves. What is no name is not sent on, such as an address.
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
  'visible_name(). The agent: assigned_agent_id, else the lead''s agent, else the next one of choose_agent(). `an agent` '
  'stands where the agency has none, or one of its own name. `there` stands for a first name that can hardly be one.';

create function private.queue_greeting(lead public.recruiting_leads) returns boolean
language plpgsql
set search_path = ''
set lock_timeout = '20ms'
as $$
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
    or not pg_input_is_valid(coalesce(lead.phone, ''), 'public.e164')
    or lead.vendor_metadata -> 'is_test' is not distinct from 'true'
  then
    return true;
  end if;

  perform private.lock_consent(lead.agency_id, lead.phone);
  if private.is_opted_out(lead.agency_id, lead.phone) or not exists (
    -- An operator may have taken the lead back meanwhile.
    select from public.recruiting_leads l where l.id = lead.id and l.agency_id = lead.agency_id
  ) or exists (
    -- The agency has texted the recruit before.
    select
    from public.recruiting_conversations c
    join public.recruiting_messages m on m.conversation_id = c.id
    where c.recruit_phone = lead.phone and c.agency_id = lead.agency_id and m.direction = 'outbound'
  ) then
    return true;
  end if;

  conversation := private.open_conversation(lead, lead.agent_id);
  if conversation.id is null then
    raise warning 'lead % is not greeted: its agency has no active service number', lead.id;
  elsif conversation.status = 'bot' then
    body := private.fill_template(template, lead, conversation.assigned_agent_id);
    if private.utf16_length(body) > max_length then
      raise string_data_right_truncation;
    end if;
    perform private.queue_text(conversation.id, 'greeting', body);
  end if;
  return true;
exception
  when string_data_right_truncation then
    raise warning 'lead % is not greeted: the text has more than % UTF-16 units', lead.id, max_length;
    return true;
  when lock_not_available then
    return false;
  when others then
    -- Without the error's message, which may quote the lead.
    raise warning 'lead % is not greeted: SQLSTATE %', lead.id, sqlstate;
    return true;
end
$$;

comment on function private.queue_greeting(public.recruiting_leads) is
  'Queues the greeting of a lead that goes to an agency. Its order must have a greeting_template, its vendor '
  'has_text_consent, and the lead a phone in E.164. The recruit has not opted out, and was never texted by the agency. '
  'Waits at most 20 ms for a lock, and then returns false: it is to be done later. Fails only where the statement is cancelled.';

create function public.claim_greetings(max integer) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  claimed jsonb;
begin
  -- Where texts have not been sent for long, nobody expects a greeting any more.
  delete from private.waiting_greetings w where w.created_at <= now() - interval '24 hours';
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
  'more.';
grant execute on function public.claim_greetings(integer) to service_role;

create function public.queue_greeting(id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  lead public.recruiting_leads;
begin
  select l.* into lead
  from private.waiting_greetings w
  join public.recruiting_leads l on l.id = w.lead_id
  where w.lead_id = queue_greeting.id;
  if lead.id is null then
    return;
  elsif private.queue_greeting(lead) then
    delete from private.waiting_greetings w where w.lead_id = lead.id;
  else
    update private.waiting_greetings w set due_at = now() + interval '1 second' where w.lead_id = lead.id;
  end if;
end
$$;

comment on function public.queue_greeting(uuid) is
  'Queues the greeting of a lead that claim_greetings() has given. Where somebody has locked what it needs, it is due again '
  'in a second. A lead that does not wait any more is passed over.';
grant execute on function public.queue_greeting(uuid) to service_role;
