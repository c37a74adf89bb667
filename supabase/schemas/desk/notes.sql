-- Notes about a recruit: for the agency alone, and never sent.

create table public.recruit_notes (
  id uuid primary key default gen_random_uuid(),
  recruiting_lead_id uuid not null references public.recruiting_leads (id) on delete cascade,
  agent_id uuid not null references public.agents (id),
  body text not null check (length(body) between 1 and 4000),
  created_at timestamptz not null default clock_timestamp()
);

create index on public.recruit_notes (recruiting_lead_id, created_at, id);
create index on public.recruit_notes (agent_id);

comment on table public.recruit_notes is
  'Notes of agents about a recruit. Nobody sends them. Rows are added by add_note(), and go when the person is erased.';
comment on column public.recruit_notes.agent_id is 'The agent who wrote it.';
comment on column public.recruit_notes.body is 'Exactly as written.';

alter table public.recruit_notes enable row level security;
grant select on public.recruit_notes to authenticated;
grant select, insert, update, delete on public.recruit_notes to service_role;

-- The policy of the recruit applies inside the subquery. Not by exists(): the planner would read all recruits for the
-- notes of one.
create policy "readers of a recruit read its notes" on public.recruit_notes
  for select to authenticated
  using ((select true from public.recruiting_leads l where l.id = recruit_notes.recruiting_lead_id));

create function public.add_note(recruiting_lead_id uuid, body text, note_id uuid default null) returns jsonb
language plpgsql
security definer
set search_path = ''
as $$
declare
  max_length constant integer := 4000;
  caller constant public.agents := private.writer();
  given_id constant uuid := coalesce(note_id, gen_random_uuid());
  note public.recruit_notes;
begin
  if private.visible_text(coalesce(body, '')) !~ '[^ \n]' then
    perform private.invalid_field('body', 'must not be empty');
  elsif private.utf16_length(body) > max_length then
    perform private.invalid_field('body', format(
      'must have at most %s characters, counted in UTF-16 units (most emoji have 2 or more)', max_length));
  end if;

  perform private.lock_recruit(caller, recruiting_lead_id);
  insert into public.recruit_notes as n (id, recruiting_lead_id, agent_id, body)
  values (given_id, add_note.recruiting_lead_id, caller.id, add_note.body)
  on conflict (id) do nothing;
  select n.* into note from public.recruit_notes n where n.id = given_id;
  if (note.recruiting_lead_id, note.agent_id) is distinct from (add_note.recruiting_lead_id, caller.id) then
    raise exception 'note_id: another note has this id' using errcode = 'PT409';
  end if;
  return jsonb_build_object('id', note.id, 'created_at', note.created_at);
end
$$;

comment on function public.add_note(uuid, text, uuid) is
  'Adds a note of the signed-in agent about a recruit. Nobody sends it. The recruit''s agent may call it, the agent who is '
  'assigned a conversation with the recruit, and the managers of the agency. body: at most 4,000 UTF-16 units, with something '
  'to see in it. note_id: made by the agent''s page, else here; the same id is the same note, as it was at first. Returns {id, '
  'created_at}. Errors: 22023 (HTTP 400) names the field; 42501 (403) when the caller is no active agent; PT404 for a '
  'recruit whose notes the caller does not read, and for one who was erased; PT409 when another note has the id. '
  'Security definer because agents may not write the tables.';
grant execute on function public.add_note(uuid, text, uuid) to authenticated;

create trigger broadcast_recruit
  after insert on public.recruit_notes
  for each row execute function private.broadcast_changed_recruit('note');
