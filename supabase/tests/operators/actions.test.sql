-- Reads and distributions of operators, the record of both, a replay that is taken back, and the leads of each day.
begin;
-- Changes of others are not seen, so that all tables can be compared.
set transaction isolation level repeatable read;
select plan(100);
\ir ../helpers.psql

select pg_temp.create_people(), pg_temp.create_vendor('vendor'), pg_temp.create_vendor('quiet');
insert into public.operators (user_id) values (md5('user visitor')::uuid);
insert into public.recruiting_orders (id, agency_id, vendor_id, quantity, priority) values
  (md5('order')::uuid, md5('agency')::uuid, md5('vendor')::uuid, 5, 1000);
insert into public.rejected_deliveries (id, request_id, route, vendor_id, code, reason, payload_bytes)
select md5(name)::uuid, 'test', '/recruiting/ingest', md5('vendor')::uuid, 'BAD_REQUEST', 'no name', 2
from unnest(array['first', 'again', 'dismissed']) name;
update public.rejected_deliveries set status = 'dismissed' where id = md5('dismissed')::uuid;

-- The only value of a statement that is run as this user, or its error code.
create function pg_temp.code_as(name text, statement text) returns text language sql as $$
  select regexp_replace(pg_temp.result_as(name, statement), '^(PT\d{3}|42501|23514) .*', '\1')
$$;
create function pg_temp.begin_as(name text, action text, subject jsonb default '{}') returns text language sql as $$
  select pg_temp.code_as(name, format('select public.begin_operator_action(%L, %L)', action, subject))
$$;
create function pg_temp.actions() returns bigint language sql as $$
  select count(*) from public.operator_actions a where a.user_id = md5('user visitor')::uuid
$$;
create function pg_temp.actions_of(wanted text) returns setof jsonb language sql as $$
  select a.subject from public.operator_actions a
  where a.user_id = md5('user visitor')::uuid and a.action = wanted order by a.created_at
$$;

select is(
  pg_temp.code_as('visitor', format('select public.begin_operator_action(%L, ''{}'')', action)), 'PT400',
  format('that somebody does %s, only the function that does it says', coalesce(action, 'nothing')))
from unnest(array['delivery dismiss', 'order pause', 'nonsense', null]) action;
select is(pg_temp.actions(), 0::bigint, 'none of it leaves a row');

-- An alert that an operator has in hand
insert into public.alert_rules (kind, threshold) values ('test_kind', '{}') on conflict do nothing;
insert into public.alerts (id, kind, subject) values (md5('alert')::uuid, 'test_kind', 'one'), (md5('by command')::uuid, 'test_kind', 'two');
select pg_temp.code_as(name, format('select public.acknowledge_alert(%L)', md5(alert)::uuid))
from (values ('mia', 'alert'), ('service_role', 'by command'), ('visitor', 'by command'), ('visitor', 'alert'), ('visitor', 'alert')) a (name, alert);
select is((select string_agg(state, ' ') from public.alerts where kind = 'test_kind'), 'acknowledged acknowledged', 'alerts are acknowledged');
select results_eq(
  $$select * from pg_temp.actions_of('alert acknowledge')$$, $$values (jsonb_build_object('alert_id', md5('alert')::uuid))$$,
  'a row says who has one in hand, once');
select is(pg_temp.code_as('visitor', format('select public.acknowledge_alert(%L)', md5('no alert')::uuid)), 'PT404', 'an unknown one');

-- Reads
update public.rejected_deliveries set payload = '{"id": 12345678901234567890}' where id = md5('first')::uuid;
update public.rejected_deliveries set payload_text = '<lead' where id = md5('again')::uuid;
insert into public.operator_actions (id, user_id, action, subject, created_at)
select md5('read ' || name)::uuid, md5('user ' || who)::uuid, action,
  case action when 'delivery show' then jsonb_build_object('delivery_id', md5(delivery)::uuid)
    else jsonb_build_object('delivery_ids', array[md5(delivery)::uuid]) end, now() - age
