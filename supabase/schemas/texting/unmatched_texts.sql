-- Texts from a pair of numbers that has no conversation yet.
--
-- A text and the conversation of its numbers may be stored concurrently. Both therefore first lock the pair and then look
-- for what the other one stored, so the second always sees the first. One transaction may create many conversations, so a
-- pair maps to one of 1,024 locks, like a consent.

create table public.unmatched_texts (
  id uuid primary key default gen_random_uuid(),
  message_sid text unique check (length(message_sid) <= 512),
  recruit_phone text,
  service_phone text,
  body text,
  media jsonb not null default '[]' check (jsonb_typeof(media) = 'array'),
  opt_out_type text,
  consent text generated always as ((private.consent_in_text(body, opt_out_type)).state) stored,
  received_at timestamptz not null default clock_timestamp(),
  copies_media boolean not null default false
);

-- For the take-over, in portions. Only a From and a To of this length can have a conversation.
create index unmatched_texts_numbers_idx on public.unmatched_texts (recruit_phone, service_phone, received_at, id)
  where length(recruit_phone) <= 16 and length(service_phone) <= 16;
create index unmatched_texts_consents_idx on public.unmatched_texts (recruit_phone, service_phone, received_at)
  where length(recruit_phone) <= 16 and length(service_phone) <= 16 and consent is not null;
-- A hash index takes a From or To of any length.
create index on public.unmatched_texts using hash (recruit_phone);
create index on public.unmatched_texts using hash (service_phone) where consent is not null;
create index on public.unmatched_texts (received_at);
-- For alerts: the opt-outs by number. A To of more characters is no number.
create index unmatched_texts_opt_outs_idx on public.unmatched_texts (coalesce(left(service_phone, 17), ''), received_at)
  where consent = 'opted_out';
-- The texts to their agency's numbers, which agents read. A longer To is no number, and would be too long for the index.
create index unmatched_texts_waiting_idx on public.unmatched_texts (service_phone, received_at)
  where length(service_phone) <= 16;

comment on table public.unmatched_texts is
  'Inbound texts that were answered `no_conversation`. When the conversation of their two numbers is made, they become '
  'its messages and are removed here.';
comment on column public.unmatched_texts.message_sid is 'The SMS provider''s MessageSid; null when there was none.';
comment on column public.unmatched_texts.recruit_phone is 'From, as received; null when there was none.';
comment on column public.unmatched_texts.service_phone is 'To, as received; null when there was none.';
comment on column public.unmatched_texts.body is 'Exactly as sent; null or empty when the text has only media.';
comment on column public.unmatched_texts.media is 'Array of {url, content_type}.';
comment on column public.unmatched_texts.opt_out_type is 'Twilio''s OptOutType, as received; null when there was none.';
comment on column public.unmatched_texts.copies_media is 'Whether its files are copied once it has a conversation.';
comment on column public.unmatched_texts.consent is
  'The consent that the text gives or withdraws: opted_in or opted_out. It holds when an agency gets the text or the number.';

alter table public.unmatched_texts enable row level security;
grant select on public.unmatched_texts to authenticated;
grant select, insert, update, delete on public.unmatched_texts to service_role;

create table private.waiting_take_overs (
  conversation_id uuid primary key references public.recruiting_conversations (id) on delete cascade,
  due_at timestamptz not null default now(),
  attempt integer not null default 0,
  created_at timestamptz not null default clock_timestamp()
);

create index on private.waiting_take_overs (due_at);

comment on table private.waiting_take_overs is
  'Conversations that have more unmatched texts than were taken over when they were made. Columns as in waiting_greetings.';

alter table private.waiting_take_overs enable row level security;
grant select, insert, update, delete on private.waiting_take_overs to service_role;

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
  'Locks a pair of numbers until this transaction ends: others that create their conversation, or find that there is none, '
  'wait. There are 1,024 locks, so pairs share them.';

create function private.take_over_texts() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.take_over_portion(new);
  return null;
end
$$;

comment on function private.take_over_texts() is
  'Trigger: the unmatched texts of a new conversation become its inbound messages, with the time they were received at. The '
  'worker goes on where there are more than a portion.';

create function private.take_over_portion(conversation public.recruiting_conversations) returns void
language plpgsql
set search_path = ''
as $$
declare
  -- Taken over in less than a second. Nobody waits for thousands of texts of one number.
  portion constant integer := 1000;
  texts public.unmatched_texts[];
