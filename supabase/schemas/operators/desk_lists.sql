-- The lists that an operator reads in a browser too. A signed-in user has no right on their tables. So these views
-- read with the rights of their owner, in the schema that the API does not offer. private.may_operate() is their row
-- security. The views of the API show what they have.

create view private.vendor_name_list as
select v.slug, v.name, v.id
from public.vendors v
where (select private.may_operate());

grant select on private.vendor_name_list to authenticated, service_role;

create view public.vendor_name_list with (security_invoker = true) as select * from private.vendor_name_list;

comment on view public.vendor_name_list is 'The names of vendors by their slugs, which other lists and commands have.';
grant select on public.vendor_name_list to authenticated, service_role;

create view private.order_list as
select o.id, o.agency_id, g.name as agency, o.agent_id, a.first_name as agent, o.vendor_id, v.slug as vendor, o.states,
  o.filled, o.quantity, coalesce(d.leads, 0) as leads_today, o.daily_cap, o.priority, o.status, o.starts_at, o.ends_at,
  o.created_at, o.greeting_template, recent.leads_7_days, round(pace.per_day, 1)::double precision as per_day,
  case when o.status = 'open' and pace.per_day > 0 then ceil((o.quantity - o.filled) / pace.per_day)::int end as full_in_days
from public.recruiting_orders o
join public.agencies g on g.id = o.agency_id
left join public.agents a on a.id = o.agent_id
left join public.vendors v on v.id = o.vendor_id
left join private.recruiting_order_days d on d.order_id = o.id and d.starts_at <= now() and d.ends_at > now()
cross join lateral (
  select count(*)::int as leads_7_days
  from public.recruiting_leads l
  where l.agency_id = o.agency_id and l.order_id = o.id and l.distributed_at > now() - interval '7 days'
) recent
cross join lateral private.leads_per_day(recent.leads_7_days, greatest(o.created_at, o.starts_at)) pace (per_day)
where (select private.may_operate());

grant select on private.order_list to authenticated, service_role;

create view public.order_list with (security_invoker = true) as select * from private.order_list;

comment on view public.order_list is
  'Orders, with the names of the agency, the agent and the vendor. leads_today: by the agency''s own day, as the daily cap '
  'counts them. leads_7_days, per_day and full_in_days: as in order_pace.';
grant select on public.order_list to authenticated, service_role;

create view private.delivery_list as
select d.id, d.received_at, coalesce(v.slug, 'import') as vendor, d.vendor_id, d.route, d.row, d.vendor_lead_id, d.code,
  d.reason, d.status, d.lead_id, d.resolved_at, d.request_id, d.payload_bytes,
  case when d.payload is not null then 'whole' when d.payload_text is not null then 'beginning' else 'nothing' end
    as payload_kept
from public.rejected_deliveries d
left join public.vendors v on v.id = d.vendor_id
where (select private.may_operate());

grant select on private.delivery_list to authenticated, service_role;

create view public.delivery_list with (security_invoker = true) as select * from private.delivery_list;

comment on view public.delivery_list is
  'Rejected deliveries without their payloads; vendor_id: null for an import; payload_kept: whole, beginning or nothing.';
grant select on public.delivery_list to authenticated, service_role;

create function private.keys_sent(vendor_id uuid, code text, reason text) returns text[]
language sql
stable
security definer
set search_path = ''
as $$
  select array(select k.key from jsonb_object_keys(n.payload) k (key) where k.key ~ '^[A-Za-z_][A-Za-z_ .-]{0,39}$' limit 12)
  from (
    select d.payload
    from public.rejected_deliveries d
    where d.status = 'open' and d.vendor_id = keys_sent.vendor_id and d.code = keys_sent.code and d.reason = keys_sent.reason and d.payload is not null
    order by d.received_at desc, d.id desc
    limit 1
  ) n
  where jsonb_typeof(n.payload) = 'object' and (select private.may_operate())
$$;

comment on function private.keys_sent(uuid, text, text) is
  'The names of up to 12 fields that the newest open delivery of a group whose payload is kept sent, without what is in them; null where that is not '
  'kept. Security definer because operators may not read the payloads.';
grant execute on function private.keys_sent(uuid, text, text) to authenticated;

create view public.delivery_reason_list with (security_invoker = true) as
select md5(jsonb_build_array(d.vendor_id, d.code, d.reason)::text)::uuid as id, d.vendor, d.vendor_id, d.code, d.reason,
  count(*)::int as deliveries, min(d.received_at) as first_at, max(d.received_at) as last_at,
  min(d.received_at) + private.deliveries_kept() as first_deleted_at,
  count(*) filter (where d.received_at + private.deliveries_kept() < now() + interval '7 days')::int as deleted_in_7_days,
  private.keys_sent(d.vendor_id, d.code, d.reason) as sends
