-- Three mends: leads that a mapping has read badly are filled in, unmatched texts get their conversation, hours change.

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
    select r.id, private.gaps_of(stored.vendor_metadata, r.vendor_metadata) as gaps
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

comment on function private.is_blank(jsonb) is 'Whether a value says nothing: no value, null, a blank text, an empty list or object.';

create function private.gaps_of(stored jsonb, found jsonb) returns jsonb
language sql
immutable
set search_path = ''
as $$
  select coalesce(jsonb_object_agg(f.key, f.value), '{}')
  from jsonb_each(found) f
  -- The further fields about a value belong to it: a raw phone of one number is not that of another.
  left join (values ('phone_raw', 'phone'), ('state_raw', 'state'), ('email_is_alias', 'email')) as said (key, about)
    on said.key = f.key
  where f.key not in ('vendor_fields', 'is_test', 'resume_skipped')
    and private.is_blank(stored -> f.key)
    and private.is_blank(stored -> said.about)
    and not private.is_blank(f.value)
$$;

comment on function private.gaps_of(jsonb, jsonb) is
  'The members that stand in `found` and are missing or blank in `stored`; both are vendor_metadata.';

create function public.adopt_texts(recruit_phone text, service_phone text default null) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  waiting record;
  opened public.recruiting_conversations;
  adopted jsonb := '[]';
begin
  for waiting in
    select t.number, n.agency_id as owner_id, l.id as lead_id, l.agency_id, a.id as agent_id
    from (
      select distinct u.service_phone as number
      from public.unmatched_texts u
      where u.recruit_phone = adopt_texts.recruit_phone
        and u.service_phone = coalesce(adopt_texts.service_phone, u.service_phone)
    ) t
    left join public.service_numbers n on n.phone = t.number
    left join lateral (
      select r.id, r.agency_id, r.agent_id
      from public.recruiting_leads r
      where r.phone = adopt_texts.recruit_phone and r.agency_id = coalesce(n.agency_id, r.agency_id)
      order by r.created_at desc, r.id
      limit 1
    ) l on true
    left join public.agents a on a.id = l.agent_id and a.is_active
    -- The order of the locks (texting/consent.sql).
    order by private.consent_lock(l.agency_id, adopt_texts.recruit_phone), t.number
  loop
    if waiting.lead_id is null then
      raise exception 'no lead % has the phone %',
        case when waiting.owner_id is null then 'with an agency' else 'of the agency of ' || waiting.number end, recruit_phone
        using errcode = 'PT409';
    end if;
    perform private.lock_consent(waiting.agency_id, recruit_phone);
    -- Escalated at once, so that the agent is told about the texts, which a trigger moves.
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
    raise exception 'no text of % waits for a conversation', recruit_phone using errcode = 'PT404';
  end if;
  return adopted;
end
$$;

comment on function public.adopt_texts(text, text) is
  'Makes the conversations for a recruit''s unmatched texts, one for each number of ours (service_phone: for this one '
  'alone), with the newest lead that has an agency and the recruit''s phone. Where the number is an agency''s, it must be its '
  'lead. The lead''s agent, if active, has taken the conversation over, and is told. What the texts say of a consent holds. '
  'Returns [{conversation_id, service_phone, lead_id, agency_id, agent_id|null, texts}]. PT404 when no text waits, PT409 '
  'when there is no such lead.';
grant execute on function public.adopt_texts(text, text) to service_role;
