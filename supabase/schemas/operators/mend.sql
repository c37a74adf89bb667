-- Mends: leads that a mapping has read badly are filled in, unmatched texts get their conversation, deliveries are
-- dismissed, texts cancelled, a paused number is resumed.

create function public.leads_to_reread(
  vendor_id uuid default null,
  since timestamptz default null,
  after uuid default null,
  max integer default 500
) returns setof public.recruiting_leads
language sql
stable
set search_path = ''
as $$
  select l.*
  from public.recruiting_leads l
  where (after is null or l.id > after)
    and (leads_to_reread.vendor_id is null or l.vendor_id = leads_to_reread.vendor_id)
    and (since is null or l.created_at >= since)
    and l.vendor_metadata ? 'vendor_fields'
  order by l.id
  limit max
$$;

comment on function public.leads_to_reread(uuid, timestamptz, uuid, integer) is
  'Leads that have vendor_fields, by their ids, which is the next page''s `after`: of one vendor or of all (null), that came '
  'from this time on, or at any (null).';
grant execute on function public.leads_to_reread(uuid, timestamptz, uuid, integer) to service_role;

create function public.fill_leads(leads jsonb) returns setof public.recruiting_leads
language plpgsql
set search_path = ''
as $$
begin
  -- In one order, so that two calls do not wait for each other.
  perform
  from public.recruiting_leads l
  where l.id = any (array(select f.id from jsonb_to_recordset(leads) as f (id uuid)))
  order by l.id
  for no key update;

  return query
  update public.recruiting_leads l
  set vendor_metadata = l.vendor_metadata || f.gaps
  from (
    select r.id, (
      select coalesce(jsonb_object_agg(g.key, g.value), '{}')
      from jsonb_each(r.vendor_metadata) g
      -- The further fields about a value belong to it: a raw phone of one number is not that of another.
      left join (values ('phone_raw', 'phone'), ('state_raw', 'state'), ('email_is_alias', 'email')) as said (key, about)
        on said.key = g.key
      where g.key not in ('vendor_fields', 'is_test', 'resume_skipped')
        and private.is_blank(stored.vendor_metadata -> g.key)
        and private.is_blank(stored.vendor_metadata -> said.about)
        and not private.is_blank(g.value)
    ) as gaps
    from jsonb_to_recordset(leads) as r (id uuid, vendor_metadata jsonb)
    join public.recruiting_leads stored on stored.id = r.id
  ) f
  -- A lead whose person was erased meanwhile has none.
  where l.id = f.id and f.gaps <> '{}' and l.vendor_metadata ? 'vendor_fields'
  returning l.*;
end
$$;

comment on function public.fill_leads(jsonb) is
  'Fills what is empty in vendor_metadata of these leads, and changes nothing else. leads: [{id, vendor_metadata}], as a '
  'parser returns it. vendor_fields, is_test and resume_skipped stay as they are. Returns the leads that have changed.';
grant execute on function public.fill_leads(jsonb) to service_role;

