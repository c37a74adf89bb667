-- recruiting_messages by quarters, 1 of 4. A short lock.
select private.begin_partitions('public.recruiting_messages', 'created_at');