begin
  -- In the order of receive_sms().
  perform private.lock_consent(conversation.agency_id, conversation.recruit_phone);
  perform private.lock_conversation(conversation.recruit_phone, conversation.service_phone);
  with taken as (
    delete from public.unmatched_texts t
    where t.id = any (private.oldest_unmatched(conversation, portion))
    returning t as text
  )
  select array_agg(t.text) into texts from taken t;

  if cardinality(texts) = portion then
    insert into private.waiting_take_overs as w (conversation_id) values (conversation.id)
    on conflict on constraint waiting_take_overs_pkey do update set due_at = excluded.due_at, attempt = 0;
    -- The consents in the newest hold at once: one may be an opt-out.
    perform private.record_consents_in_texts(
      conversation.agency_id, conversation.recruit_phone,
      texts || private.newest_unmatched_consents(conversation, portion));
  else
    delete from private.waiting_take_overs w where w.conversation_id = conversation.id;
  end if;
  perform private.store_texts(conversation, texts);
end
$$;

comment on function private.take_over_portion(public.recruiting_conversations) is
  'Takes over up to 1,000 of a conversation''s unmatched texts, the oldest first. If there may be more, the conversation is in '
  'waiting_take_overs; the consents in the newest 1,000 texts with one take effect immediately.';

create function private.oldest_unmatched(conversation public.recruiting_conversations, max integer) returns uuid[]
language plpgsql
stable
set search_path = ''
-- By the index in its order, as in claim.sql.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
begin
  return array(
    select t.id
    from public.unmatched_texts t
    where t.recruit_phone = conversation.recruit_phone and length(t.recruit_phone) <= 16
      and t.service_phone = conversation.service_phone and length(t.service_phone) <= 16
    order by t.received_at, t.id
    limit oldest_unmatched.max
  );
end
$$;

comment on function private.oldest_unmatched(public.recruiting_conversations, integer) is
  'The ids of up to max unmatched texts of a conversation''s numbers, the oldest first.';

create function private.newest_unmatched_consents(conversation public.recruiting_conversations, max integer)
returns public.unmatched_texts[]
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
begin
  return array(
    select t
    from public.unmatched_texts t
    where t.recruit_phone = conversation.recruit_phone and length(t.recruit_phone) <= 16
      and t.service_phone = conversation.service_phone and length(t.service_phone) <= 16
      and t.consent is not null
    order by t.received_at desc
    limit newest_unmatched_consents.max
  );
end
$$;

comment on function private.newest_unmatched_consents(public.recruiting_conversations, integer) is
  'Up to max unmatched texts of a conversation''s numbers that give or take back a consent, the newest first.';

create trigger take_over_texts
  after insert on public.recruiting_conversations
  for each row execute function private.take_over_texts();

create trigger take_over_texts_of_changed_numbers
  after update of recruit_phone, service_phone on public.recruiting_conversations
  for each row when (
    (new.recruit_phone, new.service_phone) is distinct from (old.recruit_phone, old.service_phone)
  )
  execute function private.take_over_texts();

create function public.claim_take_overs(max integer) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  claimed jsonb;
begin
  with taken as (
    update private.waiting_take_overs w
    set attempt = w.attempt + 1, due_at = now() + interval '1 minute' * 2 ^ least(w.attempt, 10)
    where w.conversation_id = any (array(
      select due.conversation_id
      from private.waiting_take_overs due
      where due.due_at <= now()
      order by due.due_at
      limit claim_take_overs.max
      for update skip locked
    ))
    returning w.conversation_id
  )
  select coalesce(jsonb_agg(t.conversation_id), '[]') into claimed from taken t;
  return claimed;
end
$$;

comment on function public.claim_take_overs(integer) is
  'Gives the worker up to max conversations that have more unmatched texts to take over, for take_over_texts(): '
  '[conversation_id], those that have waited longest. What fails is due again after 1, 2, 4, 8 minutes and so on.';
grant execute on function public.claim_take_overs(integer) to service_role;

create function public.take_over_texts(id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  conversation public.recruiting_conversations;
begin
  select c.* into conversation from public.recruiting_conversations c where c.id = take_over_texts.id;
  if found then
    perform private.take_over_portion(conversation);
  end if;
end
$$;

comment on function public.take_over_texts(uuid) is
  'Takes over the next portion of a conversation''s unmatched texts. If there may be more, it is due again at once. An unknown '
  'conversation is skipped.';
grant execute on function public.take_over_texts(uuid) to service_role;

-- The unmatched texts that agents read.

create function private.own_service_phones() returns text[]
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return array(
    select n.phone::text from public.service_numbers n where n.agency_id = (select private.current_agency_id())
  );
end
$$;

comment on function private.own_service_phones() is
  'The numbers of the agency of the active agent who is signed in. '
  'Security definer because agents may not read the numbers of their agency. Only the policy of unmatched_texts calls '
  'it.';
grant execute on function private.own_service_phones() to authenticated;

-- As start_conversation() decides, which makes messages of them.
create policy "a recruit's agent and managers read texts to their agency" on public.unmatched_texts
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
        and (l.agent_id = (select private.current_agent_id()) or l.agency_id = (select private.managed_agency_id()))
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
