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
