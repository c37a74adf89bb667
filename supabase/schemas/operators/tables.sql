-- Who is an operator, and what operators have done that leaves no trace in the other tables.

create table public.operators (
  user_id uuid primary key references auth.users (id) on delete cascade,
  created_at timestamptz not null default now()
);

comment on table public.operators is
  'The users who may do on their page what operators do by the command. A user may be an agent as well.';

alter table public.operators enable row level security;
grant select, insert, update, delete on public.operators to service_role;

create table public.erasures (
  id uuid primary key default gen_random_uuid(),
  asked_by text not null check (asked_by in ('phone', 'email')),
  erased jsonb not null check (jsonb_typeof(erased) = 'object'),
  provider_copies integer check (provider_copies >= 0),
  created_at timestamptz not null default now()
);

comment on table public.erasures is
  'One row each time a person was erased, as the proof that it was done. Nothing in it leads to the person.';
comment on column public.erasures.asked_by is 'By what the person was found: a phone or an e-mail address.';
comment on column public.erasures.erased is
  'How many rows and files were emptied or deleted, by their kind: {recruiting_lead, lead, file, ...}.';
comment on column public.erasures.provider_copies is
  'How many texts were to be deleted at the SMS provider; null: the provider was not asked, and its copies remain.';

alter table public.erasures enable row level security;
grant select, insert, update, delete on public.erasures to service_role;