from (values
  ('first', 'visitor', 'delivery show', 'first', interval '0'),
  ('again', 'visitor', 'delivery show', 'again', '59 s'),
  ('dismissed', 'visitor', 'delivery show', 'dismissed', '0'),
  ('nobody', 'visitor', 'delivery show', 'nobody', '0'),
  ('late', 'visitor', 'delivery show', 'first', '61 s'),
  ('same transaction', 'visitor', 'delivery show', 'first', '-1 ms'),
  ('replay', 'visitor', 'delivery replay', 'first', '0'),
  ('of another', 'otto', 'delivery show', 'first', '0'),
  ('of ann', 'ann', 'delivery show', 'first', '0')
) a (name, who, action, delivery, age);
create function pg_temp.payload(reader text, action text) returns text language sql as $$
  select pg_temp.code_as(reader, format('select public.read_payload(%L)', md5('read ' || action)::uuid))
$$;
select is(pg_temp.payload('visitor', action), payload, 'the payload after the action: ' || action)
from (values
  ('first', jsonb_pretty('{"id": 12345678901234567890}')), ('again', '<lead'), ('dismissed', null), ('nobody', null)
) p (action, payload);
select is(pg_temp.payload('visitor', action), 'PT404', 'no payload after the action: ' || action)
from unnest(array['late', 'same transaction', 'replay', 'of another', 'none']) action;
select is(pg_temp.payload('ann', 'of ann'), '42501', 'nobody else reads a payload, also with a row of the user''s own');
delete from public.operator_actions;
select results_eq(
  $$select payload_kept from public.delivery_list
    join unnest(array['first', 'again', 'dismissed']) with ordinality n (name, n) on id = md5(name)::uuid order by n$$,
  $$values ('whole'), ('beginning'), ('nothing')$$,
  'the list says what is kept of a payload');

-- The lists
insert into public.recruiting_leads (id, vendor_id, first_name, distribution) values
  (md5('waiting')::uuid, md5('vendor')::uuid, 'Ada', 'unmatched');
insert into public.unmatched_texts (id, body) values (md5('text')::uuid, 'Hello');
select pg_temp.create_conversation('waits', '+19995550901', '+19995550900', 'ann');
update public.recruiting_conversations set waiting_since = now() - interval '90 minutes' where id = md5('waits')::uuid;
insert into public.recruiting_messages (id, conversation_id, direction, sender_type, body) values
  (md5('held')::uuid, md5('waits')::uuid, 'outbound', 'bot', 'Hello');
insert into public.text_outbox (message_id, kind, due_at) values (md5('held')::uuid, 'bot', 'infinity');
insert into public.operator_actions (id, done_by, action, subject) values
  (md5('by Lin')::uuid, 'Lin', 'lead list', jsonb_build_object(
    'vendor_id', md5('vendor')::uuid, 'agency_id', md5('agency')::uuid, 'agent_id', md5('ann')::uuid)),
  (md5('paused by Lin')::uuid, 'Lin', 'destination pause', jsonb_build_object('destination_id', md5('crm')::uuid));
insert into public.destinations (id, agency_id, name, kind, url, events) values
  (md5('crm')::uuid, md5('agency')::uuid, 'crm', 'webhook', 'https://crm.example.com', '{}');
select is(pg_temp.code_as('visitor', statement), rows, 'an operator reads of ' || statement)
from (values
  (format('select count(*) from public.delivery_list where vendor_id = %L', md5('vendor')::uuid), '3'),
  (format('select count(*) from public.delivery_reason_list where deleted_in_7_days = 0 and vendor_id = %L', md5('vendor')::uuid), '1'),
  (format('select count(*) from public.delivery_reason_list where sends = ''{id}'' and vendor_id = %L', md5('vendor')::uuid), '1'),
  ('select count(*) from public.unsent_cause_list where cause = ''no_number'' and subject = ''+19995550900''', '1'),
  (format('select count(*) from public.lead_list where id = %L', md5('waiting')::uuid), '1'),
  (format('select count(*) from public.waiting_lead_list where id = %L', md5('waiting')::uuid), '1'),
  (format('select count(*) from public.waiting_vendor_list where leads = 1 and vendor_id = %L', md5('vendor')::uuid), '1'),
  (format('select count(*) from public.order_list where id = %L', md5('order')::uuid), '1'),
  (format('select count(*) from public.unmatched_text_list where id = %L', md5('text')::uuid), '1'),
  (format('select count(*) from public.waiting_recruit_list where agent = ''ann'' and minutes = 90 and conversation_id = %L',
    md5('waits')::uuid), '1'),
  (format('select count(*) from public.operator_action_list where (operator, vendor, agency, agent) = '
    '(''Lin'', ''test-vendor'', ''agency'', ''ann'') and id = %L', md5('by Lin')::uuid), '1'),
  (format('select agency from public.operator_action_list where id = %L', md5('paused by Lin')::uuid), 'agency'),
  ('select count(*) from public.operator_counts where least(alerts + 1, deliveries, leads, recruits, texts) > 0', '1')
) l (statement, rows);
delete from public.operator_actions where done_by = 'Lin';
select is(
  pg_temp.code_as('visitor', format('select waiting::text from public.agency_list where id = %L', md5('agency')::uuid)), '1',
  'and how many recruits of an agency wait for an answer');

