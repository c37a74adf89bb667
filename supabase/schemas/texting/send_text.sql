-- An agent sends a text: it is checked, and queued.

create function public.send_text(
  conversation_id uuid,
  body text,
  client_message_id uuid,
  media jsonb default '[]',
  take_over boolean default false
) returns jsonb
language plpgsql
-- Agents may not write the tables. Who may send is decided by may_write().
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
      raise exception 'take_over: % has this conversation', owner using errcode = 'PT409';
    end if;
    if not exists (
      select from public.service_numbers n
      where n.phone = conversation.service_phone and n.agency_id = conversation.agency_id
    ) then
      raise exception 'conversation_id: its number is not one of the agency''s service numbers' using errcode = 'PT409';
    elsif private.is_opted_out(conversation.agency_id, conversation.recruit_phone) then
      raise exception 'conversation_id: the recruit has opted out of texts from this agency' using errcode = 'PT403';
    end if;
    perform private.refuse_bot_texts(conversation.id, 'taken_over');
    perform private.tell_of_new_owner(conversation, caller.id);
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
  'Queues a text of the signed-in agent: the conversation''s assigned agent, without one the agent of its lead, or a '
  'manager of its agency. body: at most 1,600 UTF-16 units, with something to see in it; may be empty with media, at most '
  '10 of {url, content_type}. A `bot` conversation is taken over: it becomes escalated, and the sender''s; the '
  'bot''s texts that wait are refused. One that another active agent has is taken over with take_over, which managers may; '
  'that agent is told (see agent_notifications). Returns '
  '{message_id, status: queued|held|duplicate, due_at, segments}: held by quiet hours or a paused number; duplicate for a '
  'client_message_id that the conversation has, with the values of the first call, also for another owner. Errors: 22023 (HTTP 400) names the '
  'field; 42501 (403) when the caller is no active agent; PT404 for an unknown conversation or another agent''s; PT403 '
  'when the recruit has opted out; PT409 when another agent has the conversation, whom `take_over: <name> has this '
  'conversation` names, and when the conversation''s number is not one of the agency''s.';
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
    -- A name that an address could read as a way to another folder must not get to the worker, who may sign any file.
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
  'conversation in the bucket text-media, by characters that stand for themselves in a URL.';
