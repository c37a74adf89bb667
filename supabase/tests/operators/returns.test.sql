-- A bad lead goes back: what its agency loses, and what is kept of it.
begin;
select plan(46);
\ir ../helpers.psql

select pg_temp.create_people(), pg_temp.create_vendor('vendor', pg_temp.key_of('vendor'));
insert into public.operators (user_id) values (md5('user visitor')::uuid);
insert into public.recruiting_orders (id, agency_id, vendor_id, quantity, daily_cap, priority) values
  (md5('order')::uuid, md5('agency')::uuid, md5('vendor')::uuid, 3, 3, 1000);
update public.agents set accepts_recruits = id = md5('ann')::uuid where agency_id = md5('agency')::uuid;
insert into public.service_numbers (phone, agency_id) values ('+19995550100', md5('agency')::uuid);

create function pg_temp.send(name text) returns jsonb language sql as $$
  select pg_temp.ingest_lead(pg_temp.key_of('vendor'), jsonb_build_object(
    'id', md5(name)::uuid, 'first_name', name, 'vendor_lead_id', name,
    'vendor_metadata', jsonb_build_object('phone', '+1999' || right(translate(md5(name), 'abcdef', '123456'), 7))))
$$;
create function pg_temp.order_of(wanted text default 'order') returns text language sql as $$
  select concat_ws(' ', o.filled, o.status, (
    select coalesce(sum(d.leads), 0) from private.recruiting_order_days d where d.order_id = o.id
  )) from public.recruiting_orders o where o.id = md5(wanted)::uuid
$$;
-- How many rows of the statement this person reads.
create function pg_temp.reads(name text, statement text) returns bigint language sql as $$
  select pg_temp.result_as(name, 'select count(*) from ' || statement)::bigint
$$;

select pg_temp.send('bad'), pg_temp.send('good'), pg_temp.send('last');
select is(pg_temp.order_of(), '3 filled 3', 'the order has all of its leads');
select is(pg_temp.send('late') ->> 'distributed_to', null, 'and gets no more');
update public.recruiting_leads set distribution = 'not_requested' where id = md5('late')::uuid;

-- What there is about the lead: a conversation that its agent has, with texts that wait, and a greeting
select pg_temp.create_conversation('bad', phone, '+19995550100', 'ann', lead => 'bad')
from public.recruiting_leads where id = md5('bad')::uuid;
select pg_temp.create_conversation('bot', phone, '+19995550199', lead => 'bad')
from public.recruiting_leads where id = md5('bad')::uuid;
select pg_temp.add_text('sent', 'bad', state => 'accepted'), pg_temp.add_text('waits', 'bad');
select pg_temp.add_text('bot waits', 'bot', 'bot');
select pg_temp.create_conversation('good', phone, '+19995550100', 'ann', lead => 'good')
from public.recruiting_leads where id = md5('good')::uuid;
select pg_temp.add_text('good waits', 'good');
insert into public.bot_scripts (id, agency_id, version) values (md5('script')::uuid, md5('agency')::uuid, 1);
insert into public.bot_sessions (conversation_id, script_id, question) values (md5('bot')::uuid, md5('script')::uuid, 'licensed');
insert into private.waiting_greetings (lead_id) values (md5('bad')::uuid);
insert into public.agent_notifications (agent_id, lead_id, kind)
select md5('ann')::uuid, md5(name)::uuid, 'lead' from unnest(array['bad', 'good']) name;
insert into public.agent_notifications (agent_id, conversation_id, kind)
select md5('ann')::uuid, md5(name)::uuid, 'text' from unnest(array['bad', 'good']) name;
select is(pg_temp.reads('ann', format('public.recruiting_leads where id = %L', md5('bad')::uuid)), 1::bigint, 'the agent has the lead');

-- Refusals
select throws_ok(
  format('select public.return_lead(%L, %L)', md5(name)::uuid, reason), code, message, 'refused: ' || message)
