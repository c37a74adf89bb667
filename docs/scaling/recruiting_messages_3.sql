-- recruiting_messages by quarters, 3 of 4. Nobody waits.
create index concurrently if not exists recruiting_messages_provider_message_id_idx
  on public.recruiting_messages (provider_message_id);
