-- The figures of an agency: what counts on which day, how fast agents have answered, the list behind each, who may read
-- them, and what is read for them.
begin;
select plan(75);
\ir ../helpers.psql

select pg_temp.create_people(), pg_temp.create_vendor('acme'), pg_temp.create_vendor('other');
update public.agencies set timezone = 'America/Chicago', opens_at = '00:00', closes_at = '24:00' where id = md5('agency')::uuid;
insert into public.recruiting_orders (id, agency_id, quantity)
values (md5('order')::uuid, md5('agency')::uuid, 99), (md5('theirs')::uuid, md5('elsewhere')::uuid, 99);

create function pg_temp.midnight(days integer default 0) returns timestamptz language sql as $$
  select ((now() at time zone 'America/Chicago')::date - days)::timestamp at time zone 'America/Chicago'
$$;
create function pg_temp.got(vendor text, at timestamptz, agency text default 'agency') returns void language plpgsql as $$
begin
  insert into public.recruiting_leads (vendor_id, first_name, agency_id, order_id, distribution, distributed_at, created_at)
  values (md5(vendor)::uuid, 'Ada', md5(agency)::uuid, md5(case agency when 'agency' then 'order' else 'theirs' end)::uuid,
    'distributed', at, at);
end
$$;
create function pg_temp.figures(name text default 'mia', days integer default 3) returns jsonb language sql as $$
  select pg_temp.value_as(name, format('public.agency_figures(%L)', days))
$$;

select is(
  pg_temp.figures(),
  jsonb_build_object(
    'first_day', (now() at time zone 'America/Chicago')::date - 2, 'days', 3, 'vendors', '[]'::jsonb,
    'first_response', '{"recruits": 0, "answered": 0, "median": null, "ninety": null}'::jsonb,
    'waiting', '{"recruits": 0, "since": null}'::jsonb, 'opt_outs', 0, 'failed', 0,
    'daily', '{"median": [null, null, null], "opt_outs": [0, 0, 0], "failed": [0, 0, 0]}'::jsonb,
    'before', '{"recruits": 0, "median": null, "opt_outs": 0, "failed": 0}'::jsonb,
    'agents', (
      select jsonb_agg(jsonb_build_object('id', md5(name)::uuid, 'name', name, 'is_active', true, 'waiting', 0, 'recruits', 0, 'wrote', 0, 'answered', 0, 'median', null,
        'moved_on', 0, 'hired', 0) order by name)
      from unnest(array['ann', 'cal', 'mia']) name)),
  'an agency in which nothing has happened');

-- Leads
select pg_temp.got('acme', pg_temp.midnight()), pg_temp.got('acme', pg_temp.midnight(1)),
  pg_temp.got('acme', pg_temp.midnight() - interval '1 s'), pg_temp.got('other', pg_temp.midnight(2)),
  pg_temp.got('other', pg_temp.midnight(2) - interval '1 s'), pg_temp.got('acme', now(), 'elsewhere');
insert into public.recruiting_leads (vendor_id, first_name, vendor_metadata, agency_id, created_at) values
  (md5('acme')::uuid, 'Dora', '{}', md5('agency')::uuid, pg_temp.midnight(1)),
  (md5('acme')::uuid, 'Test', '{"is_test": true}', md5('agency')::uuid, now());
select is(
  pg_temp.figures() -> 'vendors',
  jsonb_build_array(
    jsonb_build_object('id', md5('acme')::uuid, 'vendor', 'acme', 'leads', '[0, 3, 1]'::jsonb, 'has_text_consent', false),
    jsonb_build_object('id', md5('other')::uuid, 'vendor', 'other', 'leads', '[1, 0, 0]'::jsonb, 'has_text_consent', false)),
  'leads count on their day in the zone of the agency, by an order or not, and neither tests nor those of others');
