-- Recruits who wait for an answer: an agent may mark that none is needed, or snooze the conversation.

create function private.lock_what_was_read(conversation_id uuid, read_up_to timestamptz)
returns public.recruiting_conversations
language plpgsql
set search_path = ''
as $$
declare
  conversation constant public.recruiting_conversations := private.lock_to_write(private.writer(), conversation_id);
begin
  if conversation.last_message_at > read_up_to then
    raise exception 'read_up_to: the recruit has written meanwhile' using errcode = 'PT409';
  end if;
  return conversation;
end
$$;

comment on function private.lock_what_was_read(uuid, timestamptz) is
  'A conversation in which the caller may write, locked. PT409 when the recruit has written after read_up_to, which is the '
  'created_at of the latest text that the caller has read; null: nothing is compared. Other errors as private.lock_to_write().';

create function public.no_reply_needed(conversation_id uuid, read_up_to timestamptz default null) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  conversation constant public.recruiting_conversations := private.lock_what_was_read(conversation_id, read_up_to);
begin
  update public.recruiting_conversations c
  set waiting_since = null, snoozed_until = null
  where c.id = conversation.id and c.due_since is not null;
  return jsonb_build_object('conversation_id', conversation.id);
end
$$;

comment on function public.no_reply_needed(uuid, timestamptz) is
  'Marks a conversation as not due: waiting_since and snoozed_until are null until the next text, or reply_needed(). '
  'read_up_to: the created_at of the recruit''s latest text that the caller has read. Returns {conversation_id}. Errors: 42501 '
  '(HTTP 403) if the caller is not an active agent; PT404 for a conversation in which the caller may not write; PT409 when the '
  'recruit has written after read_up_to. Security definer because agents may not write the tables.';
grant execute on function public.no_reply_needed(uuid, timestamptz) to authenticated;

create function public.reply_needed(conversation_id uuid) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  conversation constant public.recruiting_conversations := private.lock_to_write(private.writer(), conversation_id);
  unanswered constant timestamptz := private.unanswered_since(conversation);
begin
  update public.recruiting_conversations c
  set
    waiting_since = unanswered,
    -- What was due without a text is due again by the time alone.
    snoozed_until = case
      when unanswered is null and private.texting_ban(c.agency_id, c.recruit_phone, c.recruiting_lead_id) is null then now()
    end
  where c.id = conversation.id and c.due_since is null;
  return jsonb_build_object('conversation_id', conversation.id);
end
$$;

comment on function public.reply_needed(uuid) is
  'Takes no_reply_needed() back: the recruit waits since the first text that we have not answered. Where each is answered, the '
  'conversation is due from now on. One who has opted out or is suppressed is not. Returns {conversation_id}. Errors: 42501 '
  '(HTTP 403) if the caller is not an active agent; PT404 for a conversation in which the caller may not write. Security '
  'definer because agents may not write the tables.';
grant execute on function public.reply_needed(uuid) to authenticated;

create function public.snooze_conversation(id uuid, until timestamptz, read_up_to timestamptz default null) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  conversation constant public.recruiting_conversations := private.lock_what_was_read(id, read_up_to);
begin
  if until <= now() then
    perform private.invalid_field('until', 'must be in the future');
  elsif until > now() + interval '90 days' then
    perform private.invalid_field('until', 'must be within 90 days');
  end if;
  update public.recruiting_conversations c
  set snoozed_until = snooze_conversation.until
  where c.id = conversation.id;
  return jsonb_build_object('conversation_id', conversation.id, 'snoozed_until', until);
end
$$;

comment on function public.snooze_conversation(uuid, timestamptz, timestamptz) is
  'Snoozes a conversation: until then it is not due, and nobody is notified that the recruit waits. Then it is due, even if '
  'the recruit does not wait. A text of the recruit or of an agent ends the snooze, and so does null. read_up_to: as of '
  'no_reply_needed(). Returns {conversation_id, snoozed_until}. Errors: 22023 (HTTP 400) for a time that has passed, or more '
  'than 90 days ahead; 42501 (403) if the caller is not an active agent; PT404 for a conversation in which the caller may not '
  'write; PT409 when the recruit has written after read_up_to. Security definer because agents may not write the tables.';
grant execute on function public.snooze_conversation(uuid, timestamptz, timestamptz) to authenticated;
