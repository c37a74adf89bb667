-- A text is sent once more, by an agent or an operator, or not at all.

create function private.retry_text(message_id uuid) returns public.text_outbox
language plpgsql
set search_path = ''
as $$
declare
  conversation public.recruiting_conversations;
  failed public.text_outbox;
  problem text;
begin
  select c.* into conversation
  from public.text_outbox o
  join public.recruiting_conversations c on c.id = o.conversation_id
  where o.message_id = retry_text.message_id;
  if not found then
    raise exception 'message_id: there is no such text' using errcode = 'PT404';
  end if;

  -- The consent's lock before rows, as everywhere.
  perform private.lock_consent(conversation.agency_id, conversation.recruit_phone);
  perform from public.recruiting_conversations c where c.id = conversation.id for no key update;
  select o.* into failed from public.text_outbox o where o.message_id = retry_text.message_id for update;

  problem := case
    when exists (
      select
      from public.recruiting_messages m
      where m.id = retry_text.message_id and m.provider_message_id is not null
    ) or failed.state = 'accepted' then 'the provider has accepted this text'
    when failed.state = 'refused' then format('this text was refused (%s)', failed.reason)
    when failed.state in ('pending', 'sending') then 'this text is not sent yet'
    when failed.state = 'unconfirmed' and failed.due_at < 'infinity' then
      'the provider is still being asked for this text'
  end;
  if problem is not null then
    raise exception 'message_id: %', problem using errcode = 'PT409';
  elsif private.is_opted_out(conversation.agency_id, conversation.recruit_phone) then
    raise exception 'message_id: the recruit has opted out of texts from this agency' using errcode = 'PT403';
  end if;

  update public.recruiting_messages m
  set status = null, error_code = null, failed_at = null
  where m.id = retry_text.message_id;
  update public.recruiting_conversations c
  set waiting_since = private.unanswered_since(c)
  where c.id = conversation.id;
  -- So that the agent is told if it fails again.
  delete from public.agent_notifications n
  where n.message_id = retry_text.message_id and n.kind = 'failed';
  update public.text_outbox o
  set state = 'pending', due_at = d.due_at, reason = d.reason, lease_until = null, lookups = 0, resends = 0
  from private.next_sending(conversation, failed.kind) d
  where o.message_id = retry_text.message_id
  returning o.* into failed;
  return failed;
end
$$;

comment on function private.retry_text(uuid) is
  'Makes a text that has failed, or of which the provider will not be asked any more, due once more, when its hours and '
  'number allow. One that is unconfirmed may then be sent twice. PT404 for an unknown text; PT409 when it waits, is '
  'being sent, was accepted or refused; PT403 when the recruit has opted out.';

create function public.retry_text(message_id uuid) returns jsonb
language plpgsql
-- Agents may not write the tables. A user who may write in a conversation may send its texts once more.
security definer
set search_path = ''
as $$
declare
  caller constant public.agents := private.writer();
  retried public.text_outbox;
begin
  -- No row is locked before the consent.
  if not exists (
    select
    from public.text_outbox o
    join public.recruiting_conversations c on c.id = o.conversation_id
    where o.message_id = retry_text.message_id and private.may_write(caller, c)
  ) then
    raise exception 'message_id: there is no such text' using errcode = 'PT404';
  end if;
  retried := private.retry_text(message_id);
  return jsonb_build_object(
    'message_id', retried.message_id,
    'status', case when retried.reason is null then 'queued' else 'held' end,
    'due_at', retried.due_at);
end
$$;

comment on function public.retry_text(uuid) is
  'Sends a text once more that has failed, or of which nobody knows whether it was sent: the recruit may then get it '
  'twice. For a user who may write in its conversation. Returns {message_id, status: queued|held, due_at}. Errors: 42501 '
  '(HTTP 403) when the caller is no active agent; PT404 for another text; PT409 when it waits, is being sent, was '
  'accepted or refused; PT403 when the recruit has opted out.';
grant execute on function public.retry_text(uuid) to authenticated;

create function public.cancel_text(message_id uuid) returns jsonb
language plpgsql
-- Agents may not write the tables. A user who may write in a conversation may cancel what waits in it.
security definer
set search_path = ''
as $$
declare
  caller constant public.agents := private.writer();
  conversation public.recruiting_conversations;
  waiting public.text_outbox;
begin
  select c.* into conversation
  from public.recruiting_conversations c
  where c.id = (select o.conversation_id from public.text_outbox o where o.message_id = cancel_text.message_id)
    and private.may_write(caller, c)
  for no key update;
  if not found then
    raise exception 'message_id: there is no such text' using errcode = 'PT404';
  end if;

  -- A worker that claims it comes before or after.
  select o.* into waiting from public.text_outbox o where o.message_id = cancel_text.message_id for update;
  if waiting.state = 'pending' then
    update public.text_outbox o set state = 'refused', reason = 'cancelled' where o.message_id = waiting.message_id;
    update public.recruiting_messages m
    set status = 'failed', failed_at = coalesce(m.failed_at, now())
    where m.id = waiting.message_id;
    update public.recruiting_conversations c
    set waiting_since = private.unanswered_since(c)
    where c.id = conversation.id;
  elsif (waiting.state, waiting.reason) is distinct from ('refused', 'cancelled') then
    raise exception 'message_id: %', case
      when waiting.state in ('sending', 'unconfirmed') then 'this text is being sent already'
      when waiting.state = 'accepted' then 'this text was sent'
      else 'this text was not sent'
    end using errcode = 'PT409';
  end if;
  return jsonb_build_object('message_id', waiting.message_id, 'status', 'cancelled');
end
$$;

comment on function public.cancel_text(uuid) is
  'A text that waits is never sent: it is refused with the reason `cancelled`, and its message has failed. The recruit waits '
  'again for an answer, unless there is another. For a user who may write in its conversation. Returns {message_id, status: '
  'cancelled}, also when it was cancelled before. Errors: 42501 (HTTP 403) when the caller is no active agent; PT404 for '
  'another text; PT409 when it is being sent, was sent, or ended otherwise.';
grant execute on function public.cancel_text(uuid) to authenticated;
