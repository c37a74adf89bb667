-- The report of repeats: whose leads are of people whom another vendor had sent before.

create function public.report_repeats(since date default null, until date default null, timezone text default 'UTC')
returns table (vendor text, earlier_vendor text, leads bigint)
language plpgsql
stable
set search_path = ''
-- The number of leads of the days decides the plan.
set plan_cache_mode = force_custom_plan
set jit = off
as $$
declare
  today constant date := private.today_in(timezone);
  last_day constant date := least(until, today + 2);
  first_day constant date := greatest(coalesce(since, least(until, today) - 29), '2000-01-01');
begin
  return query
  select v.slug, e.slug, c.leads
  from (
    select r.vendor_id, r.earlier_vendor_id, count(*) as leads
    from private.repeated_leads r
    where r.created_at >= first_day::timestamp at time zone timezone
      and r.created_at < (last_day + 1)::timestamp at time zone timezone
    group by 1, 2
  ) c
  join public.vendors v on v.id = c.vendor_id
  left join public.vendors e on e.id = c.earlier_vendor_id
  order by sum(c.leads) over (partition by c.vendor_id) desc, v.slug, e.slug nulls first;
end
$$;

comment on function public.report_repeats(date, date, text) is
  'Counts the leads that came on these days, tests aside, by their vendor and by the vendor of the earlier lead of the same '
  'person, as private.repeated_leads has it, however old that is. earlier_vendor null: the person''s first leads. since and '
  'until: days in this time zone, both included; null: 30 days up to now. The vendor with the most leads comes first. PT400 '
  'for an unknown time zone.';
grant execute on function public.report_repeats(date, date, text) to service_role;
