-- rejected_deliveries by weeks, 3 of 3: the table of today becomes the first partition of a new one. No row is copied.

-- Reads the table, while others go on reading and writing.
alter table public.rejected_deliveries validate constraint first_partition;

-- From here on everybody waits until the end of the transaction, a few milliseconds.
select private.lock_with_references('public.rejected_deliveries');

-- These functions take or hold a row of the table. They are made again, as they are, for rows of the new one.
create temporary table functions_of_rows on commit drop as
select
  p.oid::regprocedure as old,
  regexp_replace(p.oid::regprocedure::text, '\m(public\.)?rejected_deliveries\M', 'public.rejected_deliveries', 'g')
    as signature,
  pg_get_functiondef(p.oid) as definition,
  obj_description(p.oid, 'pg_proc') as comment,
  p.proargtypes::oid[] @> array['public.rejected_deliveries'::regtype::oid] as takes_row
from pg_proc p
where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace)
  and (
    p.prosrc ~ '\mrejected_deliveries;'
    or p.proargtypes::oid[] @> array['public.rejected_deliveries'::regtype::oid]
  );

alter table public.rejected_deliveries drop constraint rejected_deliveries_pkey;
alter table public.rejected_deliveries
  add constraint rejected_deliveries_pkey primary key using index rejected_deliveries_id_received_at_key;
drop trigger set_resolved_at on public.rejected_deliveries;
revoke all on public.rejected_deliveries from service_role;
alter table public.rejected_deliveries rename to rejected_deliveries_first;
alter table public.rejected_deliveries_first set schema private;

create table public.rejected_deliveries (like private.rejected_deliveries_first including all)
  partition by range (received_at);
alter index public.rejected_deliveries_vendor_id_received_at_id_stored_bytes_idx rename to rejected_deliveries_open_idx;
alter table public.rejected_deliveries
  add constraint rejected_deliveries_vendor_id_fkey
    foreign key (vendor_id) references public.vendors (id) on delete cascade;
comment on table public.rejected_deliveries is
  'Deliveries of leads, and rows of batches, that were refused after their sender was authenticated. They can be replayed.';
create trigger set_resolved_at
  before insert or update of status, resolved_at on public.rejected_deliveries
  for each row execute function private.set_resolved_at();
alter table public.rejected_deliveries enable row level security;
grant select, insert, update, delete on public.rejected_deliveries to service_role;

select private.attach_first_partition('public.rejected_deliveries', 'private.rejected_deliveries_first');
select private.maintain_partitions('public.rejected_deliveries', '1 week');

do $$
declare
  made record;
begin
  for made in select * from functions_of_rows loop
    if made.takes_row then
      execute format('drop function %s', made.old);
    end if;
    -- Also where nothing has changed: connections that are open compile it anew.
    execute made.definition;
    if made.takes_row then
      execute format('comment on function %s is %L', made.signature, made.comment);
      execute format('grant execute on function %s to service_role', made.signature);
    end if;
  end loop;

  if exists (select from pg_extension where extname = 'pg_cron') then
    perform cron.schedule(
      'partitions of rejected_deliveries', '7 3 * * *',
      $job$select private.maintain_partitions('public.rejected_deliveries', '1 week', '30 days')$job$);
    -- Only the first partition still has rows that are so old.
    perform cron.schedule(
      'prune rejected deliveries', '17 3 * * *', $job$select public.prune_deliveries('37 days')$job$);
  end if;
end
$$;

notify pgrst, 'reload schema';
