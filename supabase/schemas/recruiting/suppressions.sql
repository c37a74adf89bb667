-- People who must not be sold or texted, each by a phone number or an e-mail address.

create function private.contact_kind(contact text) returns text
language sql
immutable
set search_path = ''
return case
  when contact ~ '^\+[1-9][0-9]{1,14}$' then 'phone'
  when contact ~ '^[^\s@]+@[^\s@]+$' then 'email'
end;

comment on function private.contact_kind(text) is
  'Returns `phone` for a number in E.164, `email` for an e-mail address, null for any other text.';

create table public.suppressions (
  kind text not null check (kind in ('phone', 'email')),
  value text not null check (
    value ~ '^sha256:[0-9a-f]{64}$'
    or value = lower(value) and length(value) <= 320 and kind is not distinct from private.contact_kind(value)
  ),
  reason text not null check (btrim(reason) <> '' and length(reason) <= 500),
  source text not null check (btrim(source) <> '' and length(source) <= 255),
  created_at timestamptz not null default now(),
  ends_at timestamptz,
  primary key (kind, value)
);

-- The list of operators, the newest first.
create index on public.suppressions (created_at, kind, value);

comment on table public.suppressions is
  'Phone numbers and e-mail addresses of people whose leads go to no agency, and whom nobody may text.';
comment on column public.suppressions.value is
  'A number in E.164, an e-mail address in lower case, or private.suppression_hash() of either: of an erased person.';
comment on column public.suppressions.reason is 'The words of an operator, or of the imported file.';
comment on column public.suppressions.source is '`operator`, `erased`, or the name of the imported file.';
comment on column public.suppressions.ends_at is 'The person is not suppressed any more from this time on; null: no end.';

alter table public.suppressions enable row level security;
grant select, insert, update, delete on public.suppressions to service_role;

create function private.suppression_hash(kind text, value text) returns text
language plpgsql
immutable
strict
set search_path = ''
as $$
begin
  return 'sha256:' || encode(sha256(convert_to(kind || ' ' || value, 'UTF8')), 'hex');
end
$$;

comment on function private.suppression_hash(text, text) is
  'Returns the value that stands in suppressions for the phone or e-mail address of an erased person: `sha256:` and the '
  'SHA-256 of the kind and the value in hexadecimal.';

create function private.is_suppressed(phone text, email text) returns boolean
language plpgsql
stable
set search_path = ''
as $$
declare
  address constant text := lower(btrim(email));
begin
  return exists (
    select
    from public.suppressions s
    where s.kind = 'phone' and s.value in (is_suppressed.phone, private.suppression_hash('phone', is_suppressed.phone))
      and (s.ends_at is null or s.ends_at > now())
  ) or exists (
    select
    from public.suppressions s
    where s.kind = 'email' and s.value in (address, private.suppression_hash('email', address))
      and (s.ends_at is null or s.ends_at > now())
  );
end
$$;

comment on function private.is_suppressed(text, text) is
  'Returns whether the person with this phone in E.164 or this e-mail address, as vendor_metadata has them, is suppressed '
  'now. Null: not known. It costs two index look-ups; where many are asked for, first find whether there is any row.';
