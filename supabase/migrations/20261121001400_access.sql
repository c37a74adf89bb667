-- Who the signed-in caller is. Policies call these inside a scalar subquery, so that each runs once a statement and not
-- once a row. They are security definer because a policy on agents that read agents would call itself.

create function private.current_agent() returns public.agents
language sql
stable
security definer
set search_path = ''
as $$
  select a
  from public.agents a
  -- The JWT's subject, wherever this stack puts it: PostgREST since 12 sets only the JSON of all claims, and not every
  -- auth.uid() reads that.
  where a.user_id = coalesce(auth.uid(), (auth.jwt() ->> 'sub')::uuid) and a.is_active
$$;

comment on function private.current_agent() is 'The active agent who is signed in, or null.';

create function private.current_agent_id() returns uuid
language sql
stable
security definer
set search_path = ''
as $$
  select (private.current_agent()).id
$$;

comment on function private.current_agent_id() is 'Id of the active agent who is signed in, or null.';
grant execute on function private.current_agent_id() to authenticated;

create function private.current_agency_id() returns uuid
language sql
stable
security definer
set search_path = ''
as $$
  select (private.current_agent()).agency_id
$$;

comment on function private.current_agency_id() is 'Agency of the active agent who is signed in, or null.';
grant execute on function private.current_agency_id() to authenticated;

create function private.managed_agency_id() returns uuid
language sql
stable
security definer
set search_path = ''
as $$
  select case when a.role = 'manager' then a.agency_id end
  from private.current_agent() a
$$;

comment on function private.managed_agency_id() is 'Agency of the active manager who is signed in, or null.';
grant execute on function private.managed_agency_id() to authenticated;
