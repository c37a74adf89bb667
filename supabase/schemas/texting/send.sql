-- An agent sends a text: it is checked, and queued.

create function public.send_text(
  conversation_id uuid,
  body text,
  client_message_id uuid,
  media jsonb default '[]',
  take_over boolean default false
) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  max_length constant integer := 1600;
  caller constant public.agents := private.writer();
  files jsonb;
  conversation public.recruiting_conversations;
  owner text;
  queued public.text_outbox;
  is_duplicate boolean;
begin
  files := private.read_media(media, conversation_id);
  if private.visible_text(coalesce(body, '')) !~ '[^ \n]' and files = '[]' then
    perform private.invalid_field('body', 'must not be empty');
  elsif private.utf16_length(body) > max_length then
    perform private.invalid_field('body', format(
      'must have at most %s characters, counted in UTF-16 units (most emoji have 2 or more)', max_length));
  elsif client_message_id is null then
    perform private.invalid_field('client_message_id', 'is required');
  end if;

  -- A repeated call waits here while the first one is still running. Its text is found also where the conversation has
  -- changed hands since.
  select c.* into conversation
  from public.recruiting_conversations c
  where c.id = send_text.conversation_id and c.agency_id = caller.agency_id
  for no key update;
  select o.* into queued
  from public.text_outbox o
  where o.conversation_id = conversation.id and o.client_message_id = send_text.client_message_id;
  is_duplicate := found;

  if not is_duplicate then
    conversation := private.lock_to_write(caller, conversation_id);
    select concat_ws(' ', a.first_name, a.last_name) into owner
    from public.agents a
    where a.id = conversation.assigned_agent_id and a.id <> caller.id and a.is_active and conversation.status = 'escalated';
    if found and take_over is not true then
      raise exception 'take_over: % has this conversation', private.quoted(owner) using errcode = 'PT409';
    end if;
    if not exists (
      select from public.service_numbers n
      where n.phone = conversation.service_phone and n.agency_id = conversation.agency_id
    ) then
      raise exception 'conversation_id: its number is not one of the agency''s service numbers' using errcode = 'PT409';
    end if;
    perform private.refuse_banned(
      'conversation_id', conversation.agency_id, conversation.recruit_phone, conversation.recruiting_lead_id);
    perform private.require_room(conversation.id, caller.id);
    perform private.refuse_waiting_texts(conversation.id, 'taken_over', 'bot');
    perform private.notify_of_new_owner(array[conversation], caller.id);
    queued := private.queue_text(conversation.id, 'agent', body, files, client_message_id, caller.id);
  end if;

  return jsonb_build_object(
    'message_id', queued.message_id,
    'status', case when is_duplicate then 'duplicate' when queued.reason is null then 'queued' else 'held' end,
    'due_at', queued.due_at,
    'segments', queued.segments
  );
end
$$;

comment on function public.send_text(uuid, text, uuid, jsonb, boolean) is
  'Queues a text of the signed-in agent: the conversation''s assigned agent, without one the agent of its lead, or a manager '
  'of its agency. body: at most 1,600 UTF-16 units, with visible text; may be empty with media, at most 10 of {url, '
  'content_type}. A `bot` conversation is taken over: it becomes escalated and the sender''s, and the bot''s waiting texts are '
  'refused. With take_over, managers take over a conversation of another active agent, who is notified (see '
  'agent_notifications). Returns {message_id, status: queued|held|duplicate, due_at, segments}: held by quiet hours or a '
  'paused number; duplicate for a client_message_id that the conversation already has, with the values of the first call, also '
  'for another owner. Errors: 22023 (HTTP 400) names the field; 42501 (403) if the caller is not an active agent; PT404 for an '
  'unknown conversation or another agent''s; PT403 when the recruit has opted out or is suppressed; PT409 if another agent has '
  'the conversation (`take_over: <name> has this conversation`), or its number is not one of the agency''s; PT429 (429) beyond '
  'private.text_limits: too many texts wait in the conversation, or the caller has sent too many in a minute. Security definer '
  'because agents may not write the tables.';
grant execute on function public.send_text(uuid, text, uuid, jsonb, boolean) to authenticated;