from (values
  ('bad', null, 'PT400', 'reason: must be a text of 1 to 500 characters'),
  ('bad', ' ', 'PT400', 'reason: must be a text of 1 to 500 characters'),
  ('bad', repeat('x', 501), 'PT400', 'reason: must be a text of 1 to 500 characters'),
  ('nobody', 'x', 'PT404', 'lead_id: there is no such recruiting lead'),
  ('late', 'x', 'PT409', 'lead_id: no order has got the lead')
) r (name, reason, code, message);
update public.text_outbox set state = 'sending', lease_until = now() + interval '1 minute' where message_id = md5('waits')::uuid;
select throws_ok(
  format('select public.return_lead(%L, %L)', md5('bad')::uuid, 'x'), 'PT409',
  'lead_id: a text to this recruit is being sent. Try again in some minutes.', 'a text is on its way');
update public.text_outbox set state = 'unconfirmed', due_at = now() where message_id = md5('waits')::uuid;
select throws_like(
  format('select public.return_lead(%L, %L)', md5('bad')::uuid, 'x'), '%is being sent%', 'a text may be sent once more');
update public.text_outbox set state = 'pending', lease_until = null where message_id = md5('waits')::uuid;
select is(pg_temp.order_of(), '3 filled 3', 'what is refused changes nothing');
select is_empty($$select from public.operator_actions where user_id = md5('user visitor')::uuid$$, 'and leaves no row');

-- The return
select set_config('admin.operator', 'olivia', true);
create temp table result as
select public.return_lead(md5('bad')::uuid, 'wrong number') as r, set_config('admin.operator', '', true);
select is(
  r, jsonb_build_object('lead_id', md5('bad')::uuid, 'agency', 'agency', 'agent', 'ann', 'order_id', md5('order')::uuid,
    'filled', 2, 'quantity', 3, 'order_status', 'open', 'conversations', 2, 'texts', 2), 'a return says what it did')
from result;
select is(pg_temp.order_of(), '2 open 2', 'the order has one lead less, also of its day, and is open again');
select is_empty('select * from public.check_daily_counts()', 'a recount agrees');
select results_eq(
  $$select agency_id, order_id, agent_id, distributed_at is not null, reason, returned_by from public.lead_returns
    where recruiting_lead_id = md5('bad')::uuid$$,
  $$values (md5('agency')::uuid, md5('order')::uuid, md5('ann')::uuid, true, 'wrong number', 'olivia')$$, 'who had the lead is kept');
select is(pg_temp.reads(name, format('public.recruiting_leads where id = %L', md5('bad')::uuid)), 0::bigint, name || ' has the lead no more')
from unnest(array['ann', 'mia']) name;
select is(pg_temp.reads('ann', format('public.recruiting_conversations where id = %L', md5('bad')::uuid)), 0::bigint, 'nor the conversation');
select is(pg_temp.reads('ann', format('public.recruiting_conversations where id = %L', md5('good')::uuid)), 1::bigint, 'others stay');
select results_eq(
  $$select c.id, c.status, c.assigned_agent_id, c.recruiting_lead_id from public.recruiting_conversations c
    where c.id in (md5('bad')::uuid, md5('bot')::uuid) order by c.id$$,
  $$select c.id, 'bot'::text, null::uuid, null::uuid from unnest(array[md5('bad')::uuid, md5('bot')::uuid]) c (id) order by c.id$$,
  'a conversation is nobody''s');
select is(pg_temp.reads('mia', format('public.recruiting_conversations where id = %L', md5('bad')::uuid)), 1::bigint, 'managers read it still');
select results_eq(
  $$select o.message_id, o.state, o.reason from public.text_outbox o
    where o.message_id in (md5('sent')::uuid, md5('waits')::uuid, md5('bot waits')::uuid, md5('good waits')::uuid)
    order by o.ordinal$$,
  $$values (md5('sent')::uuid, 'accepted', null), (md5('waits')::uuid, 'refused', 'lead_returned'),
    (md5('bot waits')::uuid, 'refused', 'lead_returned'), (md5('good waits')::uuid, 'pending', null)$$,
  'texts that wait are refused, those of other recruits are not');
select is(
  (select s.state || ' ' || s.reason from public.bot_sessions s where s.conversation_id = md5('bot')::uuid), 'stopped no_lead',
  'the bot says nothing more');
select is_empty('select from private.waiting_greetings where lead_id = md5(''bad'')::uuid', 'nobody is greeted');
select results_eq(
  $$select n.lead_id is not null, coalesce(n.lead_id, n.conversation_id) from public.agent_notifications n
    where n.agent_id = md5('ann')::uuid and n.read_at is null and n.kind in ('lead', 'text') order by 1$$,
  $$values (false, md5('good')::uuid), (true, md5('good')::uuid)$$, 'the notifications of it count as read');