-- Distributions
select is(
  pg_temp.code_as('visitor', format(
    'select wanted || '' '' || (states #- ''{0,oldest}'') from public.count_wanted_leads() where vendor_id = %L', md5('vendor')::uuid)),
  format('1 [{"leads": 1, "order": {"id": "%s", "agency": "agency", "states": null, "status": "open", "vendor": "test-vendor", "obstacle": null, "wants_state": true}, "state": null, "wanted": 1}]', md5('order')::uuid),
  'the leads that wait are counted by state, with those that an open order wants, and the order');
select is(
  pg_temp.code_as('visitor', format('select count(*) from public.distribute_leads(%s, %L)', max, md5('vendor')::uuid)),
  result, message)
from (values
  ('0', 'PT400', 'at least one lead is distributed'), ('101', 'PT400', 'and at most 100'),
  ('null', 'PT400', 'how many must be said'), ('100', '1', 'a lead that waits is distributed')
) d (max, result, message);
select is(
  pg_temp.code_as('service_role', format('select count(*) from public.distribute_leads(1, %L)', md5('vendor')::uuid)), '0',
  'the service role distributes too');
update public.text_outbox set state = 'accepted', attempted_at = now() where message_id = md5('held')::uuid;
insert into public.service_numbers (phone, agency_id) values ('+19995550900', md5('agency')::uuid);
select is(
  pg_temp.code_as('visitor', 'select (least(leads, distributed, texts) > 0, texts_failed, dispatches_failed) from public.operator_pulse()'),
  '(t,0,0)', 'an operator reads how the service does');
select results_eq(
  $$select * from pg_temp.actions_of('lead distribute')$$,
  $$select jsonb_build_object('vendor_id', md5('vendor')::uuid, 'lead_ids', array[md5('waiting')::uuid])$$,
  'what an operator distributes leaves a row; what is refused leaves none');

-- The record
select isnt(pg_temp.begin_as('visitor', 'delivery replay', '{"delivery_ids": [], "dry_run": true}'), '42501', 'an operator may replay');
select results_eq(
  $$select * from pg_temp.actions_of('delivery replay')$$, $$select '{"delivery_ids": [], "dry_run": true}'::jsonb$$,
  'which leaves one row');
create temp table kept as select pg_temp.actions() as rows;
select throws_ok(
  format('select private.record_action(%L, %L)', action, subject), 'PT400', message, action || ' is not about ' || subject)
