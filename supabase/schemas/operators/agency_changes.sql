-- The history of an agency's settings: who has changed what. The tables write it themselves, whatever function or command changes
-- them, as long as a person does. Changes of orders are in order_changes.

create table public.agency_changes (
  id uuid primary key default gen_random_uuid(),
  agency_id uuid not null references public.agencies (id) on delete cascade,
  agent_id uuid,
  changed_by text not null check (changed_by <> '' and length(changed_by) <= 250),
  action text not null,
  subject_id uuid not null,
  before jsonb not null check (jsonb_typeof(before) = 'object'),
  after jsonb not null check (jsonb_typeof(after) = 'object'),
  created_at timestamptz not null default clock_timestamp(),
  foreign key (agent_id, agency_id) references public.agents (id, agency_id)
);

create index on public.agency_changes (agency_id, created_at, id);
create index on public.agency_changes (subject_id, created_at);
create index on public.agency_changes (agent_id, agency_id);

comment on table public.agency_changes is
  'Each change of an agency''s settings by a person: of the agency, its agents, its bot''s script, its destinations and quick '
  'replies. Rows are never updated, and are deleted with their agency.';
comment on column public.agency_changes.agent_id is 'The agent of the agency who has changed it; null: an operator.';
comment on column public.agency_changes.changed_by is
  'The name that this agent had, or the operator as private.operator_name() says.';
comment on column public.agency_changes.action is
  'What has changed and how: `agency`, `agent`, `destination` or `quick_reply`, and `create`, `update` or `remove`; `bot '
  'publish` or `bot off`.';
comment on column public.agency_changes.subject_id is 'The id of what has changed, such as agents.id.';
comment on column public.agency_changes.before is
  'The previous values of the changed columns, with which the same function takes the change back; {}: there was nothing '
  'before.';
comment on column public.agency_changes.after is 'The new values of the same columns; {}: it is removed.';

alter table public.agency_changes enable row level security;
grant select on public.agency_changes to authenticated;
grant select, insert on public.agency_changes to service_role;

create policy "managers read their agency's" on public.agency_changes
  for select to authenticated
  using (agency_id = (select private.managed_agency_id()));

create function private.keep_agency_change() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  noun constant text := tg_argv[0];
  stored constant jsonb := to_jsonb(old);
  saved constant jsonb := to_jsonb(new);
  subject constant jsonb := coalesce(saved, stored);
  owner_id constant uuid := coalesce(subject ->> 'agency_id', subject ->> 'id');
  agent constant public.agents := private.current_agent();
  is_of_agency constant boolean := coalesce(agent.agency_id = owner_id, false);
  before jsonb;
  after jsonb;
begin
  select
    coalesce(jsonb_object_agg(c, stored -> c) filter (where stored is not null), '{}'),
    coalesce(jsonb_object_agg(c, saved -> c) filter (where saved is not null), '{}')
  into before, after
  from unnest(tg_argv[1]::text[]) c
  where coalesce(stored -> c, 'null') <> coalesce(saved -> c, 'null');

  insert into public.agency_changes (agency_id, agent_id, changed_by, action, subject_id, before, after)
  select
    a.id, case when is_of_agency then agent.id end, d.name,
    noun || ' ' || case
      when noun = 'bot' then case when saved -> 'script' = 'null' then 'off' else 'publish' end
      when tg_op = 'INSERT' then 'create'
      when tg_op = 'DELETE' then 'remove'
      else 'update'
    end,
    (subject ->> 'id')::uuid, before, after
  from public.agencies a
  cross join (
    select case when is_of_agency then concat_ws(' ', agent.first_name, agent.last_name) else private.operator_name() end as name
  ) d
  -- The worker has no name, and what goes with its agency leaves no history.
  where a.id = owner_id and d.name is not null and before <> after;
  return null;
end
$$;

comment on function private.keep_agency_change() is
  'Trigger: keeps in agency_changes who has changed these columns of a row. Its arguments are the noun of the action and the '
  'columns.';

create trigger keep_agency_change
  after insert or update of name, timezone, opens_at, closes_at on public.agencies
  for each row execute function private.keep_agency_change('agency', '{name,timezone,opens_at,closes_at}');

-- A lead that is given to an agent updates none of these columns.
create trigger keep_agency_change
  after insert or delete
    or update of first_name, last_name, email, phone, role, is_active, accepts_recruits, away_until on public.agents
  for each row execute function private.keep_agency_change(
    'agent', '{first_name,last_name,email,phone,role,is_active,accepts_recruits,away_until}');

create trigger keep_agency_change
  after insert on public.bot_scripts
  for each row execute function private.keep_agency_change('bot', '{version}');

create trigger keep_agency_change
  after insert or update or delete on public.quick_replies
  for each row execute function private.keep_agency_change('quick_reply', '{shortcut,body}');

create trigger keep_new_destination
  after insert on public.destinations
  for each row when (new.agent_id is null)
  execute function private.keep_agency_change('destination', '{name,kind,url,address,events,is_on}');

create trigger keep_destination_change
  after delete
    or update of url, address, events, order_id, template, accepted_when, rejected_when, returns_rejected, max_at_once, is_on
  on public.destinations
  for each row when (old.agent_id is null)
  execute function private.keep_agency_change(
    'destination',
    '{name,kind,url,address,events,order_id,template,accepted_when,rejected_when,returns_rejected,max_at_once,is_on}');
