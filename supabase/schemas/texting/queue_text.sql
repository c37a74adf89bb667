-- How a text gets into the outbox, and when it may be sent.

create function private.queue_text(
  conversation_id uuid,
  kind text,
  body text,
  media jsonb default '[]',
  client_message_id uuid default null,
  taken_over_by uuid default null
) returns public.text_outbox
language plpgsql
set search_path = ''
as $$
declare
  conversation public.recruiting_conversations;
  new_message_id uuid;
  queued public.text_outbox;
begin
  -- One after another, so that a text with a lower ordinal never appears after a later one was sent.
  update public.recruiting_conversations c
  set
    last_text_at = greatest(c.last_text_at, now()),
    waiting_since = null,
    status = case when taken_over_by is null then c.status else 'escalated' end,
    assigned_agent_id = coalesce(taken_over_by, c.assigned_agent_id)
  where c.id = queue_text.conversation_id
  returning c.* into conversation;

  insert into public.recruiting_messages (conversation_id, direction, sender_type, body, media)
  values (
    queue_text.conversation_id, 'outbound', case queue_text.kind when 'agent' then 'agent' else 'bot' end,
    queue_text.body, queue_text.media
  )
  returning id into new_message_id;

  insert into public.text_outbox (message_id, kind, due_at, reason, client_message_id)
  select new_message_id, queue_text.kind, d.due_at, d.reason, queue_text.client_message_id
  from private.next_sending(conversation, queue_text.kind) d
  returning * into queued;
  return queued;
end
$$;

comment on function private.queue_text(uuid, text, text, jsonb, uuid, uuid) is
  'Adds a text to a conversation, to be sent as soon as its hours, its number and the texts before it allow. kind: see '
  'text_outbox. media: [{url, content_type}]. taken_over_by: the agent who has the conversation from now on. Consent is '
  'checked when it is sent. 23503 or 23502 when there is no such conversation, 23505 when the conversation has the client_message_id already.';

create function private.next_sending(
  conversation public.recruiting_conversations,
  kind text,
  out due_at timestamptz,
  out reason text
)
language plpgsql
stable
set search_path = ''
as $$
begin
  due_at := (private.sending_hours(conversation, kind)).opens_at;
  reason := case
    when due_at > now() then 'quiet_hours'
    when exists (
      select from public.service_numbers n where n.phone = conversation.service_phone and n.status = 'paused'
    ) then 'number_paused'
  end;
end
$$;

comment on function private.next_sending(public.recruiting_conversations, text) is
  'From when a text of this kind is due, and by what it is held until then: `quiet_hours`, `number_paused`, or null.';

create function private.sending_hours(
  conversation public.recruiting_conversations,
  kind text,
  out opens_at timestamptz,
  out closes_at timestamptz
)
language plpgsql
stable
set search_path = ''
as $$
declare
  -- A minute is left for the request and the provider's queue.
  enough constant interval := '60 seconds';
  state constant text := (select l.state from public.recruiting_leads l where l.id = conversation.recruiting_lead_id);
begin
  if kind = 'agent' and conversation.last_message_at > now() - interval '12 hours' then
    opens_at := now();
    return;
  end if;
  select w.opens_at, w.closes_at into opens_at, closes_at
  from private.text_window(conversation.recruit_phone, state, now()) w;
  if opens_at <= now() and closes_at < now() + enough then
    select w.opens_at, w.closes_at into opens_at, closes_at
    from private.text_window(conversation.recruit_phone, state, closes_at) w;
  end if;
end
$$;

comment on function private.sending_hours(public.recruiting_conversations, text) is
  'From when a text of this kind may be sent to the recruit, now or later, and until when. closes_at is null for an '
  'agent''s reply within 12 hours of the recruit''s own text, which may be sent at any hour.';