create function private.is_blank(value jsonb) returns boolean
language sql
immutable
set search_path = ''
as $$
  select coalesce(value in ('null', '[]', '{}') or value #>> '{}' ~ '^[[:space:]]*$', true)
$$;

comment on function private.is_blank(jsonb) is
  'Whether a value is empty: no value, null, a blank text, an empty list or object.';

create function public.adopt_texts(recruit_phone text, service_phone text default null, lead_id uuid default null)
returns jsonb
language plpgsql
security definer
set search_path = ''
-- Longer than the lock timeout, also under load (private.admit_request()), so that the operator gets its error.
set statement_timeout = '4s'
set lock_timeout = '2s'
as $$
declare
  waiting record;
  opened public.recruiting_conversations;
  adopted jsonb := '[]';
begin
  perform private.require_operator();
  for waiting in
    select u."to" as number, u.lead_id, u.agency_id, u.agent_id, private.consent_lock(u.agency_id, u."from") as lock
    from private.unmatched_text_list u
    -- One text of each number: the list looks for the lead of each text.
    where u.id = any (array(
      select distinct on (t.service_phone) t.id
      from public.unmatched_texts t
      where t.recruit_phone = adopt_texts.recruit_phone
        and t.service_phone = coalesce(adopt_texts.service_phone, t.service_phone)
      order by t.service_phone
    ))
    -- The order of the locks (texting/consent.sql).
    order by lock, number
  loop
    if waiting.lead_id is null then
      -- The database's log keeps what is raised. So it has no recruit's phone.
      raise exception 'no lead % has this phone', private.quoted(coalesce((
        select 'of the agency of ' || n.phone from public.service_numbers n where n.phone = waiting.number
      ), 'with an agency')) using errcode = 'PT409';
    elsif waiting.lead_id <> adopt_texts.lead_id then
      raise exception 'lead_id: a newer lead of this phone has come meanwhile. Look again' using errcode = 'PT409';
    end if;
    perform private.lock_consent(waiting.agency_id, recruit_phone);
    -- Escalated at once, so that the agent is notified about the texts, which a trigger moves.
    insert into public.recruiting_conversations (
      recruiting_lead_id, agency_id, recruit_phone, service_phone, status, assigned_agent_id
    )
    select
      waiting.lead_id, waiting.agency_id, adopt_texts.recruit_phone, waiting.number,
      case when waiting.agent_id is null then 'bot' else 'escalated' end, waiting.agent_id
    -- An operator may have taken the lead back meanwhile.
    where exists (select from public.recruiting_leads l where l.id = waiting.lead_id and l.agency_id = waiting.agency_id)
    on conflict on constraint recruiting_conversations_recruit_phone_service_phone_key do nothing
    returning * into opened;
    if found then
      adopted := adopted || jsonb_build_object(
        'conversation_id', opened.id,
        'service_phone', opened.service_phone,
        'lead_id', opened.recruiting_lead_id,
        'agency_id', opened.agency_id,
        'agent_id', opened.assigned_agent_id,
        'texts', (select count(*) from public.recruiting_messages m where m.conversation_id = opened.id)
          -- Those that the worker takes over.
          + (
            select count(*)
            from public.unmatched_texts u
            where u.recruit_phone = opened.recruit_phone and u.service_phone = opened.service_phone
          ));
    end if;
  end loop;
  if adopted = '[]' then
    raise exception 'no text of this phone waits for a conversation' using errcode = 'PT404';
  end if;
  perform private.note_operator_action(
    'text adopt', jsonb_build_object(
      'conversation_ids', jsonb_path_query_array(adopted, '$[*].conversation_id'),
      'lead_ids', jsonb_path_query_array(adopted, '$[*].lead_id')));
  return adopted;
exception when lock_not_available then
  raise exception 'Others have locked the recruit''s consent. Try again in a moment.' using errcode = 'PT409';
end
$$;

comment on function public.adopt_texts(text, text, uuid) is
  'Makes the conversations for a recruit''s unmatched texts, one for each of our numbers (service_phone: for this one alone), '
  'with the newest lead that has an agency and the recruit''s phone (lead_id: with this one, or not at all). Where the number '
  'is an agency''s, it must be its lead. The lead''s agent, if active, has taken the conversation over, and is notified. '
  'Consents in the texts take effect. Returns [{conversation_id, service_phone, lead_id, agency_id, agent_id|null, texts}]. '
  'For operators; for a signed-in one, it adds a row to operator_actions. PT404 when no text waits; PT409 if there is no such '
  'lead, a newer one has arrived, or the lock is held for 2 s. 42501 for a user who is not an operator. Security definer '
  'because operators may not read or write the tables.';
grant execute on function public.adopt_texts(text, text, uuid) to authenticated, service_role;

create function public.dismiss_deliveries(delivery_ids uuid[])
returns table (id uuid, status text, was_open boolean)
language plpgsql
security definer
set search_path = ''
set statement_timeout = '4s'
set lock_timeout = '2s'
as $$
#variable_conflict use_column
declare
  dismissed uuid[];
begin
  perform private.require_operator();
  if private.is_operator() then
    if cardinality(delivery_ids) between 1 and 100 is not true then
      raise exception 'delivery_ids: must be a list of 1 to 100 ids' using errcode = 'PT400';
    end if;
    perform private.note_operator_action('delivery dismiss', jsonb_build_object('delivery_ids', delivery_ids));
  end if;

  -- In one order, so that two calls do not wait for each other.
  perform from public.rejected_deliveries d where d.id = any (delivery_ids) order by d.id for no key update;
  with changed as (
    update public.rejected_deliveries d
    set status = 'dismissed'
    where d.id = any (delivery_ids) and d.status = 'open'
    returning d.id
  )
  select coalesce(array_agg(c.id), '{}') into dismissed from changed c;
  return query
    select d.id, d.status, d.id = any (dismissed) from public.rejected_deliveries d where d.id = any (delivery_ids) order by d.id;
exception when lock_not_available then
  raise exception 'Others are replaying these deliveries. Try again in a moment.' using errcode = 'PT409';
end
$$;

comment on function public.dismiss_deliveries(uuid[]) is
  'Dismisses open rejected deliveries permanently, and returns the existing ones: their status now, and whether this call has '
  'changed it. Replayed ones stay replayed. For operators; a signed-in one gives 1 to 100 ids, and it adds a row to '
  'operator_actions. PT400 for another number of ids; PT409 if other transactions hold the lock for 2 s. 42501 for a user who '
  'is not an operator. Security definer because operators may not read or write the tables.';
grant execute on function public.dismiss_deliveries(uuid[]) to authenticated, service_role;

create function public.cancel_texts(message_ids uuid[]) returns integer
language plpgsql
security definer
set search_path = ''
set statement_timeout = '4s'
set lock_timeout = '2s'
as $$
declare
  waiting uuid[];
begin
  perform private.require_operator();
  if cardinality(message_ids) between 1 and 500 is not true then
    raise exception 'message_ids: must be a list of 1 to 500 ids' using errcode = '22023';
  end if;
  -- The order of the locks (texting/consent.sql).
  perform
  from public.recruiting_conversations c
  where c.id in (select o.conversation_id from public.text_outbox o where o.message_id = any (message_ids))
  order by c.id
  for no key update;
  waiting := array(
    select o.message_id
    from public.text_outbox o
    where o.message_id = any (message_ids) and o.state = 'pending'
    order by o.ordinal
    for update
  );
  if waiting <> '{}' then
    perform private.cancel_text(w.id) from unnest(waiting) w (id);
    perform private.note_operator_action('text cancel', jsonb_build_object('message_ids', waiting));
  end if;
  return cardinality(waiting);
exception when lock_not_available then
  raise exception 'Others have locked these texts. Try again in a moment.' using errcode = 'PT409';
end
$$;

comment on function public.cancel_texts(uuid[]) is
  'Cancels texts that wait, as cancel_text() does, and returns how many; those that are being sent, were sent or have ended '
  'stay as they are. For signed-in operators; what was cancelled adds a row to operator_actions. 22023 (HTTP 400) unless there '
  'are 1 to 500 ids; PT409 if other transactions hold the lock for 2 s. 42501 for a user who is not an operator. Security '
  'definer because operators may not read or write the tables.';
grant execute on function public.cancel_texts(uuid[]) to authenticated;

create function public.resume_number(phone text) returns public.service_numbers
language plpgsql
security definer
set search_path = ''
set statement_timeout = '4s'
set lock_timeout = '2s'
as $$
#variable_conflict use_variable
declare
  number public.service_numbers;
begin
  perform private.require_operator();
  select n.* into number from public.service_numbers n where n.phone = resume_number.phone for no key update;
  if number.phone is null then
    raise exception 'phone: % is not one of our numbers', private.quoted(phone) using errcode = 'PT404';
  elsif number.status = 'active' then
    return number;
  end if;
  perform private.note_operator_action('number resume', jsonb_build_object('service_phone', phone));
  update public.service_numbers n set status = 'active' where n.phone = resume_number.phone returning n.* into number;
  return number;
exception when lock_not_available then
  raise exception 'Others have locked the number. Try again in a moment.' using errcode = 'PT409';
end
$$;

comment on function public.resume_number(text) is
  'Resumes a paused number, so that its texts are sent. Returns the number; an active one stays unchanged. For operators; for '
  'a signed-in one, it adds a row to operator_actions. PT404 for a number that is not ours; PT409 if other transactions hold '
  'the lock for 2 s. 42501 for a user who is not an operator. Security definer because operators may not read or write the '
  'tables.';
grant execute on function public.resume_number(text) to authenticated, service_role;
