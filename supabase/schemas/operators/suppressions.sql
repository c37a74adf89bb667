-- What operators do with suppressions: add, remove, list.

create function private.suppress(contacts jsonb, source text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  counts jsonb;
begin
  with given as (
    select distinct on (c.contact) private.contact_kind(c.contact) as kind, c.contact as value, c.reason, c.ends_at
    from jsonb_to_recordset(contacts) as c (contact text, reason text, ends_at timestamptz)
    order by c.contact, c.ends_at desc nulls first
  ), stored as (
    insert into public.suppressions as s (kind, value, reason, source, ends_at)
    select g.kind, g.value, g.reason, suppress.source, g.ends_at
    from given g
    -- Two calls with the same contacts wait for each other and never deadlock, nor do two imports, whose calls follow in
    -- this order.
    order by g.value collate "C"
    on conflict on constraint suppressions_pkey do update
    set reason = excluded.reason, source = excluded.source, ends_at = excluded.ends_at
    where coalesce(excluded.ends_at, 'infinity') > coalesce(s.ends_at, 'infinity')
    returning s.xmax = 0 as is_new
  )
  select jsonb_build_object(
    'added', count(*) filter (where s.is_new), 'extended', count(*) filter (where not s.is_new),
    'unchanged', (select count(*) from given) - count(*))
  into counts
  from stored s;
  return counts;
end
$$;

comment on function private.suppress(jsonb, text) is
  'Suppresses these contacts: [{contact, reason, ends_at|null}], each a phone in E.164 or an e-mail address in lower case. '
  'One that is there already changes only if it now ends later, so a repeated call changes nothing. Returns {added, '
  'extended, unchanged}: how many contacts. 23514 where one is none.';

create function public.add_suppression(contact text, reason text, ends_at timestamptz default null) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  given constant text := lower(btrim(contact));
  given_kind constant text := private.contact_kind(given);
  result jsonb;
begin
  perform private.require_operator();
  if given_kind is null or length(given) > 320 then
    raise exception 'contact: must be a phone number in E.164 or an e-mail address' using errcode = 'PT400';
  elsif coalesce(btrim(reason), '') = '' or length(reason) > 500 then
    raise exception 'reason: must have 1 to 500 characters' using errcode = 'PT400';
  elsif ends_at <= now() then
    raise exception 'ends_at: must be in the future' using errcode = 'PT400';
  end if;
  result := private.suppress(
    jsonb_build_array(jsonb_build_object('contact', given, 'reason', reason, 'ends_at', ends_at)), 'operator');
  perform private.note_operator_action('suppression add', jsonb_build_object('by', given_kind));
  return (
    select jsonb_build_object('kind', s.kind, 'value', s.value, 'ends_at', s.ends_at, 'is_new', result -> 'added' = '1')
    from public.suppressions s
    where s.kind = given_kind and s.value = given
  );
end
$$;

comment on function public.add_suppression(text, text, timestamptz) is
  'Suppresses the person with this phone in E.164 or e-mail address, until ends_at (null: for good). One that is there changes '
  'only if it now ends later. For a signed-in operator, it adds a row to operator_actions. Returns {kind, value, ends_at|null, '
  'is_new}. PT400 names the argument that is wrong, 42501 for a user who is not an operator. Security definer because '
  'operators may not read or write the tables.';
grant execute on function public.add_suppression(text, text, timestamptz) to authenticated, service_role;

create function public.remove_suppression(contact text) returns void
language plpgsql
security definer
set search_path = ''
as $$
declare
  given constant text := lower(btrim(contact));
  given_kind constant text := private.contact_kind(given);
begin
  perform private.require_operator();
  delete from public.suppressions s
  where s.kind = given_kind and s.value in (given, private.suppression_hash(given_kind, given));
  if not found then
    raise exception 'contact: it is not suppressed' using errcode = 'PT404';
  end if;
  perform private.note_operator_action('suppression remove', jsonb_build_object('by', given_kind));
end
$$;

comment on function public.remove_suppression(text) is
  'Removes the suppression of this phone in E.164 or e-mail address, also that of an erased person. Leads that were stored as '
  'suppressed stay so. For a signed-in operator, it adds a row to operator_actions. PT404 if it is not suppressed, 42501 for a '
  'user who is not an operator. Security definer because operators may not read or write the tables.';
grant execute on function public.remove_suppression(text) to authenticated, service_role;

create view private.suppression_list as
select s.kind, s.value, case when s.ends_at <= now() then 'ended' else 'active' end as state, s.reason, s.source, s.created_at,
  s.ends_at
from public.suppressions s
where (select private.may_operate());

grant select on private.suppression_list to authenticated, service_role;

create view public.suppression_list with (security_invoker = true) as select * from private.suppression_list;

comment on view public.suppression_list is
  'Suppressions; state: active or ended; value: `sha256:` and a hash for an erased person. For pages, continue after the last '
  'row, ordered by created_at, kind and value, all descending.';
grant select on public.suppression_list to authenticated, service_role;
