-- Rejected deliveries: requests of authenticated senders that could not be stored.

create table public.rejected_deliveries (
  id uuid primary key default gen_random_uuid(),
  request_id text not null,
  route text not null,
  vendor_id uuid references public.vendors (id) on delete cascade,
  vendor_lead_id text check (length(vendor_lead_id) <= 512),
  row integer check (row >= 0),
  code text not null,
  reason text not null,
  payload jsonb,
  payload_text text,
  payload_bytes integer not null check (payload_bytes >= 0),
  stored_bytes integer not null generated always as (
    coalesce(octet_length(payload::text), 0) + coalesce(octet_length(payload_text), 0)
  ) stored,
  context jsonb not null default '{}' check (jsonb_typeof(context) = 'object'),
  status text not null default 'open' check (status in ('open', 'replayed', 'dismissed')),
  lead_id uuid,
  -- Not now(): the rows of one call get increasing times, so the oldest is known.
  received_at timestamptz not null default clock_timestamp(),
  resolved_at timestamptz,
  check (status <> 'replayed' or lead_id is not null)
);

-- Also finds the oldest of a vendor's open deliveries, and adds up their sizes with an index-only scan.
create index rejected_deliveries_open_idx on public.rejected_deliveries (vendor_id, received_at, id)
  include (stored_bytes) where status = 'open';
create index on public.rejected_deliveries (vendor_id, received_at);
create index on public.rejected_deliveries (received_at);
create index on public.rejected_deliveries (vendor_lead_id) where vendor_lead_id is not null;
create index on public.rejected_deliveries (lead_id) where lead_id is not null;

comment on table public.rejected_deliveries is
  'Deliveries of leads, and rows of batches, that were rejected after their sender was authenticated. They can be '
  'replayed.';
comment on column public.rejected_deliveries.route is 'Path of the route, e.g. `/recruiting/ingest`.';
comment on column public.rejected_deliveries.vendor_id is 'The recruiting vendor; null for an import of sales leads.';
comment on column public.rejected_deliveries.vendor_lead_id is
  'The sender''s own id of the lead (external_id for an import), if it could be read.';
comment on column public.rejected_deliveries.row is
  'Zero-based index of the row in a batch; null if the whole request was rejected.';
comment on column public.rejected_deliveries.code is
  'The error code of the response. A row in bulk has BAD_REQUEST or DATABASE_ERROR, a row of an import INVALID or '
  'DATABASE_ERROR.';
comment on column public.rejected_deliveries.reason is 'The message of the response.';
comment on column public.rejected_deliveries.payload is
  'The body, or the row, as sent, so that a replay can parse it. Each file is replaced with {type, bytes}; secrets '
  'are omitted. Null if it is not JSON or is larger than 256 KiB without its files.';
comment on column public.rejected_deliveries.payload_text is
  'The beginning, at most 256 KiB, of a body that is not in payload.';
comment on column public.rejected_deliveries.payload_bytes is 'Size as received, in bytes, including files.';
comment on column public.rejected_deliveries.stored_bytes is
  'Size of payload and payload_text, as text in bytes, which counts toward the limit of a vendor.';
comment on column public.rejected_deliveries.context is
  'The data that a replay needs besides the lead. For a row of an import: {agency_id, agent_id, '
  'distribution_id|null}. For a webhook delivery with an id: {webhook: {delivery_id, part}}.';
comment on column public.rejected_deliveries.status is
  '`open`: not resolved; `replayed`: its lead is stored, see lead_id; `dismissed`: an operator decided that its lead '
  'is not needed.';
comment on column public.rejected_deliveries.lead_id is
  'The lead that the delivery became, or that was stored in the meantime: in recruiting_leads, or in leads for an '
  'import. Not a foreign key, because it may be in either table.';
comment on column public.rejected_deliveries.resolved_at is
  'When it was replayed or dismissed. A trigger sets it with the status.';

alter table public.rejected_deliveries enable row level security;
grant select, insert, update, delete on public.rejected_deliveries to service_role;


create table private.open_delivery_counts (
  vendor_id uuid references public.vendors (id) on delete cascade,
  deliveries integer not null,
  bytes bigint not null,
  unique nulls not distinct (vendor_id)
)
-- Leaves room in each page for a new version of a row.
with (fillfactor = 50);

comment on table private.open_delivery_counts is
  'An upper bound of the number of a vendor''s open rejected deliveries, and of their stored_bytes. Recorded '
  'deliveries are added; replayed, dismissed and deleted ones count until the open ones are recounted, so that '
  'resolving a delivery locks no row here.';
comment on column private.open_delivery_counts.vendor_id is 'Null for all imports.';

alter table private.open_delivery_counts enable row level security;
grant select, insert, update, delete on private.open_delivery_counts to service_role;

create function public.record_rejections(rejections json) returns integer
language plpgsql
set search_path = ''
set statement_timeout = '3s'
set lock_timeout = '2s'
as $$
declare
  sender record;
  recorded integer := 0;
