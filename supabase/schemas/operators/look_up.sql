-- What operators look up in a browser: a lead, and why it went where it is. Each reading is noted before it is done.

create function public.search_leads(action_id uuid, search text) returns jsonb
language plpgsql
stable
security definer
set search_path = ''
-- A search reads every lead. An operator who waits longer has searched again by then.
set statement_timeout = '6s'
as $$
declare
  most_each constant integer := 20;
begin
  perform private.noted_subject(action_id, 'lead find');
  return (
    select jsonb_build_object(
      'found', coalesce(jsonb_agg(
        to_jsonb(f) - 'place' || jsonb_build_object('agency', w.agency, 'agent', w.agent)
        order by f.by_sender_id desc, f.received desc) filter (where f.place <= most_each), '[]'),
      'cut', coalesce(jsonb_agg(distinct f.kind) filter (where f.place > most_each), '[]')
    )
    from (
      select l.*, row_number() over (partition by l.kind order by l.by_sender_id desc, l.received desc) as place
      from public.find_leads(search, most_each + 1) l
    ) f
    left join private.lead_list w on f.kind = 'recruiting' and w.id = f.id
  );
end
$$;

comment on function public.search_leads(uuid, text) is
  'The result of find_leads() for what an operator looks for: {found, cut}. found: up to 20 of each kind, those with this very '
  'id of their sender''s first, then the newest, with the names of the agency and the agent that a recruiting lead has (agency, agent). cut: the kinds of which there are more. action_id: what '
  'begin_operator_action(''lead find'', {by: phone|email|words}) has returned to the same user in the last minute. The words '
  'themselves are not noted: they may be a person''s, who may be erased. 57014 after six seconds; other errors as '
  'private.noted_subject() and find_leads(). Security definer because operators may not read or write the tables.';
grant execute on function public.search_leads(uuid, text) to authenticated;

create function public.read_lead(action_id uuid) returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  lead_id constant uuid := private.noted_subject(action_id, 'lead show') ->> 'lead_id';
  shown constant jsonb := public.show_lead(lead_id);
begin
  return shown || jsonb_build_object('explained', case shown ->> 'kind' when 'recruiting' then public.explain_lead(lead_id) end);
end
$$;

comment on function public.read_lead(uuid) is
  'A lead as show_lead() returns it, with explained: the result of explain_lead(), or null for a sales lead. action_id: what '
  'begin_operator_action(''lead show'', {lead_id}) has returned to the same user in the last minute. Errors as '
  'private.noted_subject(), show_lead(). '
  'Security definer because operators may not read or write the tables.';
grant execute on function public.read_lead(uuid) to authenticated;
