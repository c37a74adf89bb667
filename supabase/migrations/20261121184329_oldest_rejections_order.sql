set local check_function_bodies = off;

create or replace function private.delete_oldest_rejections (
  vendor_id uuid
)
  returns void
  language plpgsql
  set search_path to ''
  set enable_sort to 'off'
  AS $function$
declare
  -- For null the text differs, because `is not distinct from` would not use the index.
  is_open_one constant text :=
    'o.status = ''open'' and o.vendor_id ' || case when vendor_id is null then 'is null' else '= $1' end;
  first_too_many record;
begin
  -- Otherwise two transactions at once would each leave room for their own rows only.
  perform pg_advisory_xact_lock(hashtextextended('rejected deliveries of ' || coalesce(vendor_id::text, 'imports'), 0));

  -- By the index alone, mostly in less than a millisecond.
  execute format(
    'select o.received_at, o.id from public.rejected_deliveries o where %s
     order by o.received_at desc, o.id desc offset 10000 limit 1',
    is_open_one
  ) into first_too_many using vendor_id;
  if first_too_many.id is null then
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