from (values
  ('lead show', '[]', 'subject: must be an object'),
  ('lead show', null, 'subject: must be an object'),
  ('lead show', '{}', 'subject.lead_id: is missing'),
  ('lead show', '{"lead_id": null}', 'subject.lead_id: is not a value of this member'),
  ('lead show', '{"lead_id": "4711"}', 'subject.lead_id: is not a value of this member'),
  ('lead show', upper(format('{"lead_id": "%s"}', md5('a')::uuid)), 'subject: may have only these members: lead_id'),
  ('lead show', format('{"lead_id": "%s"}', upper(md5('a')::uuid::text)), 'subject.lead_id: is not a value of this member'),
  ('lead show', format('{"lead_id": "%s", "name": "Ada"}', md5('a')::uuid), 'subject: may have only these members: lead_id'),
  ('lead find', '{"by": "+13125550142"}', 'subject.by: is not a value of this member'),
  ('lead distribute', '{"max": 1}', 'subject: may have only these members: vendor_id, lead_ids, dry_run'),
  ('lead distribute', '{"lead_ids": "all"}', 'subject.lead_ids: is not a value of this member'),
  ('lead distribute', '{"lead_ids": [1]}', 'subject.lead_ids: is not a value of this member'),
  ('lead distribute', '{"lead_ids": ["Ada"]}', 'subject.lead_ids: is not a value of this member'),
  ('lead distribute', '{"lead_ids": [], "dry_run": false}', 'subject.dry_run: is not a value of this member'),
  ('agent update', format('{"agent_id": "%s", "changed": ["ada@example.com"]}', md5('a')::uuid), 'subject.changed: is not a value of this member'),
  ('order update', format('{"order_id": "%s", "changes": 1}', md5('a')::uuid), 'subject.changes: is not a value of this member'),
  ('delivery prune', '{"count": -1}', 'subject.count: is not a value of this member'),
  ('number pause', '{"service_phone": "Ada"}', 'subject.service_phone: is not a value of this member'),
  ('key create', format('{"vendor_id": "%s", "key_prefix": "lik_0123456789"}', md5('a')::uuid), 'subject.key_prefix: is not a value of this member'),
  ('hours set', '{"state": "Illinois", "changes": {}}', 'subject.state: is not a value of this member'),
  ('text send', '{"x": 1}', 'subject: may have only these members: none'),
  ('lead delete', '{}', 'action: there is no such action')
) wrong (action, subject, message);
select is(
  pg_temp.begin_as('visitor', action, subject::jsonb), code, message)
from (values
  ('lead show', '{"lead_id": "4711"}', 'PT400', 'nor does a user begin such a one'),
  ('lead show', '{"lead_id": "at most undefined"}', 'PT400', 'with words in place of an id'),
  ('lead find', '{"by": "Ada"}', 'PT400', 'with what was looked for'),
  ('delivery show', '{}', 'PT400', 'without its subject'),
  ('delivery show', '[]', 'PT400', 'with what is no subject'),
  ('delivery replay', '{"delivery_ids": "all"}', 'PT400', 'with no list of ids'),
  ('mapping try', '{"payload": {"name": "Ada"}}', 'PT400', 'with a payload'),
  ('mapping save', '{"vendor_id": null}', 'PT400', 'with null'),
  ('delivery replay', jsonb_build_object('delivery_ids', array_fill(md5('a')::uuid, array[2000]))::text, '23514', 'a subject is small')
) wrong (action, subject, code, message);
select throws_ok(
  $$insert into public.operator_actions (done_by, action, subject) values ('olivia', 'lead show', '{}')$$, '23514', null,
  'no other way to store one takes it either');
select throws_ok(
  format('insert into public.operator_actions (user_id, done_by, action, subject) values (%L, %L, %L, %L)', who, name, 'alert test', '{}'),
  '23514', null, message)
from (values
  (null, null, 'somebody has done it'), (null, '', 'who has a name'), (md5('user visitor')::uuid, 'olivia', 'and is one of the two')
) wrong (who, name, message);
select throws_ok($$select private.record_action('alert test', '{}')$$, '23514', null, 'a command that does not say who it is stores none');
select is(pg_temp.actions(), rows, 'what is refused leaves no row') from kept;
select set_config('admin.operator', 'olivia', true);
select ok(private.record_action('alert test', '{}') is not null, 'one that does stores its row');
select is(private.note_operator_action('alert test', '{}'), null, 'which the function that it calls does not repeat');
select results_eq(
  $$select user_id, done_by, action from public.operator_actions where done_by is not null$$,
  $$values (null::uuid, 'olivia', 'alert test')$$, 'with the name');
select isnt(pg_temp.begin_as('visitor', 'lead find', '{"by": "words"}'), 'PT400', 'of a user who is signed in');
select is((select a.done_by from public.operator_actions a where a.action = 'lead find'), null, 'the name of a command counts for nothing');
delete from public.operator_actions where action in ('alert test', 'lead find');
select set_config('admin.operator', '', true), set_config('request.jwt.claims', '{"email": "nora@example.com"}', true);
select is(private.operator_name(), 'nora@example.com', 'beside a lead stands who is signed in');
select set_config('request.jwt.claims', '', true);