from private.delivery_list d
where d.status = 'open'
group by d.vendor_id, d.vendor, d.code, d.reason;

comment on view public.delivery_reason_list is
  'Why open deliveries were rejected, with how many of each vendor; vendor_id: null for imports; id: of vendor, code and '
  'reason; first_deleted_at: when the oldest is deleted; deleted_in_7_days: how many are within 7 days; sends: the names of the fields that the newest one sent. For pages, continue '
  'after the last row, ordered by deliveries and id, both descending.';
grant select on public.delivery_reason_list to authenticated, service_role;

create view private.vendor_list as
select v.slug, v.name, v.parser, v.is_active as active, k.keys, v.webhook_scheme as webhook, v.rate_limit,
  v.silent_after::text, v.has_text_consent as text_consent, v.created_at as created, k.last_used, k.expires
from public.vendors v
cross join lateral (
  select
    count(*) filter (where k.is_valid)::int as keys,
    max(k.last_used_at) as last_used,
    min(k.expires_at) filter (where k.is_valid) as expires
  from (
    select k.last_used_at, k.expires_at,
      k.revoked_at is null and (k.expires_at is null or k.expires_at > now()) as is_valid
    from public.vendor_api_keys k
    where k.vendor_id = v.id
  ) k
) k
where (select private.may_operate());

grant select on private.vendor_list to authenticated, service_role;

create view public.vendor_list with (security_invoker = true) as select * from private.vendor_list;

comment on view public.vendor_list is
  'Vendors; keys: how many of their API keys work; last_used: when a key was used last; expires: when the first key that works '
  'expires, null for never.';
grant select on public.vendor_list to authenticated, service_role;

create view private.duplicate_list as
select d.id, d.received_at, v.slug as vendor, d.vendor_id, d.request_id, l.vendor_lead_id, d.lead_id,
  l.created_at as first_received
from public.recruiting_lead_duplicates d
join public.vendors v on v.id = d.vendor_id
join public.recruiting_leads l on l.id = d.lead_id
where (select private.may_operate());

grant select on private.duplicate_list to authenticated, service_role;

create view public.duplicate_list with (security_invoker = true) as select * from private.duplicate_list;

comment on view public.duplicate_list is
  'A row each time a lead came again: request_id of the request that was answered `duplicate`, and lead_id and '
  'vendor_lead_id of the lead that it is a duplicate of, which came first_received.';
grant select on public.duplicate_list to authenticated, service_role;

create view private.lead_list as
select l.id, l.created_at as received, v.slug as vendor, l.vendor_id, l.vendor_lead_id, l.distribution, l.agency_id,
  g.name as agency, l.agent_id, nullif(concat_ws(' ', a.first_name, a.last_name), '') as agent,
  l.state,
  case when l.distribution in ('unmatched', 'pending') then nullif(concat_ws(' ', l.first_name, l.last_name), '') end as name
from public.recruiting_leads l
join public.vendors v on v.id = l.vendor_id
left join public.agencies g on g.id = l.agency_id
left join public.agents a on a.id = l.agent_id
where (select private.may_operate());

grant select on private.lead_list to authenticated, service_role;

create view public.lead_list with (security_invoker = true) as select * from private.lead_list;

comment on view public.lead_list is
  'Recruiting leads; name: of one that waits, as in waiting_lead_list, else nothing of the recruit but the state. agency, agent: who has the lead; null: nobody, for which distribution gives '
  'the reason. For pages, continue after the last row, ordered by received and id, both descending.';
grant select on public.lead_list to authenticated, service_role;

create view private.waiting_lead_list as
select l.id, l.vendor_id, v.slug as vendor, l.vendor_lead_id, concat_ws(' ', l.first_name, l.last_name) as name,
  l.state, l.distribution, l.created_at as received
from (
  -- One by one, because each has an index of its own.
  select u.id, u.vendor_id, u.vendor_lead_id, u.first_name, u.last_name, u.state, u.distribution, u.created_at
  from public.recruiting_leads u
  where u.distribution = 'unmatched'
  union all
  select p.id, p.vendor_id, p.vendor_lead_id, p.first_name, p.last_name, p.state, p.distribution, p.created_at
  from public.recruiting_leads p
  where p.distribution = 'pending'
) l
join public.vendors v on v.id = l.vendor_id
where (select private.may_operate());

grant select on private.waiting_lead_list to authenticated, service_role;

create view public.waiting_lead_list with (security_invoker = true) as select * from private.waiting_lead_list;

comment on view public.waiting_lead_list is 'Recruiting leads that no order has got.';
grant select on public.waiting_lead_list to authenticated, service_role;

