-- What managers, for their own agency, and operators change of an agency and of its people. agency_changes keeps it.

create function private.lock_agency(agency_id uuid, noun text) returns public.agencies
language plpgsql
set search_path = ''
as $$
declare
  locked public.agencies;
begin
  if private.may_manage(agency_id) then
    select a.* into locked from public.agencies a where a.id = lock_agency.agency_id for no key update;
  end if;
  -- Another manager may have taken the role away meanwhile.
  if not private.may_manage(locked.id) then
    if private.managed_agency_id() is null and not private.may_operate() then
      raise exception 'only a manager or an operator may do this' using errcode = '42501';
    end if;
    raise exception '%_id: there is no such %', private.quoted(noun), private.quoted(replace(noun, '_', ' '))
      using errcode = 'PT404';
  end if;
  return locked;
end
$$;

comment on function private.lock_agency(uuid, text) is
  'The agency, locked, if the caller may change it, who may until the transaction ends. noun: what the caller has named, '
  '`agency`, `agent` or `quick_reply`. 42501 for a user who is neither manager nor operator; PT404 for another agency. For '
  'functions that run with their owner''s rights.';

create function private.is_by_command() returns boolean
language sql
stable
set search_path = ''
return private.may_operate() and not private.is_operator();

comment on function private.is_by_command() is
  'Whether the command calls, which asks before what others may not do at all.';

create function public.change_agency(agency_id uuid, changes jsonb, seen jsonb default null) returns public.agencies
language plpgsql
security definer
set search_path = ''
set statement_timeout = '4s'
set lock_timeout = '2s'
as $$
declare
  stored constant public.agencies := private.lock_agency(agency_id, 'agency');
  saved public.agencies;
  field text;
begin
  perform private.check_changes(to_jsonb(stored), changes, seen, '{name,timezone,opens_at,closes_at}', 'is not a setting of an agency');
  if changes ? 'name' and not private.is_line(changes -> 'name') then
    perform private.invalid_field('name', 'must be one line of 1 to 100 characters');
  end if;
  foreach field in array '{opens_at,closes_at}'::text[] loop
    if changes ? field and coalesce(changes ->> field, '') !~ '^(([01]\d|2[0-3]):[0-5]\d|24:00)(:00)?$' then
      perform private.invalid_field(field, 'must be a time such as 08:30');
    end if;
  end loop;
  saved := jsonb_populate_record(stored, changes);
  if saved.opens_at >= saved.closes_at then
    perform private.invalid_field('closes_at', 'must be after opens_at');
  end if;
  update public.agencies a
  set name = saved.name, timezone = coalesce(saved.timezone, ''), opens_at = saved.opens_at, closes_at = saved.closes_at
  where a.id = stored.id
  returning a.* into saved;
  perform private.note_operator_action('agency update', jsonb_build_object('agency_id', stored.id, 'changes', changes));
  return saved;
exception when lock_not_available then
  raise exception 'Others have locked the agency. Try again in a moment.' using errcode = 'PT409';
end
$$;

comment on function public.change_agency(uuid, jsonb, jsonb) is
  'Changes an agency and returns it as it is now. changes: the new values of any of name, timezone (an IANA name), opens_at '
  'and closes_at (`08:30`). seen: the values of these columns as the caller has read them; without it nothing is compared. A '
  'manager changes the own agency, an operator any. agency_changes keeps it; to take a change back, call it with `before`. '
  'Errors: 22023 (HTTP 400) names the column; 42501 (403) for a user who is neither a manager nor an operator; PT404 for '
  'another agency; PT409 names a column that has changed meanwhile and who has changed it, or says that others have held its '
  'lock for 2 s. Security definer because managers and operators may not write the table. It decides which agency each of them '
  'may change.';

