-- Who has taken the recruits of an agency out of the service, as a file.

create table public.recruit_exports (
  id uuid primary key default gen_random_uuid(),
  agency_id uuid not null references public.agencies (id) on delete cascade,
  agent_id uuid not null,
  recruits integer not null check (recruits between 0 and 1000000),
  created_at timestamptz not null default now(),
  foreign key (agent_id, agency_id) references public.agents (id, agency_id)
);

create index on public.recruit_exports (agency_id, created_at);
create index on public.recruit_exports (agent_id, agency_id);

comment on table public.recruit_exports is 'Each export of recruits by a manager, noted before the file was made.';
comment on column public.recruit_exports.agent_id is 'The manager.';
comment on column public.recruit_exports.recruits is 'The number of recruits in the file.';

alter table public.recruit_exports enable row level security;
grant select on public.recruit_exports to authenticated;
grant select, insert, update, delete on public.recruit_exports to service_role;

create policy "managers read their agency's" on public.recruit_exports
  for select to authenticated
  using (agency_id = (select private.managed_agency_id()));

create function public.note_export(recruits integer) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  caller constant public.agents := private.current_agent();
  export_id uuid;
begin
  if caller.id is null or caller.role <> 'manager' then
    raise exception 'only a manager may export recruits' using errcode = 'insufficient_privilege';
  elsif recruits is null or recruits not between 0 and 1000000 then
    perform private.invalid_field('recruits', 'must be from 0 to 1,000,000');
  end if;
  insert into public.recruit_exports (agency_id, agent_id, recruits)
  values (caller.agency_id, caller.id, note_export.recruits)
  returning id into export_id;
  return jsonb_build_object('export_id', export_id);
end
$$;

comment on function public.note_export(integer) is
  'Records that the calling manager exports so many recruits of the agency. Call it before making the file. '
  'Returns {export_id}. Errors: 42501 (HTTP 403) for users who are not active managers; 22023 (400) names recruits. '
  'Security definer because agents may not write the tables.';
grant execute on function public.note_export(integer) to authenticated;
