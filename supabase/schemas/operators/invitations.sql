-- Invitations: the agent and the login that an e-mail of the auth service leads to. The function `desk` makes the login.

create function public.invite_agent(agency_id uuid, person jsonb, user_id uuid default null) returns jsonb
language plpgsql
security definer
set search_path = ''
set lock_timeout = '2s'
as $$
declare
  agency constant public.agencies := private.lock_agency(coalesce(agency_id, private.managed_agency_id()), 'agency');
  address constant text := lower(person ->> 'email');
  agent public.agents;
  login record;
begin
  perform private.check_changes('{}', person, null, '{first_name,last_name,email,role}', 'is not a part of an invitation');
  perform private.invalid_field(f, 'is missing') from unnest('{first_name,email}'::text[]) f where person ->> f is null;

  select a.* into agent
  from public.agents a
  where a.agency_id = agency.id and lower(a.email) = address
  order by a.is_active desc, a.user_id nulls last, a.created_at
  limit 1;
  if not found then
    agent := private.changed_agent(
      jsonb_populate_record(null::public.agents, jsonb_build_object('agency_id', agency.id, 'role', 'agent')), person, agency.timezone);
  elsif not agent.is_active then
    raise exception 'email: % is inactive', private.quoted(concat_ws(' ', agent.first_name, agent.last_name)) using errcode = 'PT409';
  end if;

  select u.id, u.email, u.email_confirmed_at is not null as is_used, (u.raw_app_meta_data ->> 'invited_agent_id')::uuid as agent_id
  into login
  from auth.users u
  where case when agent.user_id is null then u.email = address else u.id = agent.user_id end;
  if agent.user_id is not null and login.is_used then
    raise exception 'email: % has a login already', private.quoted(concat_ws(' ', agent.first_name, agent.last_name))
      using errcode = 'PT409';
  elsif agent.user_id is null and login.id is not null and (
    login.is_used or login.agent_id is null or login.agent_id <> agent.id
    or exists (select from public.agents a where a.id = login.agent_id and a.id is distinct from agent.id)
  ) then
    -- The same words for a login of another agency, an operator's and a stranger's.
    raise exception 'email: nobody can be invited at this address. Ask the people who run the service' using errcode = 'PT409';
  end if;
  agent.id := coalesce(agent.id, login.agent_id, gen_random_uuid());

  if user_id is not null then
    if login.id is distinct from user_id then
      raise exception 'email: somebody else has invited the same address meanwhile. Try again' using errcode = 'PT409';
    end if;
    insert into public.agents as a (id, agency_id, user_id, first_name, last_name, email, role)
    values (agent.id, agency.id, user_id, agent.first_name, agent.last_name, address, agent.role)
    on conflict (id) do update set user_id = excluded.user_id;
    perform private.note_operator_action('agent invite', jsonb_build_object('agent_id', agent.id));
  end if;
  return jsonb_build_object('agent_id', agent.id, 'email', address, 'user_id', login.id, 'user_email', login.email);
end
$$;

comment on function public.invite_agent(uuid, jsonb, uuid) is
  'The first and the last step of an invitation to an agency, between which the function `desk` makes the login and sends the e-mail: '
  'without user_id it checks all and stores nothing; with it, it stores the agent with that login. agency_id null: the manager''s own. '
  'person: {first_name, last_name|null, email, role (agent unless it is manager)}. An agent of the agency with the address stays as it is. Returns '
  '{agent_id, email, user_id|null, user_email|null}: the login that was made for an earlier invitation and waits. Errors: 22023 (HTTP 400) '
  'names the part; 42501 (403) for a user who is neither a manager nor an operator; PT404 for another agency; PT409 names `email`: its '
  'agent is inactive or has signed in, or the address has a login elsewhere, of whatever kind. '
  'Security definer because managers may not read logins, nor write the table. It decides whom each caller may invite.';
grant execute on function public.invite_agent(uuid, jsonb, uuid) to authenticated;
