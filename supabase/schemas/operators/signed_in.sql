-- The signed-in user, agent or operator or both.

create function private.is_operator() returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return exists (select from public.operators o where o.user_id = private.current_user_id());
end
$$;

comment on function private.is_operator() is
  'Whether the user who is signed in is an operator. For functions that run with their owner''s rights.';

create function private.may_operate() returns boolean
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  -- Not current_user, which is the owner in here. The command signs in to the database, and takes no role.
  return current_setting('role') in ('none', 'postgres', 'service_role') or private.is_operator();
end
$$;

comment on function private.may_operate() is
  'Whether the caller may read what operators read: an operator who is signed in, the service role, or the command. '
  'Security definer because users may not read who is an operator. It says it of the caller.';
grant execute on function private.may_operate() to authenticated, service_role;

create function private.may_manage(agency_id uuid) returns boolean
language sql
stable
security definer
set search_path = ''
as $$
  -- One of alerts has no agency.
  select private.may_operate() and agency_id is not null or coalesce(agency_id = private.managed_agency_id(), false)
$$;

comment on function private.may_manage(uuid) is
  'Whether the caller may change what is of this agency: an operator, or a manager of it. '
  'Security definer because users may not read who is an operator. It says it of the caller.';

create function private.require_operator() returns void
language plpgsql
stable
set search_path = ''
as $$
begin
  if not private.may_operate() then
    raise exception 'only an operator may do this' using errcode = '42501';
  end if;
end
$$;

comment on function private.require_operator() is
  'Raises 42501 unless private.may_operate(). For functions that run with their owner''s rights.';

create function public.signed_in_user() returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  caller constant public.agents := private.current_agent();
begin
  return jsonb_build_object(
    'user_id', private.current_user_id(),
    'agent', case when caller.id is not null then jsonb_build_object(
      'id', caller.id, 'agency_id', caller.agency_id, 'first_name', caller.first_name, 'last_name', caller.last_name,
      'role', caller.role
    ) end,
    'agency', (
      select jsonb_build_object('id', g.id, 'name', g.name, 'timezone', g.timezone)
      from public.agencies g
      where g.id = caller.agency_id
    ),
    'is_operator', private.is_operator(),
    'migrations', private.newest_migration()
  );
end
$$;

comment on function public.signed_in_user() is
  'The data that a page needs about the user who is signed in: {user_id, agent: {id, agency_id, first_name, last_name|null, '
  'role}|null, agency: {id, name, timezone}|null, is_operator, migrations: the version of the newest one|null}. agent and '
  'agency are null for a user who is not an active agent. '
  'Security definer because users may not read who is an operator, nor the record of migrations. It returns what is '
  'the caller''s own.';
grant execute on function public.signed_in_user() to authenticated;
