create table public.agencies (
  id uuid primary key default gen_random_uuid(),
  name text not null check (btrim(name) <> ''),
  timezone text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table public.agencies is 'An insurance agency that buys recruiting leads and works sales leads.';
comment on column public.agencies.timezone is
  'IANA name such as America/New_York. A day of an order''s daily_cap begins at midnight there.';

-- A trigger and not a check: the list of time zones changes with the server, so a restored row must not be refused.
create function private.require_known_timezone() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if not exists (select from pg_catalog.pg_timezone_names where name = new.timezone) then
    raise exception 'timezone: "%" is not an IANA time zone name', new.timezone
      using errcode = 'invalid_parameter_value', hint = 'For example America/New_York.';
  end if;
  return new;
end
$$;

comment on function private.require_known_timezone() is 'Trigger: refuses a timezone that the server does not know.';

create trigger require_known_timezone
  before insert or update of timezone on public.agencies
  for each row execute function private.require_known_timezone();

create trigger set_updated_at
  before update on public.agencies
  for each row execute function private.set_updated_at();

alter table public.agencies enable row level security;
grant select on public.agencies to authenticated;
grant select, insert, update, delete on public.agencies to service_role;