create function public.change_agent(agent_id uuid, changes jsonb, seen jsonb default null) returns public.agents
language plpgsql
security definer
set search_path = ''
set statement_timeout = '4s'
set lock_timeout = '2s'
as $$
declare
  agency constant public.agencies := private.lock_agency((select a.agency_id from public.agents a where a.id = agent_id), 'agent');
  stored public.agents;
  saved public.agents;
begin
  select a.* into stored from public.agents a where a.id = agent_id for no key update;
  perform private.check_changes(
    to_jsonb(stored), changes, seen, '{first_name,last_name,email,phone,role,is_active,accepts_recruits,away_until}',
    'is not a setting of an agent');
  saved := private.changed_agent(stored, changes, agency.timezone);
  perform private.keep_manager(stored, saved, case when saved.is_active then 'role' else 'is_active' end);
  update public.agents a
  set
    first_name = saved.first_name, last_name = saved.last_name, email = saved.email, phone = saved.phone, role = saved.role,
    is_active = saved.is_active, accepts_recruits = saved.accepts_recruits, away_until = saved.away_until
  where a.id = stored.id
  returning a.* into saved;
  perform private.note_operator_action('agent update', jsonb_build_object(
    'agent_id', stored.id, 'changed', (select coalesce(jsonb_agg(k order by k), '[]') from jsonb_object_keys(changes) k)));
  return saved;
exception when lock_not_available then
  raise exception 'Others have locked the agent. Try again in a moment.' using errcode = 'PT409';
end
$$;

comment on function public.change_agent(uuid, jsonb, jsonb) is
  'Changes an agent and returns it as it is now. changes: the new values of any of first_name, last_name|null, email|null, '
  'phone|null (E.164), role (agent or manager), is_active, accepts_recruits, and away_until: a day (`2026-12-28`), at whose '
  'start in the agency''s time zone the agent is back, or a time with its offset, or null. seen: the values of these columns '
  'as the caller has read them; without it nothing is compared. A manager changes the agents of the own agency, an operator '
  'any. The address of a login stays as it is. agency_changes keeps it; to take a change back, call it with `before`. Errors: '
  '22023 (HTTP 400) names the column; 42501 (403) for a user who is neither a manager nor an operator; PT404 for an agent of '
  'another agency; PT409 names a column that has changed meanwhile and who has changed it; `role` or `is_active` of the last '
  'active manager; `email` if another agent of the agency has it; or says that others have held a lock for 2 s. The command '
  'may change the last manager and an address twice: it asks first. Security definer because managers and operators may not '
  'write the table. It decides which agents each of them may change.';

create function private.changed_agent(stored public.agents, changes jsonb, timezone text) returns public.agents
language plpgsql
set search_path = ''
as $$
declare
  away constant text := changes ->> 'away_until';
  saved public.agents;
  field text;
  other text;
begin
  for field in select k from jsonb_object_keys(changes) k loop
    if not (case field
      when 'first_name' then private.is_line(changes -> field)
      when 'last_name' then changes -> field = 'null' or private.is_line(changes -> field)
      when 'email' then changes -> field = 'null'
        or private.is_line(changes -> field, 320) and changes ->> field ~ '^[^\s@]+@[^\s@]+$'
      when 'phone' then coalesce(changes ->> field ~ '^\+[1-9][0-9]{1,14}$', true)
      when 'role' then changes -> field in ('"agent"', '"manager"')
      when 'away_until' then coalesce(away ~ '^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$', true)
      else jsonb_typeof(changes -> field) = 'boolean'
    end) then
      perform private.invalid_field(field, case field
        when 'email' then 'must be an e-mail address'
        when 'phone' then 'must be a phone number such as +13125550142'
        when 'role' then 'must be agent or manager'
        when 'away_until' then 'must be a day such as 2026-12-28'
        when 'is_active' then 'must be true or false'
        when 'accepts_recruits' then 'must be true or false'
        else 'must be one line of 1 to 100 characters' end);
    end if;
  end loop;
  if length(away) = 10 then
    changes := changes || jsonb_build_object('away_until', away::date::timestamp at time zone timezone);
    if (changes ->> 'away_until')::timestamptz <= now() then
      perform private.invalid_field('away_until', format('"%s" has begun in %s', away, timezone));
    end if;
  end if;
  saved := jsonb_populate_record(stored, changes);
  saved.email := lower(saved.email);
  if saved.email is distinct from stored.email and not private.is_by_command() then
    select concat_ws(' ', a.first_name, a.last_name) into other
    from public.agents a
    where a.agency_id = stored.agency_id and lower(a.email) = saved.email and a.id <> stored.id
    limit 1;
    if found then
      raise exception 'email: % has it', private.quoted(other) using errcode = 'PT409';
    end if;
  end if;
  return saved;