-- Nothing is read or distributed that cannot be kept.
insert into public.recruiting_leads (id, vendor_id, first_name, distribution) values
  (md5('unkept')::uuid, md5('vendor')::uuid, 'Bea', 'unmatched');
alter table public.operator_actions add constraint unkept check (false) not valid;
select is(pg_temp.code_as('visitor', statement), '23514', 'what cannot be kept is not done: ' || statement)
from unnest(array[
  $$select public.begin_operator_action('delivery replay', '{"delivery_ids": []}')$$, 'select count(*) from public.distribute_leads(1)'
]) statement;
alter table public.operator_actions drop constraint unkept;
select is(
  (select distribution from public.recruiting_leads where id = md5('unkept')::uuid), 'unmatched', 'the lead waits still');
delete from public.recruiting_leads where id in (md5('waiting')::uuid, md5('unkept')::uuid);
update public.rejected_deliveries set payload = null, payload_text = null where vendor_id = md5('vendor')::uuid;

delete from auth.users where id = md5('user visitor')::uuid;
select is(pg_temp.actions(), rows, 'what a user did stays when the user is deleted') from kept;

-- A replay that is taken back
create function pg_temp.all_tables() returns table (name text, rows text) language plpgsql as $$
begin
  for name in
    select c.oid::regclass from pg_class c
    where c.relkind = 'r' and c.relnamespace in ('public'::regnamespace, 'private'::regnamespace) order by 1
  loop
    execute format('select md5(string_agg(t::text, chr(10) order by t::text)) from %s t', name) into rows;
    return next;
  end loop;
end
$$;
create temp table before as select * from pg_temp.all_tables();
create temp table preview as
select public.preview_replay(md5('first')::uuid,
  '{"first_name": "Ada", "vendor_lead_id": "4711", "vendor_metadata": {"state": "TX"}}') as result;
select results_eq('select * from pg_temp.all_tables()', 'select * from before', 'a preview changes no table');
select throws_ok(
  format('select public.preview_replay(%L, %L)', md5(name)::uuid, '{"vendor_metadata": {}}'), code, null, message)
from (values
  ('first', 'PT400', 'a preview refuses what a replay refuses'),
  ('dismissed', 'PT409', 'as it does a dismissed delivery'),
  ('nothing', 'PT404', 'and one that is not there')
) refused (name, code, message);
select is(
  public.replay_delivery(md5('first')::uuid,
    '{"first_name": "Ada", "vendor_lead_id": "4711", "vendor_metadata": {"state": "TX"}}'),
  result, 'a preview says what the replay does') from preview;
select is(
  public.preview_replay(md5('again')::uuid, '{"first_name": "Ada", "vendor_lead_id": "4711"}'),
  (result || '{"status": "duplicate"}'::jsonb) - 'distributed_to', 'and that a lead has come meanwhile') from preview;

-- The leads of each day
create function pg_temp.days(days integer, timezone text) returns jsonb language sql as $$
  select jsonb_agg(to_jsonb(d) order by d.vendor) from public.count_vendor_days(days, timezone) d
  where d.vendor in ('test-vendor', 'test-quiet')
$$;
create temp table today as select (now() at time zone 'Asia/Tokyo')::date as day;
update public.recruiting_leads set created_at = day::timestamp at time zone 'Asia/Tokyo' from today where id = md5('first')::uuid;
update public.rejected_deliveries
set received_at = (day::timestamp - case when id <> md5('again')::uuid then interval '1 s' else '0' end) at time zone 'Asia/Tokyo'
from today where vendor_id = md5('vendor')::uuid;
select is(
  pg_temp.days(3, 'Asia/Tokyo'),
  jsonb_build_array(jsonb_build_object(
    'vendor', 'test-vendor', 'dates', array[day - 2, day - 1, day], 'leads', array[0, 0, 1], 'refused', array[0, 2, 1])),
  'leads and rejected deliveries count on their day in the time zone') from today;
select throws_ok(format('select * from public.count_vendor_days(%L, %L)', days, timezone), 'PT400', message)
from (values
  (0, 'UTC', 'days: must be from 1 to 90'), (91, 'UTC', 'days: must be from 1 to 90'),
  (1, 'Mars', 'timezone: "Mars" is not an IANA time zone name')
) wrong (days, timezone, message);

select * from finish();
rollback;
