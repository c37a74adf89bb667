-- The rows behind each figure of an agency.

create function public.figure_list(
  figure text, days integer default 14, day date default null, vendor_id uuid default null, order_id uuid default null
) returns table (
  id uuid, conversation_id uuid, recruiting_lead_id uuid, name text, phone text, agent text, at timestamptz, minutes integer,
  state text
)
language plpgsql
stable
security definer
set search_path = ''
-- The recruits of the rows by their ids, and not all of the agency.
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  period constant record := private.figures_begin(figure_list.days);
  agency constant public.agencies := period.agency;
  begins constant timestamptz := period.begins;
  since timestamptz := begins;
  until timestamptz := 'infinity';
begin
  if figure is null or figure not in ('leads', 'not_texted', 'wrote', 'answered', 'unanswered', 'failed', 'opt_outs') then
    perform private.invalid_field(
      'figure', 'must be leads, not_texted, wrote, answered, unanswered, failed or opt_outs');
  elsif num_nonnulls(day, figure_list.vendor_id, figure_list.order_id) > 0 and figure not in ('leads', 'not_texted') then
    perform private.invalid_field('figure', 'must be leads or not_texted where a day, a vendor or an order is named');
  elsif day is not null then
    since := greatest(begins, day::timestamp at time zone agency.timezone);
    until := (day + 1)::timestamp at time zone agency.timezone;
  end if;
  return query
  with listed as (
    select l.lead_id as id, null::uuid as conversation_id, l.lead_id as recruiting_lead_id, null::text as phone,
      l.at, null::integer as minutes
    from private.figure_leads(agency.id, since, until, figure_list.order_id) l
    where figure in ('leads', 'not_texted') and (figure_list.vendor_id is null or l.vendor_id = figure_list.vendor_id)
      and (figure = 'leads' or not exists (
        select from private.conversation_texts t where t.recruiting_lead_id = l.lead_id and t.is_texted
      ))
    union all
    select r.conversation_id, r.conversation_id, null, null, r.written_at, r.minutes
    from private.figure_responses(agency, begins) r
    where figure = 'wrote' or figure = 'answered' and r.minutes is not null or figure = 'unanswered' and r.minutes is null
    union all
    select f.conversation_id, f.conversation_id, null, null, f.failed_at, null
    from private.figure_failures(agency.id, begins) f
    where figure = 'failed'
    union all
    select o.event_id, c.id, l.id, o.phone, o.opted_out_at, null
    from private.figure_opt_outs(agency.id, begins) o
    left join lateral (
      select c.id
      from public.recruiting_conversations c
      where c.agency_id = agency.id and c.recruit_phone = o.phone
      order by c.last_text_at desc
      limit 1
    ) c on true
    left join lateral (
      select l.id
      from public.recruiting_leads l
      where l.agency_id = agency.id and l.phone = o.phone and length(l.phone) <= 16
      order by l.distributed_at desc nulls last, l.id
      limit 1
    ) l on true
    where figure = 'opt_outs'
  )
  select s.id, s.conversation_id, l.id, nullif(concat_ws(' ', l.first_name, l.last_name), ''),
    coalesce(s.phone, c.recruit_phone, l.phone), nullif(concat_ws(' ', a.first_name, a.last_name), ''), s.at, s.minutes,
    case
      when c.snoozed_until > now() then 'snoozed'
      when c.due_since is not null then 'waits'
      when o.state = 'opted_out' then 'opted_out'
      when c.last_text_at > c.last_message_at then 'texted'
      when c.id is not null then 'settled'
    end
  from listed s
  left join public.recruiting_conversations c on c.id = s.conversation_id
  left join public.recruiting_leads l on l.id = coalesce(c.recruiting_lead_id, s.recruiting_lead_id)
  left join public.agents a on a.id = coalesce(c.assigned_agent_id, l.agent_id)
  left join public.text_consents o on o.agency_id = c.agency_id and o.phone = c.recruit_phone;
end
$$;

comment on function public.figure_list(text, integer, date, uuid, uuid) is
  'The rows that agency_figures() counts, of the same days: {id, conversation_id, recruiting_lead_id, name, phone, agent, at, '
  'minutes, state}. figure: `leads`, of one day and vendor where they are named, or of one order in all its days; '
  '`not_texted`: the leads that have been sent no text; `wrote`: the recruits who began to write, with the minutes to the first '
  'response; `answered` and `unanswered`: the recruits of `wrote` with and without a first response; `failed` and `opt_outs`. '
  'state is that of the conversation now: `waits` for an answer, `snoozed`, `opted_out`, `texted` (the agency or its bot sent '
  'the latest text) or `settled` (no reply is needed). '
  'conversation_id and recruiting_lead_id are null where there is none. For pages, continue after the last row, '
  'ordered by at and id. Errors: 42501 (HTTP 403) for users who are not managers; 22023 (400) names figure or days. Security '
  'definer because managers may not read vendors, and policies on each text would take long. It reads the caller''s own agency '
  'alone.';
grant execute on function public.figure_list(text, integer, date, uuid, uuid) to authenticated;
