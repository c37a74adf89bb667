set local check_function_bodies = off;

create or replace function private.delete_oldest_rejections (
  vendor_id uuid
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  -- Otherwise two transactions at once would each leave room for their own rows only.
  perform pg_advisory_xact_lock(hashtextextended('rejected deliveries of ' || coalesce(vendor_id::text, 'imports'), 0));

  -- The innermost query finds the first one too many by the index alone, mostly in less than a millisecond. For null the
  -- text differs, because `is not distinct from` would not use the index.
  execute format(
    $sql$
      delete from public.rejected_deliveries d
      where d.id in (
        select o.id
        from public.rejected_deliveries o
        where o.status = 'open'
          and o.vendor_id %1$s
          and (o.received_at, o.id) <= (
            select n.received_at, n.id
            from public.rejected_deliveries n
            where n.status = 'open' and n.vendor_id %1$s
            order by n.received_at desc, n.id desc
            offset 10000
            limit 1
          )
        -- An operator may be replaying one of them.
        for update skip locked
      )
    $sql$,
    case when vendor_id is null then 'is null' else '= $1' end
  ) using vendor_id;
end
$function$;

create or replace function public.record_rejections (
  rejections json
)
  returns integer
  language plpgsql
  set search_path to ''
  set statement_timeout to '3s'
  set lock_timeout to '2s'
  AS $function$
declare
  recorded integer;
  sender_id uuid;
begin
  -- Somebody who has locked the journal must not hold up connections that leads and texts need.
  lock table public.rejected_deliveries in row exclusive mode nowait;

  insert into public.rejected_deliveries (
    request_id, route, vendor_id, vendor_lead_id, row, code, reason, payload, payload_text, payload_bytes, context
  )
  select
    r.request_id, r.route, r.vendor_id, private.indexable_id(r.vendor_lead_id), r.row, r.code, r.reason, r.payload,
    r.payload_text, r.payload_bytes, coalesce(r.context, '{}')
  from json_to_recordset(rejections) as r (
    request_id text, route text, vendor_id uuid, vendor_lead_id text, "row" integer, code text, reason text,
    payload jsonb, payload_text text, payload_bytes integer, context jsonb
  );
  get diagnostics recorded = row_count;

  for sender_id in
    select distinct r.vendor_id from json_to_recordset(rejections) as r (vendor_id uuid) order by r.vendor_id
  loop
    perform private.delete_oldest_rejections(sender_id);
  end loop;
  return recorded;
end
$function$;

comment on function "public"."record_rejections"(json) is 'Writes deliveries to the journal and returns how many. rejections: [{request_id, route, vendor_id|null, vendor_lead_id|null, row|null, code, reason, payload|null, payload_text|null, payload_bytes, context|null}], at most about 500. Keeps at most 10,000 open ones of a vendor; all imports count as one. 55P03 at once when somebody has locked the journal.';
