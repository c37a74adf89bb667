-- The arrival of a recruit's text: POST /recruiting/sms/inbound stores it, and the bot or an agent is notified.

-- A view, because nothing is stored: the bot, a later area, has a trigger on it.
create view private.texts_to_answer with (security_invoker = true) as
select null::uuid as conversation_id, null::uuid[] as message_ids
where false;

comment on view private.texts_to_answer is
  'New texts of a recruit in a conversation, oldest first, are inserted here: a trigger of the bot takes those that it '
  'answers, and returns the others.';
grant select, insert on private.texts_to_answer to service_role;

create function public.receive_sms(
  recruit_phone text,
  service_phone text,
  message_sid text,
  body text,
  media jsonb,
  message_id uuid default gen_random_uuid(),
  opt_out_type text default null,
  received_at timestamptz default null,
  copies_media boolean default false
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  -- In the order of the table's columns
  received public.unmatched_texts := (
    message_id, private.indexable_id(message_sid), recruit_phone, service_phone, body, coalesce(nullif(media, 'null'), '[]'),
    opt_out_type, (private.consent_in_text(body, opt_out_type)).state, received_at, copies_media);
  conversation public.recruiting_conversations;
begin
  -- Before any row is locked (consent.sql). Our number stays with its agency meanwhile.
  if received.consent is not null then
    perform pg_advisory_xact_lock_shared(private.service_number_lock(service_phone));
    perform private.lock_consent(private.agency_of_numbers(recruit_phone, service_phone), recruit_phone);
  end if;

  conversation := private.conversation_of(recruit_phone, service_phone);
  if conversation.id is null then
    perform private.lock_conversation(recruit_phone, service_phone);
    conversation := private.conversation_of(recruit_phone, service_phone);
  end if;
  if conversation.id is not null then
    perform private.store_texts(conversation, array[received]);
    return '{"status": "received"}';
  end if;

  insert into public.unmatched_texts (
    id, message_sid, recruit_phone, service_phone, body, media, opt_out_type, received_at, copies_media
  )
  select
    received.id, received.message_sid, received.recruit_phone, received.service_phone, received.body, received.media,
    received.opt_out_type, coalesce(received.received_at, clock_timestamp()), received.copies_media
  -- The message may have been stored in a conversation whose numbers were changed since.
  where not exists (
    select from public.recruiting_messages m where m.provider_message_id = received.message_sid or m.id = received.id
  )
  on conflict do nothing;
  if found then
    perform private.record_consents_in_texts(
      private.agency_of_numbers(recruit_phone, service_phone), recruit_phone, array[received]);
    perform private.notify_of_unmatched_text(received);
  end if;
  return '{"status": "no_conversation"}';
end
$$;

comment on function public.receive_sms(text, text, text, text, jsonb, uuid, text, timestamptz, boolean) is
  'Stores an inbound message in the conversation of these two numbers, once for each MessageSid and once for each message_id. '
  'The caller generates the message_id, so that it may repeat the call. media: [{url, content_type}]. Returns {status: '
  'received}, also if it was stored before. Without a conversation it stores the text in unmatched_texts in the same way, '
  'notifies the recruit''s agent, and returns {status: no_conversation}. An opt-in or opt-out takes effect with the message '
  '(opt_out_type: Twilio''s OptOutType), and the bot answers, or an agent is notified. received_at: when the provider received '
  'it; null: now. copies_media: whether the worker copies its files (media_copies).';
grant execute on function public.receive_sms(text, text, text, text, jsonb, uuid, text, timestamptz, boolean) to service_role;

create function private.conversation_of(recruit_phone text, service_phone text) returns public.recruiting_conversations
language plpgsql
set search_path = ''
as $$
declare
  conversation public.recruiting_conversations;
begin
  select c.* into conversation
  from public.recruiting_conversations c
  where c.recruit_phone = conversation_of.recruit_phone and c.service_phone = conversation_of.service_phone
  for key share;
  return conversation;
end
$$;

comment on function private.conversation_of(text, text) is
  'Returns the conversation of these two numbers, or null. It cannot be deleted before this transaction ends.';

create function private.store_texts(conversation public.recruiting_conversations, received public.unmatched_texts[])
returns void
language plpgsql
set search_path = ''
as $$
declare
  texts public.unmatched_texts[];
  was_banned boolean;
  heard record;
begin
  with stored as (
    insert into public.recruiting_messages (
      id, conversation_id, direction, sender_type, provider_message_id, body, media, created_at
    )
    select r.id, conversation.id, 'inbound', 'recruit', r.message_sid, r.body, r.media, coalesce(r.received_at, now())
    from unnest(received) r
    on conflict do nothing
    returning recruiting_messages.id
  ), copied as (
    insert into public.media_copies (message_id, position)
    select r.id, p.position - 1
    from unnest(received) r
    join stored s on s.id = r.id
    cross join lateral jsonb_array_elements(r.media) with ordinality p (file, position)
    where r.copies_media
  )
  select array_agg(r) into texts from unnest(received) r where r.id in (select s.id from stored s);
  -- A repeated delivery of a STOP after a START is not a new opt-out.
  if texts is null then
    return;
  end if;

  was_banned := conversation.status = 'bot'
    and private.texting_ban(conversation.agency_id, conversation.recruit_phone, conversation.recruiting_lead_id) is not null;
  -- The next call may lock all conversations of the recruit, in their order.
  perform private.record_consents_in_texts(conversation.agency_id, conversation.recruit_phone, texts);

  with text as (
    select t.id, coalesce(t.received_at, now()) as at, t.consent is not distinct from 'opted_out' as is_opt_out
    from unnest(texts) t
  ), opt_out as (
    select max(t.at) as at from text t where t.is_opt_out
  )
  select
    o.at as opted_out_at,
    max(t.at) as last_at,
    min(t.at) filter (where not t.is_opt_out and (o.at is null or t.at > o.at)) as waits_since,
    array_agg(t.id) filter (where t.is_opt_out) as opt_outs,
    -- Texts that were fetched later, or waited for their conversation: a person reads them.
    array_agg(t.id order by t.at) filter (where not t.is_opt_out and t.at < now() - interval '1 hour') as old,
    array_agg(t.id order by t.at) filter (where not t.is_opt_out and t.at >= now() - interval '1 hour') as new
  into heard
  from text t
  cross join opt_out o
  group by o.at;

  -- Before the rows of the bot, in the order of consent.sql.
  update public.recruiting_conversations c
  set
    last_message_at = greatest(c.last_message_at, heard.last_at),
    last_text_at = greatest(c.last_text_at, heard.last_at),
    -- A recruit whom nobody may text waits for no answer. An opt-out has ended the wait before it.
    waiting_since = case
      when private.texting_ban(c.agency_id, c.recruit_phone, c.recruiting_lead_id) is null
        then least(c.waiting_since, heard.waits_since, case when heard.waits_since is not null then now() end)
    end,
    snoozed_until = null
  where c.id = conversation.id
  returning c.* into conversation;
  -- Quiet hours do not hold an agent's reply to what the recruit has just written.
  update public.text_outbox o
  set due_at = now(), first_due_at = now(), reason = null
  where o.message_id = any (array(
    select held.message_id
    from public.text_outbox held
    where held.conversation_id = conversation.id
      and held.state = 'pending'
      and held.kind = 'agent'
      and held.reason = 'quiet_hours'
      and held.due_at > now()
    order by held.ordinal
    for update
  ));
  perform private.notify_of_texts(conversation.id, heard.opt_outs, 'opt_out');
  perform private.notify_of_texts(conversation.id, heard.old, 'text');
  if heard.new is not null and not was_banned and heard.opted_out_at is null then
    insert into private.texts_to_answer values (conversation.id, heard.new) returning message_ids into heard.new;
  end if;
  perform private.notify_of_texts(conversation.id, heard.new, 'text');
end
$$;

comment on function private.store_texts(public.recruiting_conversations, public.unmatched_texts[]) is
  'Stores a recruit''s texts as messages of this conversation, once for each id and each MessageSid. A consent in them takes '
  'effect, held replies of agents become due, and the bot answers or an agent is notified. received_at null: now. The caller '
  'holds the locks of receive_sms().';