-- Later
select throws_ok(
  format('select public.return_lead(%L, %L)', md5('bad')::uuid, 'again'), 'PT409', 'lead_id: the lead was returned before', 'once');
select throws_ok(
  format('select public.assign_leads(%L, lead_id => %L)', md5('cal')::uuid, md5('bad')::uuid), 'PT409',
  'lead_id: the lead was returned', 'it is given to nobody');
select is(
  pg_temp.ingest_lead(pg_temp.key_of('vendor'), '{"first_name": "bad", "vendor_lead_id": "bad"}'),
  jsonb_build_object('id', md5('bad')::uuid, 'status', 'duplicate'), 'sent again, it is a duplicate');
select is(public.distribute_waiting_leads(100, md5('vendor')::uuid), 0, 'it waits for no order');
select is(
  (select distribution from public.recruiting_leads where id = md5('bad')::uuid), 'returned', 'and nothing brings it back');
select is(
  public.receive_sms((select phone from public.recruiting_leads where id = md5('bad')::uuid), '+19995550199', 'SM1', 'Hello', '[]'),
  '{"status": "received"}', 'a text of the recruit is stored');
select results_eq(
  $$select a.first_name from public.agent_notifications n join public.agents a on a.id = n.agent_id
    join public.recruiting_messages m on m.id = n.message_id where m.provider_message_id = 'SM1'$$,
  $$values ('mia')$$, 'and a manager is notified');
select is(
  left(pg_temp.result_as('mia', format('select public.start_conversation(%L)', md5('bad')::uuid)), 5), 'PT404',
  'nobody begins a conversation about it');
select is(
  pg_temp.send('next') #>> '{distributed_to,agent_id}', md5('ann')::uuid::text, 'the order gets another lead');
select is(pg_temp.order_of(), '3 filled 3', 'and is filled again');

select is(
  (select public.export_person(l.phone) #>> '{recruiting_leads,0,returned,reason}' from public.recruiting_leads l
    where l.id = md5('bad')::uuid), 'wrong number', 'who asks what is held of him reads why');

-- An operator who is signed in, and an order that people have closed
update public.recruiting_orders set status = 'closed' where id = md5('order')::uuid;
select is(
  pg_temp.result_as('visitor', format($$select public.return_lead(%L, 'no agent') ->> 'agent'$$, md5('good')::uuid)), 'ann',
  'an operator who is signed in returns a lead');
select is(pg_temp.order_of(), '2 closed 2', 'an order that is closed stays so');
select results_eq(
  $$select a.action, a.subject from public.operator_actions a where a.user_id = md5('user visitor')::uuid$$,
  $$select 'lead return'::text, jsonb_build_object('lead_id', md5('good')::uuid)$$, 'who did it is kept');
select is_empty('select * from public.recount_orders()', 'a recount still agrees');

-- A greeting that a worker is about to queue, and an order that has ended
update public.vendors set has_text_consent = true where id = md5('vendor')::uuid;
insert into public.recruiting_orders (id, agency_id, vendor_id, quantity, priority, starts_at, greeting_template)
values (md5('ended')::uuid, md5('agency')::uuid, md5('vendor')::uuid, 1, 1000, now() - interval '1 day',
  'Hi from {agency}. STOP ends it.');
select is(pg_temp.send('greeted') #>> '{distributed_to,agency_id}', md5('agency')::uuid::text, 'a lead with a greeting');
create temp table stale as select l as lead from public.recruiting_leads l where l.id = md5('greeted')::uuid;
update public.recruiting_orders set ends_at = now() where id = md5('ended')::uuid;
select is(
  public.return_lead(md5('greeted')::uuid, 'no agent') ->> 'order_status', 'closed', 'an order that has ended is closed, not open');
select is(pg_temp.order_of('ended'), '0 closed 0', 'and has one lead less');
select is(private.queue_greeting(lead), 'lead_returned', 'the worker has read the lead before') from stale;
select is_empty(
  $$select from public.recruiting_conversations c join stale s on (s.lead).phone = c.recruit_phone$$,
  'and greets nobody anyway');

select * from finish();
rollback;
