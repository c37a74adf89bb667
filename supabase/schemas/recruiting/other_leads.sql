-- The other leads of a lead's person, of any vendor, with or without a rule.

create function private.other_leads(lead_id uuid) returns setof public.recruiting_leads
language plpgsql
stable
set search_path = ''
as $$
begin
  return query
  select o.*
  from public.recruiting_leads o
  where o.id <> other_leads.lead_id and o.id in (
    select p.id
    from public.recruiting_leads l
    join public.recruiting_leads p on p.phone = l.phone and length(p.phone) <= 16
    where l.id = other_leads.lead_id
    union
    select e.id
    from public.recruiting_leads l
    join public.recruiting_leads e on e.email = l.email and length(e.email) <= 320
    where l.id = other_leads.lead_id
  );
end
$$;

comment on function private.other_leads(uuid) is
  'Returns the other leads with the phone or the e-mail address of this lead. An erased lead has neither.';

create view private.repeated_leads with (security_invoker = true) as
select
  l.id, l.vendor_id, l.agency_id, l.distribution, l.phone, l.created_at, e.id as earlier_id, e.vendor_id as earlier_vendor_id
from public.recruiting_leads l
left join lateral (
  select f.id, f.vendor_id
  from (
    (
      select p.id, p.vendor_id, p.created_at from public.recruiting_leads p
      where p.phone = l.phone and length(p.phone) <= 16 and p.created_at < l.created_at
        and p.distribution <> 'returned' and p.vendor_metadata -> 'is_test' is distinct from 'true'
      order by p.created_at desc limit 1
    )
    union all
    (
      select p.id, p.vendor_id, p.created_at from public.recruiting_leads p
      where p.email = l.email and length(p.email) <= 320 and p.created_at < l.created_at
        and p.distribution <> 'returned' and p.vendor_metadata -> 'is_test' is distinct from 'true'
      order by p.created_at desc limit 1
    )
  ) f
  order by f.created_at desc limit 1
) e on true
where l.vendor_metadata -> 'is_test' is distinct from 'true';

comment on view private.repeated_leads is
  'All leads but tests. earlier_id: the newest lead of any vendor that came before with the same phone or e-mail address, '
  'and is neither a test nor returned; null: this is the person''s first.';
grant select on private.repeated_leads to service_role;
