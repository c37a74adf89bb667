-- The table of recruits on the pages of agents and managers.

create function private.screening_questions(recruiting_lead_id uuid) returns text[]
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  script constant jsonb := (
    select b.script
    from public.recruiting_conversations c
    join public.bot_sessions s on s.conversation_id = c.id
    join public.bot_scripts b on b.id = s.script_id
    where c.recruiting_lead_id = screening_questions.recruiting_lead_id
    order by s.created_at desc
    limit 1
  );
begin
  return array(select q ->> 'id' from jsonb_array_elements(script -> 'questions') with ordinality e (q, place) order by place);
end
$$;

comment on function private.screening_questions(uuid) is
  'Returns the ids of the questions of a recruit''s latest session with the bot, in the order of its script. Security definer '
  'because agents may not read scripts. It returns only the ids, and only recruit_rows calls it.';
grant execute on function private.screening_questions(uuid) to authenticated;

create function private.text_consent_of(lead public.recruiting_leads) returns text
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  if not pg_input_is_valid(coalesce(lead.phone, ''), 'public.e164') then
    return null;
  end if;
  return coalesce(
    private.texting_ban(lead.agency_id, lead.phone, lead.id),
    (
      select 'given'
      from public.recruiting_leads l
      join public.vendors v on v.id = l.vendor_id and v.has_text_consent
      where l.phone = lead.phone and length(l.phone) <= 16 and l.agency_id = lead.agency_id
        and l.vendor_metadata #> '{consent,given}' is distinct from 'false'
      limit 1
    ),
    (
      select 'given'
      from public.text_consents t
      where t.agency_id = lead.agency_id and t.phone = lead.phone and t.state = 'opted_in'
    ),
    (
      select 'given'
      from public.recruiting_conversations c
      where c.recruit_phone = lead.phone and c.agency_id = lead.agency_id and c.last_message_at is not null
      limit 1
    ),
    'none');
end
$$;

comment on function private.text_consent_of(public.recruiting_leads) is
  'Whether the agency of a recruit may text the recruit: as the column consent of recruit_rows. Security definer because '
  'vendors, suppressions, the recruits of colleagues and the consents of recruits without a conversation may not be read. Only '
  'recruit_rows calls it.';
grant execute on function private.text_consent_of(public.recruiting_leads) to authenticated;

create function private.applications_of(lead public.recruiting_leads) returns integer
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return 1 + (select count(*) from private.other_leads(lead.id) o where o.agency_id = lead.agency_id);
end
$$;

comment on function private.applications_of(public.recruiting_leads) is
  'How many leads of the agency are of the same person, as the column applications of recruit_rows. Security definer because an '
  'agent does not read the recruits of colleagues. It returns only their number, and only recruit_rows calls it.';
grant execute on function private.applications_of(public.recruiting_leads) to authenticated;

create view public.recruit_rows with (security_invoker = true) as
select l.id, l.agency_id, l.agent_id, l.first_name, l.last_name, l.phone, l.email, l.state, l.created_at, l.resume_path,
  l.vendor_metadata,
  -- Each value is a sub-select, which Postgres evaluates after it has sorted and cut the list.
  private.vendor_name(l.vendor_id) as vendor,
  (select concat_ws(' ', a.first_name, a.last_name) from public.agents a where a.id = l.agent_id) as agent,
  coalesce(
    (select s.stage from public.recruit_stages s where s.recruiting_lead_id = l.id and s.ended_at is null),
    'new') as stage,
  (select max(c.last_text_at) from public.recruiting_conversations c where c.recruiting_lead_id = l.id) as last_text_at,
  (
    select c.id from public.recruiting_conversations c where c.recruiting_lead_id = l.id order by c.last_text_at desc limit 1
  ) as conversation_id,
  (
    select min(c.waiting_since)
    from public.recruiting_conversations c
    where c.recruiting_lead_id = l.id and (c.snoozed_until is null or c.snoozed_until <= now())
  ) as waiting_since,
  array(
    select n.id
    from public.agent_notifications n
    where n.lead_id = l.id and n.agent_id = (select private.current_agent_id()) and n.kind = 'lead' and n.read_at is null
  ) as unread,
  private.text_consent_of(l) as consent,
  -- Not by exists(): the planner might read the sessions and answers of all recruits for one page.
  coalesce(
    (
      select 'asking'
      from public.recruiting_conversations c
      join public.bot_sessions s on s.conversation_id = c.id
      where c.recruiting_lead_id = l.id and s.state = 'active'
      limit 1
    ),
    (select 'answered' from public.screening_answers a where a.lead_id = l.id limit 1),
    (
      select 'unanswered'
      from public.recruiting_conversations c
      join public.bot_sessions s on s.conversation_id = c.id
      where c.recruiting_lead_id = l.id
      limit 1
    ),
    'not_asked') as screening,
  (
    select array[array_position(q.ids, s.question), cardinality(q.ids)]
    from public.recruiting_conversations c
    join public.bot_sessions s on s.conversation_id = c.id
    cross join private.screening_questions(l.id) q (ids)
    where c.recruiting_lead_id = l.id and s.state = 'active'
    limit 1
  ) as asking,
  (
    select coalesce(jsonb_agg(
      jsonb_build_object('question', a.question, 'value', a.value, 'said', a.said)
      order by array_position(q.ids, a.question), a.answered_at, a.question), '[]')
    from private.screening_questions(l.id) q (ids)
    join public.screening_answers a on a.lead_id = l.id
  ) as screening_answers,
  -- The orders of the table. Keyset pages need values that are never null, in the order of a page's own comparison.
  lower(concat_ws(' ', l.first_name, l.last_name)) collate "C" as by_name,
  coalesce(l.phone, '') collate "C" as by_phone,
  coalesce(l.state, '') collate "C" as by_state,
  lower(coalesce(private.vendor_name(l.vendor_id), '')) collate "C" as by_vendor,
  array_position(array['new', 'contacted', 'interview', 'licensed', 'hired', 'lost'], coalesce(
    (select s.stage from public.recruit_stages s where s.recruiting_lead_id = l.id and s.ended_at is null),
    'new')) as by_stage,
  coalesce(
    (select lower(concat_ws(' ', a.first_name, a.last_name)) from public.agents a where a.id = l.agent_id),
    '') collate "C" as by_agent,
  coalesce(
    (select max(c.last_text_at) from public.recruiting_conversations c where c.recruiting_lead_id = l.id),
    '-infinity') as by_text,
  private.applications_of(l) as applications
from public.recruiting_leads l;

comment on view public.recruit_rows is
  'The recruits that the signed-in agent reads, with the names of the vendor and the agent (null: none), the stage, '
  'the time of the latest text and its conversation (null: none), since when the recruit waits for an '
  'answer (waiting_since; null: does not, or is snoozed), and unread: the ids of the caller''s unread notifications about the '
  'recruit as a new one. applications: how many leads of the agency have the person''s phone or e-mail address, this one '
  'included. consent to texts, the same for all leads of the agency with the phone: `given` (by a vendor''s form, where '
  'the lead''s own consent does not say no, or the recruit has written or opted in), `none`, `opted_out` or `suppressed` '
  '(nobody may text this person); null without a phone number. '
  'screening: `asking`, `answered`, `unanswered` (the bot has asked, and does not any more) or `not_asked`; asking: [the place '
  'of the question, the number of questions], null unless the bot asks; screening_answers: [{question, value, said}] in the '
  'order of the script. Ask for one agency_id, and for pages by the last row, ordered by created_at or by a column by_… and id.';
grant select on public.recruit_rows to authenticated;
