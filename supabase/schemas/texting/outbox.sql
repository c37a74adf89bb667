-- The outbox: what is to be sent, and what became of it. Only what stands here is ever sent.

create function private.complete_outbox_text() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  select m.conversation_id, c.service_phone, case when m.media = '[]' then private.text_segments(m.body) else 1 end
  into new.conversation_id, new.service_phone, new.segments
  from public.recruiting_messages m
  join public.recruiting_conversations c on c.id = m.conversation_id
  where m.id = new.message_id and m.direction = 'outbound';
  if not found then
    raise exception 'message_id: there is no such outbound message' using errcode = 'foreign_key_violation';
  end if;
  return new;
end
$$;

comment on function private.complete_outbox_text() is
  'Trigger: fills in the conversation, the number and the segments of a text. One with media counts as one segment.';

create trigger complete_outbox_text
  before insert on public.text_outbox
  for each row execute function private.complete_outbox_text();

create function private.move_outbox_texts() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  update public.text_outbox o
  set service_phone = new.service_phone
  where o.message_id = any (array(
    select waiting.message_id
    from public.text_outbox waiting
    where waiting.conversation_id = new.id and waiting.state in ('pending', 'sending', 'unconfirmed')
    order by waiting.ordinal
    for update
  ));
  return null;
end
$$;

comment on function private.move_outbox_texts() is
  'Trigger: what waits in a conversation is sent from its new number.';

create trigger move_outbox_texts
  after update of service_phone on public.recruiting_conversations
  for each row when (new.service_phone is distinct from old.service_phone)
  execute function private.move_outbox_texts();

create function private.forget_number_paused() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  -- A transaction that has locked a text is about to send or refuse it. And one statement may set many numbers to
  -- active, so to wait here could be to wait in a circle.
  update public.text_outbox o
  set reason = null
  where o.message_id = any (array(
    select held.message_id
    from public.text_outbox held
    where held.service_phone = new.phone and held.state = 'pending' and held.reason = 'number_paused'
    for update skip locked
  ));
  return null;
end
$$;

comment on function private.forget_number_paused() is
  'Trigger: texts do not wait for a paused number any more once it is active.';

create trigger forget_number_paused
  after update of status on public.service_numbers
  for each row when (new.status = 'active' and old.status <> 'active')
  execute function private.forget_number_paused();
