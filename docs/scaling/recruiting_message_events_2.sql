-- recruiting_message_events by months, 2 of 3. Nobody waits.
create unique index concurrently if not exists recruiting_message_events_id_received_at_key
  on public.recruiting_message_events (id, received_at);
