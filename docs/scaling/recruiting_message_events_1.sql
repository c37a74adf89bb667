-- recruiting_message_events by months, 1 of 3. A short lock.
select private.begin_partitions('public.recruiting_message_events', 'received_at');
