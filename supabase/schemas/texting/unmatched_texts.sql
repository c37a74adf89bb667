-- Texts from a pair of numbers that has no conversation yet.
--
-- A text and the conversation of its numbers may come at the same moment. Both therefore first take a lock on the pair, and
-- then look for what the other one stored. So the second always sees the first. Many conversations may be made in one
-- transaction, so a pair stands for one of 1,024 locks, as a consent does.

create function private.lock_conversation(recruit_phone text, service_phone text) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(
    hashtextextended('recruiting conversation', 0)
      + (hashtextextended(format('%s %s', recruit_phone, service_phone), 0) & 1023));
end
$$;

comment on function private.lock_conversation(text, text) is
  'Makes every other transaction that makes the conversation of these numbers, or finds that there is none, wait until '
  'this one ends. Other pairs have the same lock: there are 1,024.';
grant execute on function private.lock_conversation(text, text) to service_role;

create function private.take_over_texts() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  unmatched public.unmatched_texts;
begin
  -- In the order of receive_sms().
  perform private.lock_consent(new.agency_id, new.recruit_phone);
  perform private.lock_conversation(new.recruit_phone, new.service_phone);
  for unmatched in
    with taken as (
      delete from public.unmatched_texts t
      where t.recruit_phone = new.recruit_phone and t.service_phone = new.service_phone
      returning t.*
    )
    select * from taken t order by t.received_at
  loop
    perform private.store_text(new, unmatched);
  end loop;
  return null;
end
$$;

comment on function private.take_over_texts() is
  'Trigger: the unmatched texts of a new conversation become its inbound messages, with the time they were received at.';

create trigger take_over_texts
  after insert on public.recruiting_conversations
  for each row execute function private.take_over_texts();

create trigger take_over_texts_of_changed_numbers
  after update of recruit_phone, service_phone on public.recruiting_conversations
  for each row when (
    (new.recruit_phone, new.service_phone) is distinct from (old.recruit_phone, old.service_phone)
  )
  execute function private.take_over_texts();

-- What agents read of them.

create function private.own_service_phones() returns text[]
language sql
stable
-- Agents may not read the numbers, and a policy needs them.
security definer
set search_path = ''
as $$
  select array(select n.phone::text from public.service_numbers n where n.agency_id = private.current_agency_id())
$$;

comment on function private.own_service_phones() is 'The numbers of the agency of the active agent who is signed in.';
grant execute on function private.own_service_phones() to authenticated;

create policy "readers of a recruit read the recruit's texts to their agency" on public.unmatched_texts
  for select to authenticated
  using (
    length(service_phone) <= 16
    and service_phone = any ((select private.own_service_phones())::text[])
    -- Not by exists(): the planner would read all recruits for one page.
    and (
      select true
      from public.recruiting_leads l
      where l.agency_id = (select private.current_agency_id())
        and l.phone = unmatched_texts.recruit_phone
        and length(l.phone) <= 16
      limit 1
    )
  );

create view public.waiting_texts with (security_invoker = true) as
select t.id, l.agency_id, l.id as recruiting_lead_id, concat_ws(' ', l.first_name, l.last_name) as name, l.state, l.agent_id,
  nullif(concat_ws(' ', a.first_name, a.last_name), '') as agent, t.recruit_phone, t.service_phone, t.body, t.media, t.consent,
  t.received_at
from public.unmatched_texts t
cross join lateral (
  select r.*
  from public.recruiting_leads r
  where r.agency_id = (select private.current_agency_id()) and r.phone = t.recruit_phone and length(r.phone) <= 16
  order by r.distributed_at desc nulls last, r.id
  limit 1
) l
left join public.agents a on a.id = l.agent_id;

comment on view public.waiting_texts is
  'Texts of known recruits to a number of their agency that have no conversation yet, as the signed-in agent reads them: '
  'the recruit''s agent and the agency''s managers. With the recruit and the recruit''s agent; the rest as in '
  'unmatched_texts. start_conversation() makes messages of them. Ask for pages by the last row: ordered by received_at and id.';
grant select on public.waiting_texts to authenticated;
