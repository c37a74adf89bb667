-- Reports about texts: how fast agents respond, and how much is sent.

create function public.report_responses(since date, until date, of_agency uuid default null)
returns table (
  week date, agency text, agent text, agency_id uuid, agent_id uuid, recruits bigint, answered bigint, median integer,
  ninety integer
)
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
begin
  return query
  select
    r.week, g.name, nullif(concat_ws(' ', a.first_name, a.last_name), ''), g.id, a.id, count(*), count(r.minutes),
    percentile_disc(0.5) within group (order by r.minutes), percentile_disc(0.9) within group (order by r.minutes)
  from public.agencies g
  cross join lateral (
    select date_trunc('week', f.written_at at time zone g.timezone)::date as week, f.minutes, f.agent_id
    from private.figure_responses(g, since::timestamp at time zone g.timezone) f
    where f.written_at < (until + 1)::timestamp at time zone g.timezone
  ) r
  left join public.agents a on a.id = r.agent_id
  where of_agency is null or g.id = of_agency
  group by r.week, g.id, a.id
  order by r.week desc, g.name, g.id, 3 nulls last, a.id;
end
$$;

comment on function public.report_responses(date, date, uuid) is
  'How fast agents respond: a row for each agent and week, which begins on Monday, of the recruits who began to write on these '
  'days of their agency, both included. recruits: their number; answered: those whom an agent has answered; median and ninety: '
  'the minutes in the hours of the agency to the first answer, which half of them and nine of ten got within, as in '
  'agency_figures(). A recruit counts for the agent who answered, and one without an answer for the agent who has the recruit; '
  'agent null: nobody has. of_agency: only this one.';
grant execute on function public.report_responses(date, date, uuid) to service_role;

create function public.report_texts(since date, until date, of_agency uuid default null)
returns table (
  month text, agency text, agency_id uuid, texts bigint, segments bigint, agent bigint, bot bigint, greeting bigint,
  undelivered bigint
)
language plpgsql
stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
begin
  return query
  select
    to_char(o.accepted_at at time zone g.timezone, 'YYYY-MM'), g.name, g.id, count(*), sum(o.segments),
    count(*) filter (where o.kind = 'agent'), count(*) filter (where o.kind = 'bot'),
    count(*) filter (where o.kind = 'greeting'), count(*) filter (where m.status = 'failed')
  from public.text_outbox o
  join public.recruiting_messages m on m.id = o.message_id
  join public.recruiting_conversations c on c.id = o.conversation_id
  join public.agencies g on g.id = c.agency_id
  where (of_agency is null or g.id = of_agency)
    and o.accepted_at >= since::timestamp at time zone g.timezone
    and o.accepted_at < (until + 1)::timestamp at time zone g.timezone
  group by 1, g.id
  order by 1 desc, g.name, g.id;
end
$$;

comment on function public.report_texts(date, date, uuid) is
  'The texts that the SMS provider accepted on these days of the agency, both included, as it charges them: a row for each '
  'month, such as 2026-01, and agency. segments: of all of them (private.text_segments). agent, bot and greeting: texts by who '
  'wrote them. undelivered: those of which the provider has reported that they failed. of_agency: only this one.';
grant execute on function public.report_texts(date, date, uuid) to service_role;
