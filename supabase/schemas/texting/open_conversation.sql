-- The conversation of a recruit with an agency: an existing one, or a new one with one of its numbers.

create function private.open_conversation(
  lead public.recruiting_leads,
  agent_id uuid,
  preferred_number text default null,
  takes_paused boolean default false
) returns public.recruiting_conversations
language plpgsql
set search_path = ''
as $$
declare
  -- Counting more conversations of a number would take long, and no longer matters.
  max_count constant integer := 1000;
  is_there boolean;
  number text;
  opened public.recruiting_conversations;
begin
  -- Of two concurrent calls, the second finds the conversation of the first.
  perform private.lock_consent(lead.agency_id, lead.phone);
  is_there := private.lock_active_agent(open_conversation.agent_id);
  number := coalesce(
    (select n.phone from public.service_numbers n where n.phone = preferred_number and n.agency_id = lead.agency_id),
    (
      select c.service_phone
      from public.recruiting_conversations c
      join public.service_numbers n on n.phone = c.service_phone and n.agency_id = c.agency_id
      where c.recruit_phone = lead.phone and c.agency_id = lead.agency_id
      order by c.last_message_at desc nulls last, c.created_at desc
      limit 1
    ),
    (
      select n.phone
      from public.service_numbers n
      cross join lateral (
        select t.received_at
        from public.unmatched_texts t
        where t.recruit_phone = lead.phone and length(t.recruit_phone) <= 16
          and t.service_phone = n.phone and length(t.service_phone) <= 16
        order by t.received_at desc, t.id desc
        limit 1
      ) latest
      where n.agency_id = lead.agency_id
      order by latest.received_at desc
      limit 1
    ),
    (
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
      where n.agency_id = lead.agency_id
        and (n.status = 'active' or takes_paused)
        -- The number may have been another agency's.
        and not exists (
          select
          from public.recruiting_conversations c
          where c.recruit_phone = lead.phone and c.service_phone = n.phone
        )
      order by n.status, use.conversations, use.used_at nulls first, n.phone
      limit 1
    ));
  if number is null then
    return null;
  end if;

  insert into public.recruiting_conversations as c (
    recruiting_lead_id, agency_id, recruit_phone, service_phone, assigned_agent_id
  )
  values (lead.id, lead.agency_id, lead.phone, number, case when is_there then open_conversation.agent_id end)
  on conflict (recruit_phone, service_phone) do update
  set recruiting_lead_id = coalesce(c.recruiting_lead_id, excluded.recruiting_lead_id)
  -- Another transaction may have just created it for another agency.
  where c.agency_id = excluded.agency_id
  returning c.* into opened;
  return opened;
end
$$;

comment on function private.open_conversation(public.recruiting_leads, uuid, text, boolean) is
  'The conversation of a lead''s recruit with its agency: the one with the preferred number, if it is the agency''s, else with '
  'the agency''s number of the recruit''s latest texts, paused or not. Else a new one, assigned to this agent if active (null: '
  'nobody), with the active number that has the fewest conversations, counted up to 1,000; of several, the one whose latest '
  'conversation is oldest. takes_paused: a paused number is used if none is active. The lead has an agency and a phone in '
  'E.164. Null if the agency has no such number.';
