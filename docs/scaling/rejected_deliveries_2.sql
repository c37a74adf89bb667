-- rejected_deliveries by weeks, 2 of 3. Nobody waits.
create unique index concurrently if not exists rejected_deliveries_id_received_at_key
  on public.rejected_deliveries (id, received_at);
