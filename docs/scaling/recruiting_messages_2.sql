-- recruiting_messages by quarters, 2 of 4. Nobody waits.
create unique index concurrently if not exists recruiting_messages_id_created_at_key
  on public.recruiting_messages (id, created_at);
