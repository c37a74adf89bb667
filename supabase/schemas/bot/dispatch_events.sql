-- A recruit who has answered all questions of the bot goes to the destinations of the agency.

create function private.dispatch_screening() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' or old.state <> 'done' then
    perform private.add_dispatches('recruit.screened', array[c.recruiting_lead_id], jsonb_build_object('screening', (
      select coalesce(jsonb_agg(jsonb_build_object('question', a.question, 'answer', a.value) order by a.answered_at, a.question), '[]')
      from public.screening_answers a
      where a.lead_id = c.recruiting_lead_id
    )))
    from public.recruiting_conversations c
    where c.id = new.conversation_id and c.recruiting_lead_id is not null;
  end if;
  return null;
end
$$;

comment on function private.dispatch_screening() is
  'Trigger: adds the dispatches of `recruit.screened`, with screening: [{question, answer}].';

create trigger dispatch_screening
  after insert or update of state on public.bot_sessions
  for each row when (new.state = 'done')
  execute function private.dispatch_screening();
