-- The lists of operators: a view for each, which reads with the rights of its caller. A list that may be of one
-- agency or one vendor alone has `agency_id` or `vendor_id`. Those that operators read in a browser too: desk_lists.sql.

create view public.repeat_rule_list with (security_invoker = true) as
select r.id, r.vendor_id, v.slug as vendor, r.agency_id, g.name as agency, r.match, r.within::text as within, r.action, r.rank
from public.repeat_rules r
left join public.vendors v on v.id = r.vendor_id
left join public.agencies g on g.id = r.agency_id;

comment on view public.repeat_rule_list is
  'The rules for leads whose person has an earlier lead. Of those that fit, the one with the highest rank decides.';
grant select on public.repeat_rule_list to service_role;

create view public.key_list with (security_invoker = true) as
select v.slug as vendor, k.vendor_id, k.key_prefix as key, k.label,
  case when k.revoked_at is not null then 'revoked' when k.expires_at <= now() then 'expired' else 'works' end as state,
  k.created_at as created, k.last_used_at as last_used, k.expires_at as expires, k.revoked_at as revoked
from public.vendor_api_keys k
join public.vendors v on v.id = k.vendor_id;

comment on view public.key_list is 'API keys by their first 12 characters; state: works, expired or revoked.';
grant select on public.key_list to service_role;

create view public.webhook_secret_list with (security_invoker = true) as
select s.vendor_id, s.id, s.kind, s.label,
  case when s.revoked_at is not null then 'revoked' when s.expires_at <= now() then 'expired' else 'works' end as state,
  s.created_at as created, s.expires_at as expires, s.revoked_at as revoked
from private.vendor_webhook_secrets s;

comment on view public.webhook_secret_list is
  'The secrets and tokens of webhooks, without the secrets themselves; state: works, expired or revoked.';
grant select on public.webhook_secret_list to service_role;

create view public.expiring_key_list with (security_invoker = true) as
select k.vendor, k.vendor_id, k.what, k.id as key, k.label, k.expires_at as expires,
  floor(extract(epoch from k.expires_at - now()) / 86400)::int as days_left
from private.expiring_keys(now()) k
where k.expires_at > now();

comment on view public.expiring_key_list is
  'Keys, webhook secrets and tokens of all vendors that will expire, without a newer one of the vendor and kind that is '
  'valid for longer. key: the first 12 characters of a key, else the id; days_left: whole days.';
grant select on public.expiring_key_list to service_role;

create view public.refused_proof_list with (security_invoker = true) as
select v.slug as vendor, p.vendor_id, p.reason, p.requests, p.created_at as first_at, p.updated_at as last_at
from private.refused_proofs p
join public.vendors v on v.id = p.vendor_id;

comment on view public.refused_proof_list is
  'Why requests to vendors'' webhooks got 401: how many, and when the first and the last of them came.';
grant select on public.refused_proof_list to service_role;

create view public.consent_list with (security_invoker = true) as
select c.changed_at, c.phone, g.name as agency, c.agency_id, c.state, c.source
from public.text_consents c
join public.agencies g on g.id = c.agency_id;

comment on view public.consent_list is 'The consent of each recruit who has said something to an agency.';
grant select on public.consent_list to service_role;

create view public.consent_event_list with (security_invoker = true) as
select e.occurred_at, e.phone, g.name as agency, e.agency_id, e.state, e.source, e.words, e.reason,
  concat_ws(' ', a.first_name, a.last_name) as manager, e.message_id, e.created_at, e.id
from public.text_consent_events e
join public.agencies g on g.id = e.agency_id
left join public.agents a on a.id = e.agent_id;

comment on view public.consent_event_list is 'What recruits said about texts, and the manager who recorded it.';
grant select on public.consent_event_list to service_role;

create view public.greeting_list with (security_invoker = true) as
select t.order_id, t.agency_id, t.agency, t.status, t.vendors, t.numbers,
  case when t.numbers = 0 then 'nobody: no active number' when t.vendors = '{}' then 'nobody: no vendor has text consent'
    else 'recruits of ' || array_to_string(t.vendors, ', ') end as greets,
  private.text_segments(t.preview) as segments, t.template, t.preview, t.created_at
