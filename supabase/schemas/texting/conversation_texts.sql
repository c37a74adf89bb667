-- What reports count of a conversation.

create view private.conversation_texts with (security_invoker = true) as
select
  c.id, c.recruiting_lead_id,
  -- Not exists(), for which the planner may read all texts.
  coalesce((
    select true from public.recruiting_messages m
    where m.conversation_id = c.id and m.direction = 'outbound' and m.provider_message_id is not null
      and m.status is distinct from 'failed'
    limit 1
  ), false) as is_texted,
  c.last_message_at is not null as is_answered
from public.recruiting_conversations c;

comment on view private.conversation_texts is
  'What reports count of a conversation. is_texted: the provider accepted one of our texts, and has not reported that it failed. '
  'is_answered: the recruit has texted.';
grant select on private.conversation_texts to service_role;
