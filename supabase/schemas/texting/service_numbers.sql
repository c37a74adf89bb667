-- Our own numbers: what texts are sent from, and how fast.

create table public.service_numbers (
  phone text primary key check (phone ~ '^(\+[1-9][0-9]{1,14}|[0-9]{5,6})$'),
  agency_id uuid not null references public.agencies (id),
  messaging_service_sid text check (messaging_service_sid ~ '^MG[0-9a-f]{32}$'),
  segments_per_second numeric not null default 1 check (segments_per_second > 0 and segments_per_second < 'infinity'),
  status text not null default 'active' check (status in ('active', 'paused')),
  paused_reason text,
  busy_until timestamptz not null default '-infinity',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create index on public.service_numbers (agency_id);

comment on table public.service_numbers is
  'The numbers that texts are sent from, each with its agency. A text whose number is not here is never sent.';
comment on column public.service_numbers.phone is 'E.164, or a short code of 5 or 6 digits.';
comment on column public.service_numbers.messaging_service_sid is
  'The SMS provider''s messaging service that the number is sent through; null: the number alone.';
comment on column public.service_numbers.segments_per_second is
  'How many segments the number may send in a second. A long text has several.';
comment on column public.service_numbers.status is 'A `paused` number takes texts and holds them.';
comment on column public.service_numbers.paused_reason is
  'Why it is paused, such as the provider''s error code; null while it is active.';
comment on column public.service_numbers.busy_until is
  'When what has been claimed for this number is sent, at its rate. Set by claim_texts().';

create trigger set_updated_at
  before update on public.service_numbers
  for each row execute function private.set_updated_at();

create function private.clear_paused_reason() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.paused_reason := null;
  return new;
end
$$;

comment on function private.clear_paused_reason() is 'Trigger: an active number has no paused_reason.';

create trigger clear_paused_reason
  before insert or update on public.service_numbers
  for each row when (new.status = 'active' and new.paused_reason is not null)
  execute function private.clear_paused_reason();

alter table public.service_numbers enable row level security;
grant select on public.service_numbers to authenticated;
grant select, insert, update, delete on public.service_numbers to service_role;

create policy "managers read their agency's numbers" on public.service_numbers
  for select to authenticated
  using (agency_id = (select private.managed_agency_id()));
