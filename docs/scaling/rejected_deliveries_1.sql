-- rejected_deliveries by weeks, 1 of 3. A short lock.
select private.begin_partitions('public.rejected_deliveries', 'received_at');