begin
  -- A lock on the table must not block connections that leads and texts need.
  lock table public.rejected_deliveries in row exclusive mode nowait;

  for sender in
    with inserted as (
      insert into public.rejected_deliveries (
        request_id, route, vendor_id, vendor_lead_id, row, code, reason, payload, payload_text, payload_bytes, context
      )
      select
        r.request_id, r.route, r.vendor_id, private.indexable_id(r.vendor_lead_id), r.row, r.code, r.reason, r.payload,
        r.payload_text, r.payload_bytes, coalesce(r.context, '{}')
      from json_to_recordset(rejections) as r (
        request_id text, route text, vendor_id uuid, vendor_lead_id text, "row" integer, code text, reason text,
        payload jsonb, payload_text text, payload_bytes integer, context jsonb
      )
      returning vendor_id, stored_bytes
    ), counted as (
      -- Locks the sender's row, so that two transactions do not each make room only for their own rows.
      insert into private.open_delivery_counts as o (vendor_id, deliveries, bytes)
      select i.vendor_id, count(*), sum(i.stored_bytes)
      from inserted i
      group by i.vendor_id
      -- In a fixed order, so that two calls never deadlock.
      order by i.vendor_id
      on conflict (vendor_id) do update set deliveries = o.deliveries + excluded.deliveries, bytes = o.bytes + excluded.bytes
      returning o.*
    )
    select c.*, (select count(*) from inserted) as recorded from counted c
  loop
    recorded := sender.recorded;
    if sender.deliveries > 10000 or sender.bytes > 100 * 1024 * 1024 then
      perform private.delete_oldest_rejections(sender.vendor_id);
    end if;
  end loop;
  return recorded;
end
$$;

comment on function public.record_rejections(json) is
  'Stores rejected deliveries and returns their number. rejections: [{request_id, route, vendor_id|null, '
  'vendor_lead_id|null, row|null, code, reason, payload|null, payload_text|null, payload_bytes, context|null}], at '
  'most about 500. Keeps at most 10,000 open ones of a vendor, and 100 MiB of them; all imports together count as one '
  'vendor. 55P03 immediately if the table is locked.';
grant execute on function public.record_rejections(json) to service_role;

create function public.prune_deliveries(older_than interval) returns integer
language plpgsql
set search_path = ''
set statement_timeout = '60s'
as $$
declare
  deleted integer;
begin
  if older_than is null or older_than < interval '0' then
    raise exception 'older_than: must be an interval from 0 on' using errcode = 'PT400';
  end if;

  delete from public.rejected_deliveries d where d.received_at < now() - older_than;
  get diagnostics deleted = row_count;
  delete from private.refused_proofs p where p.updated_at < now() - older_than;
  return deleted;
end
$$;

comment on function public.prune_deliveries(interval) is
  'Deletes the deliveries that are older than this, including open ones, and returns their number. Also deletes the '
  'counts of refused proofs that have not increased since. PT400 for a negative interval.';
grant execute on function public.prune_deliveries(interval) to service_role;

create function private.deliveries_kept() returns interval
language sql
immutable
set search_path = ''
return interval '30 days';

comment on function private.deliveries_kept() is 'How long a rejected delivery is kept, unless operators prune them sooner.';
grant execute on function private.deliveries_kept() to authenticated, service_role;

create function private.set_resolved_at() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.resolved_at := case when new.status <> 'open' then coalesce(new.resolved_at, now()) end;
  return new;
end
$$;

comment on function private.set_resolved_at() is
  'Trigger: sets resolved_at while a delivery is replayed or dismissed.';

create trigger set_resolved_at
  before insert or update of status, resolved_at on public.rejected_deliveries
  for each row execute function private.set_resolved_at();

create function private.delete_oldest_rejections(vendor_id uuid) returns void
language plpgsql
set search_path = ''
-- The index is already in this order. Sorting takes four times as long, and the planner does not always avoid it.
set enable_sort = off
set enable_seqscan = off
set enable_bitmapscan = off
as $$
begin
  execute format(
    $sql$
      with open as materialized (
        select o.id, o.stored_bytes, row_number() over by_age as deliveries, sum(o.stored_bytes) over by_age as bytes
        from public.rejected_deliveries o
        where o.status = 'open' and o.vendor_id %1$s
        window by_age as (order by o.received_at desc, o.id desc rows unbounded preceding)
      ), deleted as (
        delete from public.rejected_deliveries d
        -- An array, because with `in (select …)` the planner may scan the whole table.
        where d.id = any (array(
          select o.id
          from public.rejected_deliveries o
          where o.status = 'open'
            and o.id = any (array(select t.id from open t where t.deliveries > 9500 or t.bytes > 95 * 1024 * 1024))
          -- An operator may be replaying one of them.
          for update skip locked
        ))
        returning d.stored_bytes
      )
      update private.open_delivery_counts c
      set
        deliveries = (select count(*) from open) - (select count(*) from deleted),
        bytes = (select coalesce(sum(o.stored_bytes), 0) from open o) - (select coalesce(sum(d.stored_bytes), 0) from deleted d)
      where c.vendor_id %1$s
    $sql$,
    -- Two variants, because `is not distinct from` would not use the index.
    case when vendor_id is null then 'is null' else '= $1' end
  ) using vendor_id;
end
$$;

comment on function private.delete_oldest_rejections(uuid) is
  'Keeps the newest open deliveries of a vendor, at most 9,500 with at most 95 MiB of stored_bytes, and counts them; '
  'null: of all imports. A vendor that sends a million invalid rows therefore does not fill the disk. Reads all of '
  'them, so it makes room for 500 more before the next call. The caller has locked the vendor''s row in '
  'private.open_delivery_counts.';

-- Every night if the project has pg_cron. Other projects use `npm run admin -- delivery prune`.
do $$
begin
  if exists (select from pg_available_extensions e where e.name = 'pg_cron') then
    create extension if not exists pg_cron with schema pg_catalog;
    perform cron.schedule(
      'prune rejected deliveries', '17 3 * * *', $job$select public.prune_deliveries(private.deliveries_kept())$job$);
  end if;
exception when others then
  -- pg_cron runs in only one database of a server. A missing schedule must not fail a deployment.
  raise warning 'rejected deliveries are not pruned by pg_cron: %', sqlerrm;
end
$$;
