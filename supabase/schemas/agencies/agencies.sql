-- The signed-in agent, and the defaults of a stored agency or agent.

-- The signed-in agent. Policies call these functions inside a scalar subquery, so that each runs once per statement and
-- not once per row.

create function private.current_user_id() returns uuid
language plpgsql
stable
set search_path = ''
as $$
begin
  -- Both, because PostgREST 12 sets only the JSON of all claims, and some versions of auth.uid() do not read it.
  return coalesce(auth.uid(), (auth.jwt() ->> 'sub')::uuid);
end
$$;

comment on function private.current_user_id() is
  'Returns the id of the signed-in user, agent or not; null if nobody is signed in.';

create function private.current_agent() returns public.agents
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return (select a from public.agents a where a.user_id = private.current_user_id() and a.is_active);
end
$$;

comment on function private.current_agent() is
  'Returns the signed-in active agent, or null. Security definer because a policy on agents that reads agents would '
  'call itself. It returns only the caller''s own row.';

create function private.current_agent_id() returns uuid
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return (private.current_agent()).id;
end
$$;

comment on function private.current_agent_id() is
  'Returns the id of the signed-in active agent, or null. Security definer because a policy on agents that reads '
  'agents would call itself. It returns only the caller''s own id.';
grant execute on function private.current_agent_id() to authenticated;

create function private.current_agency_id() returns uuid
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return (private.current_agent()).agency_id;
end
$$;

comment on function private.current_agency_id() is
  'Returns the agency of the signed-in active agent, or null. Security definer because a policy on agents that reads '
  'agents would call itself. It returns only the caller''s own agency.';
grant execute on function private.current_agency_id() to authenticated;

create function private.managed_agency_id() returns uuid
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  agent constant public.agents := private.current_agent();
begin
  return case when agent.role = 'manager' then agent.agency_id end;
end
$$;

comment on function private.managed_agency_id() is
  'Returns the agency of the signed-in active manager, or null. Security definer because a policy on agents that '
  'reads agents would call itself. It returns only the caller''s own agency.';
grant execute on function private.managed_agency_id() to authenticated;

-- Serializes an agent's leaving with concurrent assignments to that agent.

create function private.agent_lock(agent_id uuid) returns bigint
language plpgsql
immutable
set search_path = ''
as $$
begin
  return hashtextextended('agent ' || agent_id, 0);
end
$$;

comment on function private.agent_lock(uuid) is 'Returns the key of the advisory lock of an agent; null for null.';

create function private.lock_active_agent(agent_id uuid) returns boolean
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock_shared(private.agent_lock(agent_id));
  return exists (select from public.agents a where a.id = lock_active_agent.agent_id and a.is_active);
end
$$;

comment on function private.lock_active_agent(uuid) is
  'Returns whether the agent is active. Until the transaction ends, the agent cannot leave. Call it before locking '
  'rows, because leave_agent() takes its lock before all others.';

-- A signed-in agent can read everything that is assigned to the agent, a manager everything of the agency. A table
-- without a policy for a role shows that role no rows. Only the service role writes; the exceptions are
-- submit_lead_presentation() and agents' actions on texts.

create policy "managers read their agency" on public.agencies
  for select to authenticated
  using (id = (select private.managed_agency_id()));

create policy "agents read the agents of their agency" on public.agents
  for select to authenticated
  using (agency_id = (select private.current_agency_id()));

-- A trigger and not a check constraint: the list of time zones changes with the server, and restoring a row from a
-- backup must never fail.
create function private.require_known_timezone() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  -- The server reads hundreds of files to list all that it knows.
  if new.timezone <> 'UTC'
    and not exists (select from public.agencies where timezone = new.timezone)
    and not exists (select from pg_catalog.pg_timezone_names where name = new.timezone) then
    raise exception 'timezone: "%" is not an IANA time zone name', private.quoted(new.timezone)
      using errcode = 'invalid_parameter_value', hint = 'For example America/New_York.';
  end if;
  return new;
end
$$;

comment on function private.require_known_timezone() is 'Trigger: rejects a time zone that the server does not know.';

create trigger require_known_timezone
  before insert or update of timezone on public.agencies
  for each row execute function private.require_known_timezone();

create function private.default_accepts_recruits() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.accepts_recruits := coalesce(new.accepts_recruits, new.role = 'agent');
  return new;
end
$$;

comment on function private.default_accepts_recruits() is
  'Trigger: sets the default of accepts_recruits by the role, which a column default cannot read.';

create trigger default_accepts_recruits
  before insert on public.agents
  for each row execute function private.default_accepts_recruits();

create function private.waited_minutes(agency public.agencies, since timestamptz, until timestamptz) returns integer
language plpgsql
immutable
set search_path = ''
as $$
declare
  monday constant date := '2001-01-01';
  opening constant interval := agency.closes_at - agency.opens_at;
  opened interval[] := '{}';
  moment timestamp;
  days integer;
begin
  -- The business hours from that Monday to each of the two moments.
  foreach moment in array array[since at time zone agency.timezone, until at time zone agency.timezone] loop
    days := moment::date - monday;
    opened := opened || opening * (days / 7 * 5 + least(days % 7, 5))
      + case when days % 7 < 5 then least(greatest(moment::time - agency.opens_at, interval '0'), opening) else '0' end;
  end loop;
  return floor(extract(epoch from opened[2] - opened[1]) / 60);
end
$$;

comment on function private.waited_minutes(public.agencies, timestamptz, timestamptz) is
  'Returns the minutes between two moments that are within the business hours of an agency: opens_at to closes_at, '
  'Monday to Friday, in its time zone.';