create view public.waiting_vendor_list with (security_invoker = true) as
select w.vendor_id, w.vendor, count(*)::int as leads
from private.waiting_lead_list w
group by w.vendor_id, w.vendor;

comment on view public.waiting_vendor_list is 'The vendors of leads that no order has got, with how many of each.';
grant select on public.waiting_vendor_list to authenticated, service_role;

create view private.unmatched_text_list as
select t.id, t.received_at, t.recruit_phone as "from", t.service_phone as "to", t.body,
  jsonb_array_length(t.media) as media, t.message_sid, l.id as lead_id,
  nullif(concat_ws(' ', l.first_name, l.last_name), '') as recruit, l.agency_id, g.name as agency, a.id as agent_id,
  nullif(concat_ws(' ', a.first_name, a.last_name), '') as agent
from public.unmatched_texts t
left join public.service_numbers n on n.phone = t.service_phone
left join lateral (
  select r.*
  from public.recruiting_leads r
  where r.phone = t.recruit_phone and length(r.phone) <= 16 and r.agency_id is not null
    and r.agency_id = coalesce(n.agency_id, r.agency_id)
  order by r.created_at desc, r.id
  limit 1
) l on true
left join public.agencies g on g.id = l.agency_id
left join public.agents a on a.id = l.agent_id and a.is_active
where (select private.may_operate());

grant select on private.unmatched_text_list to authenticated, service_role;

create view public.unmatched_text_list with (security_invoker = true) as select * from private.unmatched_text_list;

comment on view public.unmatched_text_list is
  'Texts that belong to no conversation yet; media: how many files. lead_id and the rest: the newest lead that has the phone '
  'and an agency (where the number is an agency''s, this one), with its active agent, as adopt_texts() takes it. Null without '
  'one.';
grant select on public.unmatched_text_list to authenticated, service_role;

create view private.waiting_recruit_list as
select c.id as conversation_id, c.agency_id, g.name as agency, a.id as agent_id,
  nullif(concat_ws(' ', a.first_name, a.last_name), '') as agent, c.recruiting_lead_id as lead_id,
  nullif(concat_ws(' ', l.first_name, l.last_name), '') as recruit, c.recruit_phone as phone, c.status,
  c.waiting_since as since, floor(extract(epoch from now() - c.waiting_since) / 60)::int as minutes,
  a.email as agent_email
from public.recruiting_conversations c
join public.agencies g on g.id = c.agency_id
left join public.recruiting_leads l on l.id = c.recruiting_lead_id
-- As private.answering_agent(), which a user may not call.
left join public.agents own on own.id = c.assigned_agent_id and own.is_active
left join public.agents a on a.id = coalesce(own.id, l.agent_id) and a.is_active
where c.due_since is not null and c.waiting_since is not null and (select private.may_operate());

grant select on private.waiting_recruit_list to authenticated, service_role;

create view public.waiting_recruit_list with (security_invoker = true) as select * from private.waiting_recruit_list;

comment on view public.waiting_recruit_list is
  'Recruits who wait for an answer to their text. agent: who is to answer, null for the managers; status: bot while no person '
  'has taken the conversation over; minutes: how long they have waited, at night too; agent_email: to remind the agent.';
grant select on public.waiting_recruit_list to authenticated, service_role;

create view private.operator_action_list as
select a.id, a.created_at, coalesce(u.email, a.user_id::text, a.done_by) as operator, a.action, a.subject, u.email,
  a.user_id, a.done_by, v.slug as vendor, g.name as agency, nullif(concat_ws(' ', p.first_name, p.last_name), '') as agent
from public.operator_actions a
left join auth.users u on u.id = a.user_id
left join public.vendors v on v.id = (a.subject ->> 'vendor_id')::uuid
left join public.destinations d on d.id = (a.subject ->> 'destination_id')::uuid
left join public.agencies g on g.id = coalesce(d.agency_id, (a.subject ->> 'agency_id')::uuid)
left join public.agents p on p.id = coalesce(a.subject ->> 'agent_id', a.subject ->> 'to_agent_id')::uuid
where (select private.may_operate());

grant select on private.operator_action_list to authenticated, service_role;

create view public.operator_action_list with (security_invoker = true) as select * from private.operator_action_list;

comment on view public.operator_action_list is
  'Each row of operator_actions; operator: the user''s address, or the id of one who is deleted, or the name at the command; '
  'vendor, agency and agent: the slug and the names of those in the subject, null where there is none any more; a destination '
  'has its agency. '
  'For pages, continue after the last row, ordered by created_at and id, both descending.';
grant select on public.operator_action_list to authenticated, service_role;
