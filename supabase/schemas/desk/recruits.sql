-- Recruits as agents work with them: who reads them, how a stage is set, and the calls.

create function private.assigned_recruits() returns uuid[]
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return array(
    select distinct l.id
    from public.recruiting_conversations c
    join public.recruiting_leads l on l.id = c.recruiting_lead_id and l.agency_id = c.agency_id
    where c.assigned_agent_id = (select private.current_agent_id()) and l.agent_id is distinct from c.assigned_agent_id
  );
end
$$;

comment on function private.assigned_recruits() is
  'The recruits of other agents, or of none, whose conversations are assigned to the signed-in agent. Security definer because '
  'the policy of conversations reads recruits, so the policy of recruits may not read conversations. It returns ids of '
  'recruits whose conversations the caller has.';
grant execute on function private.assigned_recruits() to authenticated;

-- The last condition is asked for a row that is not the caller's by the others, and is read once for a statement.
create policy "agents read recruits they have or text, managers their agency's" on public.recruiting_leads
  for select to authenticated
  using (
    agent_id = (select private.current_agent_id())
    or agency_id = (select private.managed_agency_id())
    or id = any ((select private.assigned_recruits())::uuid[])
  );

create function private.may_read_recruit(caller public.agents, lead public.recruiting_leads) returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return lead.agency_id = caller.agency_id
    and (
      lead.agent_id = caller.id
      or caller.role = 'manager'
      or exists (
        select
        from public.recruiting_conversations c
        where c.recruiting_lead_id = lead.id and c.assigned_agent_id = caller.id
      )
    );
end
$$;

comment on function private.may_read_recruit(public.agents, public.recruiting_leads) is
  'Whether this agent reads a recruit, as the policy says: the recruit''s agent, the agent who is assigned a conversation with '
  'the recruit, and the managers of the agency.';

create function private.lock_recruit(caller public.agents, recruiting_lead_id uuid) returns public.recruiting_leads
language plpgsql
set search_path = ''
as $$
declare
  lead public.recruiting_leads;
begin
  select l.* into lead
  from public.recruiting_leads l
  where l.id = lock_recruit.recruiting_lead_id
    -- Nothing is written about a person who was erased.
    and l.first_name <> '(erased)'
    and private.may_read_recruit(caller, l)
  -- The person may be erased at this moment. What is written is there before, and goes too, or is refused.
  for share;
  if not found then
    raise exception 'recruiting_lead_id: there is no such recruit' using errcode = 'PT404';
  end if;
  return lead;
end
$$;

comment on function private.lock_recruit(public.agents, uuid) is
  'A recruit about whom this agent may write: one whom the agent may read, and who was not erased. '
  'It cannot be changed or erased before the transaction ends. PT404 for any other.';

create function public.other_recruits(recruiting_lead_id uuid)
returns table (id uuid, received_at timestamptz, vendor text, agent text, may_read boolean)
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  caller constant public.agents := private.current_agent();
begin
  if not exists (
    select
    from public.recruiting_leads l
    where l.id = other_recruits.recruiting_lead_id and private.may_read_recruit(caller, l)
  ) then
    raise exception 'recruiting_lead_id: there is no such recruit' using errcode = 'PT404';
  end if;
  return query
  select o.id, o.created_at, v.name, nullif(concat_ws(' ', a.first_name, a.last_name), ''), private.may_read_recruit(caller, o)
  from private.other_leads(other_recruits.recruiting_lead_id) o
  join public.vendors v on v.id = o.vendor_id
  left join public.agents a on a.id = o.agent_id
  where o.agency_id = caller.agency_id
  order by o.created_at desc, o.id
  limit 100;
end
$$;

comment on function public.other_recruits(uuid) is
  'Returns the other leads of the caller''s agency with the phone or the e-mail address of this recruit, whom the caller reads, '
  'the newest 100 first. agent: who has it, null for nobody; may_read: whether the caller reads that recruit too. PT404 for a '
  'recruit that the caller does not read. '
  'Security definer because an agent does not read the recruits of colleagues. It returns the vendor, the time and the '
  'agent of those of the caller''s own agency.';
grant execute on function public.other_recruits(uuid) to authenticated;

create function public.set_recruit_stage(recruiting_lead_id uuid, stage text) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  stages constant text[] := array['new', 'contacted', 'interview', 'licensed', 'hired', 'lost'];
  caller constant public.agents := private.writer();
  lead public.recruiting_leads;