from (
  select o.id as order_id, o.agency_id, g.name as agency, o.status,
    array(
      select v.slug from public.vendors v
      where v.has_text_consent and (o.vendor_id is null or v.id = o.vendor_id)
      order by v.slug
    ) as vendors,
    (select count(*)::int from public.service_numbers n where n.agency_id = g.id and n.status = 'active') as numbers,
    o.greeting_template as template,
    private.fill_template(
      o.greeting_template,
      jsonb_populate_record(
        null::public.recruiting_leads,
        jsonb_build_object('first_name', 'Ada', 'agency_id', o.agency_id, 'agent_id', o.agent_id)
      )
    ) as preview,
    o.created_at
  from public.recruiting_orders o
  join public.agencies g on g.id = o.agency_id
  where o.greeting_template is not null
) t;

comment on view public.greeting_list is
  'The greetings of the orders. vendors: whose recruits are greeted; numbers: the agency''s active ones, without which '
  'nobody is greeted; preview: for a recruit named Ada, with the order''s agent, else the agency''s next one; segments: of '
  'the preview.';
grant select on public.greeting_list to service_role;

create view public.bot_session_list with (security_invoker = true) as
select s.conversation_id, b.agency_id, c.recruit_phone, concat_ws(' ', l.first_name, l.last_name) as name,
  b.version as script, s.state, s.reason, s.question, s.asked_at, s.answers, s.created_at
from public.bot_scripts b
join public.bot_sessions s on s.script_id = b.id
join public.recruiting_conversations c on c.id = s.conversation_id
left join public.recruiting_leads l on l.id = c.recruiting_lead_id;

comment on view public.bot_session_list is 'The conversations of the bot; script: its version.';
grant select on public.bot_session_list to service_role;

create view public.screening_answer_list with (security_invoker = true) as
select l.id as lead_id, l.agency_id, concat_ws(' ', l.first_name, l.last_name) as recruit, l.phone, l.email, v.slug as vendor,
  nullif(concat_ws(' ', g.first_name, g.last_name), '') as agent, a.answered_at, a.answers
from public.recruiting_leads l
join public.vendors v on v.id = l.vendor_id
left join public.agents g on g.id = l.agent_id
cross join lateral (
  select max(s.answered_at) as answered_at, jsonb_object_agg(s.question, s.value) as answers
  from public.screening_answers s
  where s.lead_id = l.id
  having count(*) > 0
) a
where l.agency_id is not null;

comment on view public.screening_answer_list is
  'The answers of recruits to the bot''s questions, a row for each recruit of an agency. answered_at: the latest answer; '
  'answers: by the id of the question, as in screening_answers.value.';
grant select on public.screening_answer_list to service_role;

create view public.hours_list with (security_invoker = true) as
select coalesce(q.state, 'all') as state, q.day_of_week as day,
  coalesce(to_char('2023-01-01'::date + q.day_of_week, 'FMday'), 'every day') as days, q.opens::text as opens,
  q.closes::text as closes,
  case when q.opens = q.closes then 'closed' else left(q.opens::text, 5) || '-' || left(q.closes::text, 5) end as hours,
  q.source, null::date as starts_on, null::date as ends_on
from public.texting_hours q
union all
select coalesce(c.state, 'all'), null, concat_ws(' ', case when c.ends_on is null then 'from' end, c.starts_on, 'to ' || c.ends_on),
  null, null, 'closed', c.source, c.starts_on, c.ends_on
from public.texting_closures c
where c.ends_on is null or c.ends_on >= private.first_date();

comment on view public.hours_list is
  'When texts may be sent. state: all for those without hours of their own; day: 0 for Sunday to 6, null for every day; '
  'opens, closes: in the recipient''s time, the same where nothing is sent. starts_on, ends_on: of a closure that is not over, '
  'whose days are closed whatever the hours are.';
grant select on public.hours_list to service_role;
