set local check_function_bodies = off;

create or replace function private.day_start (
  moment timestamp with time zone,
  timezone text
)
  returns timestamp with time zone
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  midnight timestamp;
  day_start timestamptz;
  first_midnight timestamptz;
begin
  -- When the clock goes back over midnight, the local date after the moment may already have begun.
  for day_offset in reverse 1 .. 0 loop
    midnight := date_trunc('day', moment at time zone timezone) + make_interval(days => day_offset);
    -- Of two midnights Postgres takes the second. The first is found with the offset of 24 hours before.
    day_start := midnight at time zone timezone;
    first_midnight := day_start - interval '24 hours'
      + (midnight - (day_start - interval '24 hours') at time zone timezone);
    if first_midnight < day_start and first_midnight at time zone timezone = midnight then
      day_start := first_midnight;
    end if;
    exit when day_start <= moment;
  end loop;
  return day_start;
end
$function$;

create or replace function private.match_recruiting_order (
  vendor_id uuid,
  state text,
  moment timestamp with time zone
)
  returns SETOF public.recruiting_orders
  language plpgsql
  stable
  rows 1
  set search_path to ''
  AS $function$
begin
  return query
  select o.*
  from public.recruiting_orders o
  join public.agencies a on a.id = o.agency_id
  where o.status = 'open'
    and o.filled < o.quantity
    and (o.vendor_id is null or o.vendor_id = match_recruiting_order.vendor_id)
    and (o.states is null or match_recruiting_order.state = any (o.states))
    and (o.starts_at is null or o.starts_at <= moment)
    and (o.ends_at is null or o.ends_at > moment)
    and (o.daily_cap is null or o.daily_cap > (
      select count(*)
      from public.recruiting_leads l
      where l.order_id = o.id
        and l.agency_id = o.agency_id
        and l.distributed_at >= private.day_start(moment, a.timezone)
    ))
  order by o.priority desc, o.filled::numeric / o.quantity, o.created_at, o.id
  limit 1;
end
$function$;

comment on function "private"."day_start"(timestamp with time zone, text) is 'When the day of this moment began in this time zone. Where the clock goes back over midnight, a day begins at the first of the two midnights; where it skips midnight, at the first moment after it.';

revoke all on function "private"."day_start"(timestamp with time zone, text) from public;

grant execute on function "private"."day_start"(timestamp with time zone, text) to "postgres", "service_role";
