-- Who waits for an answer: an agent may say that none is needed, or put it off.

create function public.no_reply_needed(conversation_id uuid) returns jsonb
language plpgsql
-- Agents may not write the table. A user who may write in a conversation may say that nothing is to be written.
security definer
set search_path = ''
as $$
declare
  conversation constant public.recruiting_conversations := private.lock_to_write(private.writer(), conversation_id);
begin
  update public.recruiting_conversations c
  set waiting_since = null
  where c.id = conversation.id and c.waiting_since is not null;
  return jsonb_build_object('conversation_id', conversation.id);
end
$$;

comment on function public.no_reply_needed(uuid) is
  'The recruit waits for no answer any more: waiting_since is null until the next text, or reply_needed(). Returns '
  '{conversation_id}. Errors: 42501 (HTTP 403) when the caller is no active agent; PT404 for a conversation in which the '
  'caller may not write.';
grant execute on function public.no_reply_needed(uuid) to authenticated;

create function public.reply_needed(conversation_id uuid) returns jsonb
language plpgsql
-- As no_reply_needed().
security definer
set search_path = ''
as $$
declare
  conversation constant public.recruiting_conversations := private.lock_to_write(private.writer(), conversation_id);
begin
  update public.recruiting_conversations c
  set waiting_since = private.unanswered_since(c)
  where c.id = conversation.id and c.waiting_since is null;
  return jsonb_build_object('conversation_id', conversation.id);
end
$$;

comment on function public.reply_needed(uuid) is
  'Takes no_reply_needed() back: the recruit waits since the first text that we have not answered. One who has been answered '
  'or has opted out does not wait. Returns {conversation_id}. Errors as no_reply_needed().';
grant execute on function public.reply_needed(uuid) to authenticated;

create function public.snooze_conversation(id uuid, until timestamptz) returns jsonb
language plpgsql
-- As no_reply_needed().
security definer
set search_path = ''
as $$
declare
  conversation constant public.recruiting_conversations := private.lock_to_write(private.writer(), id);
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

comment on function public.snooze_conversation(uuid, timestamptz) is
  'Puts the answer in a conversation off: until then no agent sees the recruit among those who wait, and nobody is '
  'told that the recruit waits. The recruit''s next text ends it, and so does null. Returns {conversation_id, snoozed_until}. '
  'Errors: 22023 (HTTP 400) for a time that has passed, or more than 90 days ahead; 42501 (403) when the caller is no active '
  'agent; PT404 for a conversation in which the caller may not write.';
grant execute on function public.snooze_conversation(uuid, timestamptz) to authenticated;