exception when datetime_field_overflow or invalid_datetime_format then
  perform private.invalid_field('away_until', 'must be a day such as 2026-12-28');
end
$$;

comment on function private.changed_agent(public.agents, jsonb, text) is
  'The row of an agent with these changes. 22023 names the column that cannot have its new value; PT409 an address that '
  'another agent of the agency has. timezone: the agency''s.';

create function private.keep_manager(stored public.agents, saved public.agents, field text) returns void
language plpgsql
set search_path = ''
as $$
begin
  if stored.is_active and stored.role = 'manager' and not (saved.is_active and saved.role = 'manager')
    and not private.is_by_command()
    and not exists (
      select from public.agents a
      where a.agency_id = stored.agency_id and a.role = 'manager' and a.is_active and a.id <> stored.id
    )
  then
    raise exception '%: % is the last active manager of the agency. Make somebody else a manager first.',
      private.quoted(field), private.quoted(concat_ws(' ', stored.first_name, stored.last_name))
      using errcode = 'PT409';
  end if;
end
$$;

comment on function private.keep_manager(public.agents, public.agents, text) is
  'Refuses (PT409) to take the last active manager from an agency, whose row the caller has locked. field: what is changed.';

create function public.publish_bot_script(agency_id uuid, script jsonb) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  published jsonb;
begin
  if not private.may_manage(agency_id) then
    raise exception 'only a manager of the agency or an operator may publish a script' using errcode = 'insufficient_privilege';
  end if;
  published := private.store_bot_script(publish_bot_script.agency_id, publish_bot_script.script);
  perform private.note_operator_action(
    'bot publish', jsonb_build_object('agency_id', publish_bot_script.agency_id, 'script_id', published -> 'id'));
  return published;
end
$$;

comment on function public.publish_bot_script(uuid, jsonb) is
  'Publishes what the bot of an agency says from now on, in conversations that it has not begun; docs/bot.md has the members '
  'of a script. To go back to a former version, publish its script. Returns {id, version}. A manager of the agency or an '
  'operator may call it. Errors: 42501 (HTTP 403) for anybody else; 22023 (400) with every problem, a line each: `<question id '
  'or member>: <problem>`. Security definer because users may not write the tables.';

create function public.switch_bot_off(agency_id uuid) returns integer
language plpgsql
security definer
set search_path = ''
as $$
begin
  if not private.may_manage(agency_id) then
    raise exception 'only a manager of the agency or an operator may switch the bot off' using errcode = 'insufficient_privilege';
  end if;
  perform private.note_operator_action('bot off', jsonb_build_object('agency_id', switch_bot_off.agency_id));
  return private.end_bot(switch_bot_off.agency_id);
end
$$;

comment on function public.switch_bot_off(uuid) is
  'Ends all that the bot of an agency has begun, until a script is published: also a former one. Returns the number of '
  'conversations. 42501 for a user who is neither a manager of the agency nor an operator. Security definer because users may '
  'not write the tables.';

grant execute on function public.change_agency(uuid, jsonb, jsonb), public.change_agent(uuid, jsonb, jsonb),
  public.publish_bot_script(uuid, jsonb), public.switch_bot_off(uuid) to authenticated, service_role;