create function private.read_media(media jsonb, conversation_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  max_items constant integer := 10;
  files constant jsonb := coalesce(nullif(media, 'null'), '[]');
  item jsonb;
  path text;
  url text;
  content_type text;
  result jsonb := '[]';
begin
  if jsonb_typeof(files) <> 'array' then
    perform private.invalid_field('media', 'must be an array');
  elsif jsonb_array_length(files) > max_items then
    perform private.invalid_field('media', format('must have at most %s items', max_items));
  end if;
  for item in select i from jsonb_array_elements(files) with ordinality e (i, n) order by n loop
    path := format('media[%s]', jsonb_array_length(result));
    perform private.require_fields(item, path, array['url', 'content_type']);
    url := private.text_field(item, path, 'url', is_required => true);
    -- The worker may sign any file, so a name must not be readable as a path to another folder.
    if url !~ '^https://[^[:space:]/]+(/[^[:space:]]*)?$'
      and url !~ format('^text-media/%s/(?!\.+$)[-A-Za-z0-9!_.*''()&$@=;:+,]{1,200}$', conversation_id)
    then
      perform private.invalid_field(
        path || '.url',
        'must begin with https://, or be text-media/<conversation_id>/<name> with a name of A-Z, a-z, 0-9 and '
          '!-_.*''()&$@=;:+,');
    elsif length(url) > 2000 then
      perform private.invalid_field(path || '.url', 'must have at most 2000 characters');
    end if;
    content_type := private.text_field(item, path, 'content_type', is_required => true);
    if length(content_type) > 255 then
      perform private.invalid_field(path || '.content_type', 'must have at most 255 characters');
    end if;
    result := result || jsonb_build_object('url', url, 'content_type', content_type);
  end loop;
  return result;
end
$$;

comment on function private.read_media(jsonb, uuid) is
  'Reads and checks the media of a text: at most 10 of {url, content_type}. A url is https, or names an object of the '
  'conversation in the bucket text-media, in characters that are not escaped in a URL.';

-- Sending a text again, by an agent or an operator, and cancelling one.

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
    -- The claim would refuse it.
    when failed.kind = 'greeting' then case private.greeting_ban(failed.created_at, conversation)
      when 'expired' then 'this greeting is more than a day late'
      when 'taken_over' then 'an agent has texted the recruit since'
      when 'no_greeting' then 'the order has no greeting any more'
      when 'no_consent' then 'the vendor has no text consent any more'
    end
  end;
  if problem is not null then
    raise exception 'message_id: %', private.quoted(problem) using errcode = 'PT409';
  end if;
  perform private.refuse_banned(
    'message_id', conversation.agency_id, conversation.recruit_phone, conversation.recruiting_lead_id);

  update public.recruiting_messages m
  set status = null, error_code = null, failed_at = null
  where m.id = retry_text.message_id;
  update public.recruiting_conversations c
  set waiting_since = private.unanswered_since(c)
  where c.id = conversation.id;
  -- So that the agent is notified if it fails again.
  delete from public.agent_notifications n
  where n.message_id = retry_text.message_id and n.kind = 'failed';
  update public.text_outbox o
  set state = 'pending', due_at = d.due_at, first_due_at = d.due_at, reason = d.reason, lease_until = null, lookups = 0, resends = 0,
    retried_at = now()
  from private.next_sending(conversation, failed.kind) d
  where o.message_id = retry_text.message_id
  returning o.* into failed;
  return failed;
end
$$;

comment on function private.retry_text(uuid) is
  'Makes a text due again that has failed, or about which the provider is no longer asked, when its hours and number allow. An '
  'unconfirmed text may then be sent twice. PT404 for an unknown text; PT409 when it waits, is being sent, was accepted or '
  'refused, or greeting_ban() has a reason against it; PT403 when the recruit has opted out or is suppressed.';

create function public.retry_text(message_id uuid) returns jsonb
language plpgsql
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
  'Sends a text again that has failed, or of which it is unknown whether it was sent: the recruit may then receive it twice. '
  'For users who may write in its conversation. Returns {message_id, status: queued|held, due_at}. Errors: 42501 (HTTP 403) if '
  'the caller is not an active agent; PT404 for another text; PT409 when it waits, is being sent, was accepted or refused, '
  'or is a greeting that may not be sent any more, such as after its day; PT403 when the recruit has opted out or is '
  'suppressed. Security definer because agents may not write the tables.';
grant execute on function public.retry_text(uuid) to authenticated;

create function private.cancel_text(message_id uuid) returns public.text_outbox
language plpgsql
set search_path = ''
as $$
declare
  waiting public.text_outbox;
begin
  -- A concurrent claim happens before or after this lock.
  select o.* into waiting from public.text_outbox o where o.message_id = cancel_text.message_id for update;
  if waiting.state = 'pending' then
    waiting := private.refuse_text(waiting, 'cancelled');
  end if;
  return waiting;
end
$$;

comment on function private.cancel_text(uuid) is
  'Cancels a text that waits, and returns it; any other stays as it is. The caller has locked its conversation.';

create function public.cancel_text(message_id uuid) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  caller constant public.agents := private.writer();
  waiting public.text_outbox;
begin
  perform
  from public.recruiting_conversations c
  where c.id = (select o.conversation_id from public.text_outbox o where o.message_id = cancel_text.message_id)
    and private.may_write(caller, c)
  for no key update;
  if not found then
    raise exception 'message_id: there is no such text' using errcode = 'PT404';
  end if;

  waiting := private.cancel_text(message_id);
  if (waiting.state, waiting.reason) is distinct from ('refused', 'cancelled') then
    raise exception 'message_id: %', private.quoted(case
      when waiting.state in ('sending', 'unconfirmed') then 'this text is being sent already'
      when waiting.state = 'accepted' then 'this text was sent'
      else 'this text was not sent'
    end) using errcode = 'PT409';
  end if;
  return jsonb_build_object('message_id', waiting.message_id, 'status', 'cancelled');
end
$$;

comment on function public.cancel_text(uuid) is
  'Cancels a waiting text: it is refused with the reason `cancelled`, and its message becomes failed. The recruit waits for an '
  'answer again, unless there is another. For users who may write in its conversation. Returns {message_id, status: '
  'cancelled}, also when it was cancelled before. Errors: 42501 (HTTP 403) if the caller is not an active agent; PT404 for '
  'another text; PT409 when it is being sent, was sent, or ended otherwise. Security definer because agents may not write the '
  'tables.';
grant execute on function public.cancel_text(uuid) to authenticated;