select is(pg_temp.figures('otto') #> '{vendors,0,leads}', '[0, 0, 1]', 'another agency has its own');
select is(
  array[pg_temp.figures() #> '{before,recruits}', pg_temp.figures(days => 1) #> '{before,recruits}',
    pg_temp.figures(days => 2) #> '{before,recruits}'],
  array['1', '3', '2']::jsonb[], 'those of as many days before count, too');

-- The list behind a figure
create function pg_temp.list(figure text, name text default 'mia', days integer default 3, day date default null,
  vendor text default null) returns table (conversation_id uuid, recruiting_lead_id uuid, phone text, minutes integer)
language plpgsql as $$
begin
  perform pg_temp.become(name);
  return query
  select f.conversation_id, f.recruiting_lead_id, f.phone, f.minutes
  from public.figure_list(figure, days, day, md5(vendor)::uuid) f;
  reset role;
end
$$;
create function pg_temp.length(figure text, name text default 'mia', days integer default 3, day date default null,
  vendor text default null) returns bigint language sql as $$
  select count(*) from pg_temp.list(figure, name, days, day, vendor)
$$;
create function pg_temp.today() returns date language sql as $$select (now() at time zone 'America/Chicago')::date$$;
select is(
  array[pg_temp.length('leads'), pg_temp.length('leads', vendor => 'acme'), pg_temp.length('leads', day => pg_temp.today() - 1),
    pg_temp.length('leads', day => pg_temp.today() - 2, vendor => 'acme'), pg_temp.length('leads', day => pg_temp.today() - 3)],
  '{5,4,3,0,0}', 'the leads of a day and a vendor are listed as they are counted');
select is_empty(
  $$select v, n from jsonb_array_elements(pg_temp.figures() -> 'vendors') v cross join generate_series(0, 2) n
    where (v #>> array['leads', n::text])::bigint
      <> pg_temp.length('leads', day => pg_temp.today() - 2 + n, vendor => v ->> 'vendor')$$,
  'the list of each day and vendor has as many');
select set_eq(
  $$select v ->> 'vendor', (select sum(n::bigint) from jsonb_array_elements_text(v -> 'leads') n)
    from jsonb_array_elements(pg_temp.figures() -> 'vendors') v$$,
  $$select q.vendor, q.leads::numeric
    from private.sum_quality(pg_temp.midnight(2), pg_temp.midnight(-1), md5('agency')::uuid) q$$,
  'and so has the row of each vendor in vendor_quality()');
select is(pg_temp.length('not_texted', vendor => 'acme'), 4::bigint, 'or those of a vendor that have been sent no text');
select pg_temp.become('mia');
select is(
  array(select count(*) from unnest(array['order', 'theirs']) o cross join public.figure_list('leads', order_id => md5(o)::uuid)), '{5}',
  'or those of an order, of all its days');
reset role;
select is(pg_temp.length('leads', 'otto'), 1::bigint, 'and those of another agency are its own');


-- Responses: on weekdays alone, so all is on the last Wednesday.
create function pg_temp.talk(name text, agent_after interval, bot_after interval default null, asked timestamptz default null,
  answers text default 'ann') returns void language plpgsql as $$
declare
  begun constant timestamptz := coalesce(asked, (date_trunc('week', now()) + interval '2 days 12 hours'
    - case when now() < date_trunc('week', now()) + interval '3 days' then interval '7 days' else '0' end));
begin
  perform pg_temp.create_conversation(name, '+1999555' || lpad((abs(hashtext(name)) % 10000)::text, 4, '0'), '+19995550000', 'ann');
  update public.recruiting_conversations set last_text_at = now() where id = md5(name)::uuid;
  insert into public.recruiting_messages (conversation_id, direction, sender_type, created_at, sent_by)
  select md5(name)::uuid, direction, sender, begun + after, case sender when 'agent' then md5(answers)::uuid end
  from (values ('inbound', 'recruit', interval '0'), ('outbound', 'bot', bot_after), ('outbound', 'agent', agent_after)) m
    (direction, sender, after)
  where after is not null;
end
$$;
select pg_temp.talk('fast', '5 minutes'), pg_temp.talk('with bot', '20 minutes', '1 minute'), pg_temp.talk('slow', '3 hours'),
  pg_temp.talk('never', null, '1 minute'), pg_temp.talk('old', '1 minute', asked => now() - interval '60 days');
update public.recruiting_conversations set waiting_since = now() where id in (md5('never')::uuid, md5('fast')::uuid);
select is(
  pg_temp.figures(days => 14) -> 'first_response', '{"recruits": 4, "answered": 3, "median": 20, "ninety": 180}',
  'an agent''s first text counts, from the recruit''s first one on; the bot''s does not. Of those without one, some wait');
update public.recruiting_conversations set waiting_since = null where id in (md5('never')::uuid, md5('fast')::uuid);
select results_eq(
  $$select conversation_id, minutes from pg_temp.list('wrote', days => 14) order by minutes$$,
  $$values (md5('fast')::uuid, 5), (md5('with bot')::uuid, 20), (md5('slow')::uuid, 180), (md5('never')::uuid, null)$$,
  'they are listed with the minutes');
select is(pg_temp.length('answered', days => 14), 3::bigint, 'or those alone that were answered');
select results_eq(
  $$select conversation_id from pg_temp.list('unanswered', days => 14)$$, $$values (md5('never')::uuid)$$, 'or those that were not');

-- The same by agent: ann has answered fast, with bot and slow in 5, 20 and 180 minutes, and another one 14 days before.
select pg_temp.talk('before', '40 minutes', asked => (
  select min(created_at) - interval '14 days' from public.recruiting_messages where conversation_id = md5('fast')::uuid));
create function pg_temp.agent(name text, days integer default 14) returns jsonb language sql as $$
  select a - 'id' - 'name' - 'is_active' from jsonb_array_elements(pg_temp.figures(days => days) -> 'agents') a where a ->> 'name' = agent.name
$$;
select is(
  array[pg_temp.figures(days => 14) #> '{before,median}', pg_temp.figures(days => 14) #> '{first_response,median}'],
  array['40', '20']::jsonb[], 'a recruit who began to write in the days before counts there alone');
select is(
  (select jsonb_agg(m) from jsonb_array_elements(pg_temp.figures(days => 14) #> '{daily,median}') m where m <> 'null'), '[20]',
  'each day has its median');
update public.recruiting_leads set agent_id = md5('ann')::uuid where first_name in ('Dora', 'Test');
select is(pg_temp.agent('ann'), '{"waiting": 0, "recruits": 1, "wrote": 4, "answered": 3, "median": 20, "moved_on": 0, "hired": 0}', 'an agent has the own answers and recruits');
select is(pg_temp.agent('cal'), '{"waiting": 0, "recruits": 0, "wrote": 0, "answered": 0, "median": null, "moved_on": 0, "hired": 0}', 'and nobody else''s');
update public.recruiting_conversations set assigned_agent_id = md5('cal')::uuid where id in (md5('fast')::uuid, md5('never')::uuid);
select is(pg_temp.agent('cal') -> 'wrote', '1', 'an agent has the own recruits who wrote and whom nobody has answered');
select is(pg_temp.agent('ann') -> 'wrote', '3', 'and those whom the agent has answered');
update public.recruiting_conversations set assigned_agent_id = md5('ann')::uuid where id in (md5('fast')::uuid, md5('never')::uuid);

-- The stages that agents have set: ann hires Ida after an interview, loses Bob, and has hired Old too early to count. The bot sets
-- one too.
insert into public.recruiting_leads (id, vendor_id, first_name, agency_id, agent_id)
select md5(name)::uuid, md5('acme')::uuid, name, md5('agency')::uuid, md5('cal')::uuid
from unnest(array['Ida', 'Bob', 'Eva', 'Old']) name;
insert into public.recruit_stages (recruiting_lead_id, agency_id, stage, agent_id, created_at, ended_at)
select md5(lead)::uuid, md5('agency')::uuid, stage, md5(agent)::uuid, now() - ago, case when has_ended then now() end
from (values
  ('Ida', 'interview', 'ann', interval '1 hour', true), ('Ida', 'hired', 'ann', '0', false), ('Bob', 'lost', 'ann', '0', false),
  ('Eva', 'contacted', null, '1 hour', true), ('Eva', 'interview', 'former', '0', false), ('Old', 'hired', 'ann', '20 days', false)
) s (lead, stage, agent, ago, has_ended);
select is(
  array[pg_temp.agent('ann', 7) -> 'moved_on', pg_temp.agent('ann', 7) -> 'hired', pg_temp.agent('ann', 30) -> 'hired',
    pg_temp.agent('cal', 30) -> 'moved_on', pg_temp.agent('former') -> 'moved_on'],
  array['1', '1', '2', '0', '1']::jsonb[], 'recruits count for the agent who has moved them on, also for one who has left since');

-- Who waits, opt-outs, failures
update public.recruiting_conversations set waiting_since = now() - interval '1 hour' where id in (md5('fast')::uuid, md5('slow')::uuid);
update public.recruiting_conversations set snoozed_until = now() + interval '1 day' where id = md5('slow')::uuid;
select is(
  pg_temp.figures() -> 'waiting' -> 'recruits', '1', 'who waits counts, and not whose answer is put off');
select is(array[pg_temp.agent('ann') -> 'waiting', pg_temp.agent('cal') -> 'waiting'], array['1', '0']::jsonb[], 'for the agent, too');
select public.receive_sms(c.recruit_phone, c.service_phone, 'SM stop', 'STOP', '[]') from public.recruiting_conversations c where c.id = md5('never')::uuid;
select public.receive_sms(c.recruit_phone, c.service_phone, 'SM stop again', 'STOP', '[]')
from public.recruiting_conversations c where c.id = md5('never')::uuid;
insert into public.text_consent_events (agency_id, phone, state, source, occurred_at) values
  (md5('agency')::uuid, '+19995559999', 'opted_out', 'keyword', now()),
  (md5('agency')::uuid, '+19995559998', 'opted_out', 'keyword', now() - interval '4 days'),
  (md5('agency')::uuid, '+19995559997', 'opted_in', 'keyword', now());
insert into public.recruiting_leads (id, vendor_id, first_name, vendor_metadata, agency_id) values
  (md5('lead')::uuid, md5('acme')::uuid, 'Ida', '{"phone": "+19995559999"}', md5('agency')::uuid);
select is(
  array[pg_temp.figures() -> 'opt_outs', pg_temp.figures() #> '{daily,opt_outs}', pg_temp.figures() #> '{before,opt_outs}'],
  array['2', '[0, 0, 2]', '1']::jsonb[], 'who opts out counts, once');
select set_eq(
  $$select conversation_id, recruiting_lead_id, phone from pg_temp.list('opt_outs')$$,
  $$select id, null::uuid, recruit_phone::text from public.recruiting_conversations where id = md5('never')::uuid
    union all values (null::uuid, md5('lead')::uuid, '+19995559999')$$,
  'and is listed with the conversation or the recruit');
select pg_temp.add_text('lost', 'fast', state => 'failed');
update public.recruiting_messages set status = 'failed' where id = md5('lost')::uuid;
select pg_temp.add_text('lost too', 'fast', state => 'failed'), pg_temp.add_text('lost long ago', 'slow', state => 'failed');
update public.recruiting_messages set status = 'failed' where id in (md5('lost too')::uuid, md5('lost long ago')::uuid);
update public.recruiting_messages set created_at = now() - interval '20 days' where id = md5('lost long ago')::uuid;
select pg_temp.add_text('cancelled', 'with bot', state => 'refused');
update public.text_outbox set reason = 'cancelled' where message_id = md5('cancelled')::uuid;
update public.recruiting_messages set status = 'failed' where id = md5('cancelled')::uuid;
select pg_temp.add_text('switched off', 'with bot', state => 'refused');
update public.text_outbox set reason = 'switched_off' where message_id = md5('switched off')::uuid;
update public.recruiting_messages set status = 'failed' where id = md5('switched off')::uuid;
select is(
  array[pg_temp.figures() -> 'failed', pg_temp.figures() #> '{daily,failed}', pg_temp.figures(days => 14) #> '{before,failed}'],
  array['1', '[0, 0, 1]', '1']::jsonb[], 'and a conversation with texts that failed in these days');
select results_eq(
  $$select conversation_id, phone from pg_temp.list('failed')$$,
  $$select id, recruit_phone::text from public.recruiting_conversations where id = md5('fast')::uuid$$, 'which is listed');
select is(pg_temp.length(figure, 'otto', 14), 0::bigint, 'and another agency sees none of it: ' || figure)
from unnest(array['wrote', 'answered', 'unanswered', 'failed', 'opt_outs']) figure;
select pg_temp.become('mia');
select set_eq(
  $$select f.name, f.state from public.figure_list('wrote', 14) f
    join public.recruiting_conversations c on c.id = f.conversation_id
    where c.id in (md5('never')::uuid, md5('fast')::uuid, md5('slow')::uuid)$$,
  $$select null::text, state from unnest(array['opted_out', 'waits', 'snoozed']) state$$,
  'a conversation of a list says how it is now');
reset role;
select is(
  (select a -> 'is_active' from jsonb_array_elements(pg_temp.figures() -> 'agents') a where a ->> 'name' = 'former'), 'false',
  'an agent who has left is not active');
select is(pg_temp.figures('otto') - 'vendors' - 'first_day', pg_temp.figures('otto', 3) - 'vendors' - 'first_day', 'another agency sees none of it');
select is(pg_temp.figures('otto') -> 'failed', '0', 'not one');

select throws_ok(format('select pg_temp.figures(%L, %L)', who, days), code, message, message)
from (values
  ('ann', 3, '42501', 'only a manager reads the figures of an agency'), ('visitor', 3, '42501', 'only a manager reads the figures of an agency'),
  ('mia', 0, '22023', 'days: must be from 1 to 90'), ('mia', 91, '22023', 'days: must be from 1 to 90')
) c (who, days, code, message);

select throws_ok(format('select pg_temp.length(%L, %L, %s, %L, %L)', figure, who, days, day, vendor), code, message, message)
from (values
  ('wrote', 'ann', 3, null::date, null, '42501', 'only a manager reads the figures of an agency'),
  ('wrote', 'former', 3, null, null, '42501', 'only a manager reads the figures of an agency'),
  ('wrote', 'visitor', 3, null, null, '42501', 'only a manager reads the figures of an agency'),
  ('nothing', 'mia', 3, null, null, '22023', 'figure: must be leads, not_texted, wrote, answered, unanswered, failed or opt_outs'),
  (null, 'mia', 3, null, null, '22023', 'figure: must be leads, not_texted, wrote, answered, unanswered, failed or opt_outs'),
  ('wrote', 'mia', 3, pg_temp.today(), null, '22023', 'figure: must be leads or not_texted where a day, a vendor or an order is named'),
  ('wrote', 'mia', 3, null, 'acme', '22023', 'figure: must be leads or not_texted where a day, a vendor or an order is named'),
  ('leads', 'mia', 91, null, null, '22023', 'days: must be from 1 to 90')
) c (figure, who, days, day, vendor, code, message);
set role anon;
select throws_ok('select public.figure_list(''wrote'')', '42501', null, 'nobody without a login');
select throws_ok('select public.agency_figures()', '42501', null, 'nobody at all');
reset role;

-- What is read for the figures is bounded by their days, however much there was before.
alter table public.recruiting_conversations disable trigger user;
alter table public.recruit_stages disable trigger user;
insert into public.recruiting_leads (vendor_id, first_name, agency_id, order_id, distribution, distributed_at, created_at)
select md5('acme')::uuid, 'Old', md5('agency')::uuid, md5('order')::uuid, 'distributed', now() - interval '100 days',
  now() - interval '100 days'
from generate_series(1, 1200);
-- Nor by the leads of other agencies.
insert into public.recruiting_leads (vendor_id, first_name, agency_id, order_id, distribution, distributed_at)
select md5('acme')::uuid, 'Their', md5('elsewhere')::uuid, md5('theirs')::uuid, 'distributed', now() from generate_series(1, 1200);
insert into public.recruiting_conversations (agency_id, recruit_phone, service_phone, last_text_at)
select md5('agency')::uuid, '+1888' || 5550000 + n, '+19995550000', now() - interval '100 days' from generate_series(1, 1200) n;
insert into public.recruiting_messages (conversation_id, direction, sender_type, status, created_at)
select c.id, 'outbound', 'agent', 'failed', now() - interval '100 days'
from public.recruiting_conversations c, generate_series(1, 2) where c.recruit_phone like '+1888%';
insert into public.text_consent_events (agency_id, phone, state, source, occurred_at)
select md5('agency')::uuid, c.recruit_phone, 'opted_out', 'keyword', now() - interval '100 days'
from public.recruiting_conversations c where c.recruit_phone like '+1888%';
select pg_temp.talk('now', null, asked => now());
analyze public.recruiting_leads;
insert into public.recruit_stages (recruiting_lead_id, agency_id, stage, agent_id, created_at, ended_at)
select l.id, l.agency_id, 'hired', md5('ann')::uuid, now() - interval '90 days', now() - interval '90 days'
from public.recruiting_leads l where l.first_name = 'Old' and l.order_id is not null;
analyze public.recruiting_leads, public.recruiting_conversations, public.recruiting_messages, public.text_consent_events,
  public.recruit_stages;
-- Fewer than there are, and not exactly those, because what other files have rolled back is read too.
select cmp_ok(
  pg_temp.rows_read(name::regclass, $$select pg_temp.figures()$$), '<', 1000::bigint, 'of ' || name || ' those of the days are read')
from unnest(array['recruiting_leads', 'recruiting_conversations', 'recruiting_messages', 'text_consent_events', 'recruit_stages']) name;
select cmp_ok(
  pg_temp.rows_read(name::regclass, format('select pg_temp.length(%L)', figure)), '<', 1000::bigint, figure || ': of ' || name || ' too')
from unnest(array['recruiting_leads', 'recruiting_conversations', 'recruiting_messages', 'text_consent_events']) name,
  unnest(array['leads', 'wrote', 'answered', 'failed', 'opt_outs']) figure;

select * from finish();
rollback;