begin
  if stage is null or stage <> all (stages) then
    perform private.invalid_field('stage', 'must be one of ' || array_to_string(stages, ', '));
  end if;
  lead := private.lock_recruit(caller, recruiting_lead_id);
  loop
    exit when stage = coalesce(
      (
        select s.stage
        from public.recruit_stages s
        where s.recruiting_lead_id = lead.id and s.ended_at is null
      ),
      'new');
    update public.recruit_stages s
    set ended_at = clock_timestamp()
    where s.recruiting_lead_id = lead.id and s.ended_at is null and s.stage <> set_recruit_stage.stage;
    -- Another agent, or the bot, may have set one meanwhile: it is looked at again.
    insert into public.recruit_stages (recruiting_lead_id, agency_id, stage, agent_id)
    values (lead.id, lead.agency_id, set_recruit_stage.stage, caller.id)
    on conflict do nothing;
    exit when found;
  end loop;
  return jsonb_build_object('recruiting_lead_id', lead.id, 'stage', stage);
end
$$;

comment on function public.set_recruit_stage(uuid, text) is
  'Sets the stage of a recruit: new, contacted, interview, licensed, hired or lost. The same stage again changes nothing. It '
  'changes neither consent nor bot. The recruit''s agent may call it, the agent who is assigned a conversation with the '
  'recruit, and the managers of the agency. Returns {recruiting_lead_id, stage}. Errors: 22023 (HTTP 400) names stage; 42501 '
  '(403) if the caller is not an active agent; PT404 for a recruit that the caller may not read, or who was erased. Security '
  'definer because agents may not write the tables.';
grant execute on function public.set_recruit_stage(uuid, text) to authenticated;

create table public.recruit_calls (
  id uuid primary key default gen_random_uuid(),
  recruiting_lead_id uuid not null references public.recruiting_leads (id) on delete cascade,
  agency_id uuid not null references public.agencies (id),
  agent_id uuid not null,
  outcome text check (outcome in ('reached', 'no_answer', 'left_message', 'wrong_number')),
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default now(),
  foreign key (agent_id, agency_id) references public.agents (id, agency_id)
);

create index on public.recruit_calls (recruiting_lead_id, created_at, id);
create index on public.recruit_calls (agency_id);
create index on public.recruit_calls (agent_id, agency_id);

comment on table public.recruit_calls is
  'The times that an agent dialled the number of a recruit from the page. The agent reports whether anybody answered.';
comment on column public.recruit_calls.outcome is
  '`reached`, `no_answer`, `left_message` or `wrong_number`; null: the agent has reported nothing.';

create trigger set_updated_at
  before update on public.recruit_calls
  for each row execute function private.set_updated_at();

create trigger broadcast_recruit
  after insert or update of outcome on public.recruit_calls
  for each row execute function private.broadcast_changed_recruit('call');

alter table public.recruit_calls enable row level security;
grant select on public.recruit_calls to authenticated;
grant select, insert, update, delete on public.recruit_calls to service_role;

create policy "readers of a recruit read its calls in their agency" on public.recruit_calls
  for select to authenticated
  using (
    agency_id = (select private.managed_agency_id())
    or agency_id = (select private.current_agency_id())
      and (select true from public.recruiting_leads l where l.id = recruit_calls.recruiting_lead_id)
  );

create function public.record_call(recruiting_lead_id uuid, call_id uuid, outcome text default null) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  outcomes constant text[] := array['reached', 'no_answer', 'left_message', 'wrong_number'];
  caller constant public.agents := private.writer();
  lead public.recruiting_leads;
  call public.recruit_calls;
begin
  if call_id is null then
    perform private.invalid_field('call_id', 'is required');
  elsif outcome <> all (outcomes) then
    perform private.invalid_field('outcome', 'must be one of ' || array_to_string(outcomes, ', '));
  end if;
  lead := private.lock_recruit(caller, recruiting_lead_id);
  insert into public.recruit_calls as c (id, recruiting_lead_id, agency_id, agent_id, outcome)
  values (call_id, lead.id, lead.agency_id, caller.id, record_call.outcome)
  on conflict (id) do update
  set outcome = coalesce(excluded.outcome, c.outcome)
  where (c.recruiting_lead_id, c.agent_id) = (excluded.recruiting_lead_id, excluded.agent_id)
  returning c.* into call;
  if call.id is null then
    raise exception 'call_id: another call has this id' using errcode = 'PT409';
  end if;
  return jsonb_build_object('id', call.id, 'outcome', call.outcome);
end
$$;

comment on function public.record_call(uuid, uuid, text) is
  'Records that the signed-in agent has dialled the number of a recruit, and the outcome if there is one: reached, no_answer, '
  'left_message or wrong_number. call_id: generated by the agent''s page; a repeated id is the same call, and a given outcome '
  'replaces the previous one. The callers are those of set_recruit_stage(). Returns {id, outcome|null}. Errors: 22023 (HTTP '
  '400) names call_id or outcome; 42501 (403) if the caller is not an active agent; PT404 for a recruit that the caller may '
  'not read, or who was erased; PT409 when another call has the id. Security definer because agents may not write the tables.';
grant execute on function public.record_call(uuid, uuid, text) to authenticated;
