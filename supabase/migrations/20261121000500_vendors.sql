create table public.vendors (
  id uuid primary key default gen_random_uuid(),
  slug text not null unique check (slug ~ '^[a-z0-9]+([_-][a-z0-9]+)*$' and length(slug) <= 63),
  name text not null check (btrim(name) <> ''),
  parser text,
  parser_config jsonb not null default '{}' check (jsonb_typeof(parser_config) = 'object'),
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table public.vendors is 'A source of recruiting leads.';
comment on column public.vendors.parser is
  'Name of the parser that reads this vendor''s payloads. Parsers live in the function''s code, so the database does '
  'not know their names: null or an unknown one is answered with BAD_REQUEST.';
comment on column public.vendors.parser_config is
  'What the parser needs to know about this vendor, in the parser''s own shape.';
comment on column public.vendors.is_active is 'The keys of an inactive vendor do not work.';

create trigger set_updated_at
  before update on public.vendors
  for each row execute function private.set_updated_at();

alter table public.vendors enable row level security;
grant select, insert, update, delete on public.vendors to service_role;
