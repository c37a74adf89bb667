set local check_function_bodies = off;

drop index "public"."rejected_deliveries_open_idx";

alter table "public"."rejected_deliveries"
  add column "stored_bytes" integer generated always as
    ((COALESCE(octet_length((payload)::text), 0) + COALESCE(octet_length(payload_text), 0))) stored not null;

create or replace function private.delete_oldest_rejections (
  vendor_id uuid
)
  returns void
  language plpgsql
  set search_path to ''
  set enable_sort to 'off'
  set enable_seqscan to 'off'
  set enable_bitmapscan to 'off'
  AS $function$
declare
  -- For null the text differs, because `is not distinct from` would not use the index.
  is_open_one constant text :=
    'o.status = ''open'' and o.vendor_id ' || case when vendor_id is null then 'is null' else '= $1' end;
  entries integer;
  bytes bigint;
  first_too_many record;
begin
  -- Otherwise two transactions at once would each leave room for their own rows only.
  perform pg_advisory_xact_lock(hashtextextended('rejected deliveries of ' || coalesce(vendor_id::text, 'imports'), 0));

  -- All by the index alone. There are never many more than 10,000.
  execute format(
    'select count(*), sum(o.stored_bytes) from public.rejected_deliveries o where %s', is_open_one
  ) into entries, bytes using vendor_id;
  if bytes > 100 * 1024 * 1024 then
    execute format(
      $sql$
        select newest.received_at, newest.id
        from (
          select o.received_at, o.id, row_number() over by_age as entries, sum(o.stored_bytes) over by_age as bytes
          from public.rejected_deliveries o
          where %s
          window by_age as (order by o.received_at desc, o.id desc rows unbounded preceding)
        ) newest
        where newest.entries > 10000 or newest.bytes > 100 * 1024 * 1024
        limit 1
      $sql$,
      is_open_one
    ) into first_too_many using vendor_id;
  elsif entries > 10000 then
    -- A sixth of the time of the query above.
    execute format(
      'select o.received_at, o.id from public.rejected_deliveries o where %s
       order by o.received_at desc, o.id desc offset 10000 limit 1',
      is_open_one
    ) into first_too_many using vendor_id;
  else
    return;
  end if;

  -- An array, and not `in (select …)`: for that the planner may read the whole journal.
  execute format(
    $sql$
      delete from public.rejected_deliveries d
      where d.id = any (array(
        select o.id
        from public.rejected_deliveries o
        where %s and (o.received_at, o.id) <= ($2, $3)
        -- An operator may be replaying one of them.
        for update skip locked
      ))
    $sql$,
    is_open_one
  ) using vendor_id, first_too_many.received_at, first_too_many.id;
end
$function$;

create index rejected_deliveries_open_idx on public.rejected_deliveries using btree (vendor_id, received_at, id)
  include (stored_bytes)
  where (status = 'open'::text);

comment on column "public"."rejected_deliveries"."stored_bytes" is 'Size of payload and payload_text, as text in bytes: what the limit of a vendor counts.';

comment on function "private"."delete_oldest_rejections"(uuid) is 'Leaves the newest open deliveries of a vendor, at most 10,000 and of those at most 100 MiB of stored_bytes; null: of all imports. So a vendor that sends a million wrong rows does not fill the disk.';

comment on function "public"."record_rejections"(json) is 'Writes deliveries to the journal and returns how many. rejections: [{request_id, route, vendor_id|null, vendor_lead_id|null, row|null, code, reason, payload|null, payload_text|null, payload_bytes, context|null}], at most about 500. Keeps at most 10,000 open ones of a vendor, and 100 MiB of them; all imports count as one. 55P03 at once when somebody has locked the journal.';
