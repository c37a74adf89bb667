-- An operator sends a text once more.

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
  -- So that the agent is told if it fails again.
  delete from public.agent_notifications n
  where n.message_id = retry_text.message_id and n.kind = 'failed';
  update public.text_outbox o
  set state = 'pending', due_at = now(), reason = null, lease_until = null, lookups = 0, resends = 0
  where o.message_id = retry_text.message_id
  returning o.* into failed;
  return failed;
end
$$;

comment on function private.retry_text(uuid) is
  'Makes a text that has failed, or of which the provider will not be asked any more, due once more. One that is '
  'unconfirmed may then be sent twice. PT404 for an unknown text; PT409 when it waits, is being sent, was accepted or '
  'refused; PT403 when the recruit has opted out.';
grant execute on function private.retry_text(uuid) to service_role;
