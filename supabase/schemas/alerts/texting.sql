-- The conditions of alerts about texts. Each function returns the subjects of which its condition is true.

create function private.find_number_paused(threshold jsonb, checked_at timestamptz) returns setof private.found_alert
language sql
stable
set search_path = ''
as $$
  select n.phone, '{}'::jsonb
  from public.service_numbers n
  where n.status = 'paused'
$$;

comment on function private.find_number_paused(jsonb, timestamptz) is 'Our numbers that are paused.';
