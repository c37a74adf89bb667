-- What is sent to destinations: which events, in what order, to how many at once, and what becomes of each.
begin;
select plan(74);
\ir ../helpers.psql

select pg_temp.create_people(), pg_temp.create_vendor('vendor', pg_temp.key_of('vendor'));
insert into public.operators (user_id) values (md5('user visitor')::uuid);
insert into public.recruiting_orders (id, agency_id, vendor_id, quantity, priority) values
  (md5('order')::uuid, md5('agency')::uuid, md5('vendor')::uuid, 1000, 1000);
update public.agents set accepts_recruits = id = md5('ann')::uuid where agency_id = md5('agency')::uuid;

create function pg_temp.send(name text) returns jsonb language sql as $$
  select pg_temp.ingest_lead(pg_temp.key_of('vendor'), jsonb_build_object(
    'id', md5(name)::uuid, 'first_name', name, 'vendor_lead_id', name,
    'vendor_metadata', jsonb_build_object('phone', '+1999' || right(translate(md5(name), 'abcdef', '123456'), 7), 'last_name', 'Ray',
      'city', 'Waco', 'zip', '76701', 'state', 'TX', 'answers', '[{"question": "Licensed?", "answer": "Yes"}]'::jsonb)))
$$;
create function pg_temp.destination(name text, changes jsonb default '{}', agency text default 'agency') returns uuid language sql as $$
  select (public.save_destination(md5(agency)::uuid, name, '{"url": "https://crm.example.com/in"}' || changes) ->> 'id')::uuid
$$;
create function pg_temp.id_of(name text) returns uuid language sql as $$
  select d.id from public.destinations d where d.name = id_of.name and d.agency_id is not null
$$;
create function pg_temp.add(lead text, event text default 'lead.distributed') returns void language sql as $$
  select private.add_dispatches(event, array[md5(lead)::uuid])
$$;
-- What a worker is given: destination, first name and event of each.
create function pg_temp.claim(max integer default 10, can_mail boolean default true) returns setof text language sql as $$
  select concat_ws(' ', d.name, c #>> '{body,data,lead,first_name}', c ->> 'event')
  from jsonb_array_elements(public.claim_dispatches(max, can_mail, false) -> 'dispatches') with ordinality t (c, n)
  join public.destinations d on d.id = (c #>> '{destination,id}')::uuid
  order by n
$$;
-- Records an outcome of the dispatch of a lead that was claimed.
create function pg_temp.record(lead text, outcome text, event text default 'lead.distributed', late integer default 0,
  excerpt text default null, retry_after integer default null, destination text default null, reason text default 'HTTP 500') returns text language sql as $$
  select public.record_dispatch(p.id, p.attempt - late, outcome, 500, record.excerpt, record.reason, retry_after)
  from private.dispatches p
  join public.destinations d on d.id = p.destination_id
  where p.lead_id = md5(lead)::uuid and p.event = record.event and d.name = coalesce(record.destination, d.name)
$$;
-- The state of a dispatch, and when it is due from now on, in seconds.
create function pg_temp.shown(lead text, event text default 'lead.distributed') returns text language sql as $$
  select string_agg(concat_ws(' ', p.state, case when p.state = 'waiting' then
    round(extract(epoch from greatest(p.due_at - clock_timestamp(), '0')))::text end), ', ' order by p.seq)
  from private.dispatches p where p.lead_id = md5(lead)::uuid and p.event = shown.event
$$;
create function pg_temp.is_due(lead text) returns void language plpgsql as $$
begin
  update private.dispatches p set due_at = now() where p.lead_id = md5(lead)::uuid and p.state = 'waiting';
end
$$;
create function pg_temp.clear() returns void language plpgsql as $$
begin
  delete from private.dispatches;
  update public.destinations set failing_since = null, failures = 0;
end
$$;

-- Events
select pg_temp.send('early');
select private.deliver_notifications();
select is_empty('select from private.dispatches', 'an agency without a destination has no dispatch');
select pg_temp.destination('crm', '{"events": ["lead.distributed", "lead.returned", "lead.reassigned", "recruit.replied",
  "recruit.opted_out", "recruit.stage_changed", "recruit.erased"], "headers": {"X-Team": "red"}}');
select pg_temp.destination('other', '{}', 'elsewhere');
select pg_temp.destination('orders', jsonb_build_object('order_id', md5('order')::uuid));
insert into public.recruiting_orders (id, agency_id, quantity, status) values (md5('second')::uuid, md5('agency')::uuid, 1, 'closed');
select pg_temp.destination('second', jsonb_build_object('order_id', md5('second')::uuid));
select pg_temp.send('Lea');
select is_empty('select from private.dispatches', 'the road of a lead makes none');
select private.deliver_notifications();
select set_eq(
  $$select d.name, p.event from private.dispatches p join public.destinations d on d.id = p.destination_id$$,
  $$values ('crm', 'lead.distributed'), ('orders', 'lead.distributed')$$,
  'once its agent is notified, the destinations of the agency that want the event, and leads of the order, have one each');
create temp table claimed as select c from jsonb_array_elements(public.claim_dispatches(10, true, true) -> 'dispatches') c;
select is(
  (select (c -> 'body') - 'timestamp' #- '{data,lead,received_at}' from claimed limit 1),
  jsonb_build_object('type', 'lead.distributed', 'data', jsonb_build_object(
    'order_id', md5('order')::uuid,
    'agent', jsonb_build_object('id', md5('ann')::uuid, 'first_name', 'ann', 'last_name', null, 'email', null),
    'lead', jsonb_build_object(
      'id', md5('Lea')::uuid, 'vendor', '{"slug": "test-vendor", "name": "vendor"}'::jsonb, 'first_name', 'Lea', 'last_name', 'Ray',
      'email', null, 'phone', '+1999' || right(translate(md5('Lea'), 'abcdef', '123456'), 7), 'city', 'Waco', 'state', 'TX', 'zip', '76701',
      'answers', '[{"question": "Licensed?", "answer": "Yes"}]'::jsonb, 'has_resume', false, 'link', '/recruits/' || md5('Lea')::uuid,
      'metadata', (select l.vendor_metadata - 'answers' from public.recruiting_leads l where l.id = md5('Lea')::uuid)))),
  'the body has the lead, its order and its agent');
select is(
  (select c -> 'destination' from claimed where c #>> '{destination,id}' = pg_temp.id_of('crm')::text),
  jsonb_build_object(
    'id', pg_temp.id_of('crm'), 'kind', 'webhook', 'url', 'https://crm.example.com/in', 'push_keys', null, 'address', null, 'template', null,
    'accepted_when', null, 'rejected_when', null, 'headers', '{"X-Team": "red"}'::jsonb, 'secrets', (
      select jsonb_agg(s.secret) from private.destination_secrets s where s.destination_id = pg_temp.id_of('crm') and s.kind = 'signing')),
  'the worker gets what it needs to send it');
select pg_temp.clear();

select public.assign_leads(md5('cal')::uuid, md5('Lea')::uuid);
insert into public.service_numbers (phone, agency_id) values ('+19995550100', md5('agency')::uuid);
select pg_temp.create_conversation('talk', '+1999' || right(translate(md5('Lea'), 'abcdef', '123456'), 7), '+19995550100', 'cal', lead => 'Lea');
select public.receive_sms('+1999' || right(translate(md5('Lea'), 'abcdef', '123456'), 7), '+19995550100', 'SM1', 'Hello', '[]', gen_random_uuid(), null, now(), false);
select public.receive_sms('+1999' || right(translate(md5('Lea'), 'abcdef', '123456'), 7), '+19995550100', 'SM2', 'STOP', '[]', gen_random_uuid(), null, now(), false);
insert into public.recruit_stages (recruiting_lead_id, agency_id, stage) values (md5('Lea')::uuid, md5('agency')::uuid, 'interview');
select public.return_lead(md5('Lea')::uuid, 'wrong number');
select results_eq(
  $$select p.event, p.body #>> '{data,agent,first_name}', coalesce(p.body #>> '{data,text,body}', p.body #>> '{data,stage}', p.body #>> '{data,reason}')
    from private.dispatches p where p.destination_id = pg_temp.id_of('crm') order by p.seq$$,
  $$values ('lead.reassigned', 'cal', null), ('recruit.replied', 'cal', 'Hello'), ('recruit.replied', 'cal', 'STOP'),
    ('recruit.opted_out', 'cal', null), ('recruit.stage_changed', 'cal', 'interview'), ('lead.returned', 'cal', 'wrong number')$$,
  'what becomes of the lead is an event each, with what it is about');
select pg_temp.clear();

-- Order and claims
select pg_temp.send(name) from unnest(array['a', 'b', 'c', 'd', 'e', 'f']) name;
delete from private.lead_notifications_due;
delete from public.destinations where name in ('orders', 'second', 'other');
select pg_temp.add('a'), pg_temp.add('a', 'recruit.replied'), pg_temp.add('b');
select is(array(select pg_temp.claim()), '{crm a lead.distributed,crm b lead.distributed}', 'of a lead the first event is claimed alone');
select is(array(select pg_temp.claim()), '{}', 'and what a worker has, no other gets');
select is(pg_temp.record('a', 'delivered'), 'delivered', 'once it is delivered,');
select is(array(select pg_temp.claim()), '{crm a recruit.replied}', 'the next one follows');
select is(pg_temp.record('b', 'retry'), 'waiting', 'one that is to be repeated');
select is(pg_temp.shown('b'), 'waiting 5', 'waits 5 s');
select pg_temp.record('a', 'delivered', 'recruit.replied'), pg_temp.add('b', 'recruit.replied');
update public.destinations set failing_since = now(), failures = 1 where name = 'crm';
select is(array(select pg_temp.claim()), '{}', 'and holds up what comes after it');
select is(pg_temp.shown('b', 'recruit.replied'), 'waiting 5', 'which is not looked at before');
select pg_temp.clear();

select pg_temp.add(name) from unnest(array['a', 'b', 'c', 'd', 'e', 'f']) name;
select is(array(select pg_temp.claim()), '{crm a lead.distributed,crm b lead.distributed,crm c lead.distributed,crm d lead.distributed}',
  'at most four at once');
select is(private.is_dispatch_due(), false, 'no worker is called for more');
select is((public.claim_dispatches(10, true, true) ->> 'next_at')::timestamptz > now() + interval '50 seconds', true,
  'the next claim is due when a lease ends');
select pg_temp.record('a', 'retry');
select is(array(select pg_temp.claim()), '{}', 'while the last attempt has failed, one at once');
select pg_temp.record(name, 'delivered') from unnest(array['b', 'c', 'd']) name;
select is(array(select pg_temp.claim()), '{crm e lead.distributed,crm f lead.distributed}', 'a success ends that');
select pg_temp.clear();

select pg_temp.destination('dead'), pg_temp.destination('works');
delete from public.destinations where name = 'crm';
update public.destinations set failing_since = now() - interval '1 hour', failures = 7 where name = 'dead';
select pg_temp.add(name) from unnest(array['a', 'b', 'c']) name;
select is(array(select pg_temp.claim(3)), '{works a lead.distributed,works b lead.distributed,works c lead.distributed}',
  'destinations that work come first');
select is(array(select pg_temp.claim(3)), '{dead a lead.distributed}', 'and those that fail one at a time');
update private.dispatches set lease_until = now() - interval '1 second' where state = 'sending';
select is((select count(*) from pg_temp.claim(10)), 4::bigint, 'when a worker has died, all that it had is claimed again');
select is((select array_agg(distinct p.attempt) from private.dispatches p where p.state = 'sending'), '{2}', 'as a second attempt of the same dispatch');
select is(pg_temp.record('a', 'retry', late => 1, destination => 'works'), 'sending', 'the late report of a failure changes nothing');
select is(pg_temp.record('a', 'delivered', late => 1, destination => 'works'), 'delivered', 'that of a delivery counts');
select is(pg_temp.record('a', 'failed', destination => 'works'), 'delivered', 'and is never taken back');
select pg_temp.clear();
delete from public.destinations where name = 'works';

-- Fairness
select pg_temp.destination(name) from unnest(array['busy', 'busier', 'fresh']) name;
select pg_temp.add(name) from unnest(array['a', 'b', 'c']) name;
delete from private.dispatches p using public.destinations d where d.id = p.destination_id and d.name in ('dead', 'fresh');
select is(array(select split_part(c, ' ', 1) from pg_temp.claim(2) c order by 1), '{busier,busy}', 'each has its share,');
select pg_temp.add('d');
delete from private.dispatches p using public.destinations d where d.id = p.destination_id and d.name in ('dead');
select is(array(select pg_temp.claim(1)), '{fresh d lead.distributed}', 'and one with nothing under way comes before those that had more to send');
delete from public.destinations where name in ('busy', 'busier', 'fresh');
select pg_temp.clear();

-- Retries
select pg_temp.add('a');
create temp table pauses (n integer, shown text);
do $$
begin
  for n in 1..8 loop
    perform pg_temp.is_due('a');
    perform pg_temp.claim();
    perform pg_temp.record('a', 'retry');
    insert into pauses values (n, pg_temp.shown('a'));
  end loop;
end
$$;
select is((select array_agg(shown order by n) from pauses),
  '{waiting 5,waiting 300,waiting 1800,waiting 7200,waiting 18000,waiting 36000,waiting 36000,failed}',
  'seven pauses, and then it has failed');
select is(
  (select e ->> 'detail' from json_array_elements(public.show_lead(md5('a')::uuid) -> 'timeline') e where e ->> 'event' = 'to the destination dead'),
  'lead.distributed, failed, attempt 8, HTTP 500', 'the lead shows it');
select is(public.retry_dispatches(array(select id from private.dispatches)), 1, 'a person has it sent again,');
select is(array(select pg_temp.claim()), '{dead a lead.distributed}', 'at once');
select pg_temp.record('a', 'retry', retry_after => 60);
select is(pg_temp.shown('a'), 'waiting 60', 'the pauses begin again; the receiver''s wish counts where it is longer,');
select pg_temp.is_due('a');
select count(*) from pg_temp.claim();
select pg_temp.record('a', 'retry', retry_after => 1000000);
select is(pg_temp.shown('a'), 'waiting 86400', 'up to a day');
select throws_ok($$select pg_temp.record('a', 'lost')$$, '22023', null, 'an unknown outcome is refused');
select pg_temp.clear();

-- 410, and five days
select pg_temp.add('a'), pg_temp.add('b');
select count(*) from pg_temp.claim(1);
select is(pg_temp.record('a', 'gone'), 'failed', 'a receiver that is gone gets nothing more:');
select results_eq($$select is_on, off_reason from public.destinations where name = 'dead'$$, $$values (false, 'The receiver answered 410 Gone.')$$,
  'its destination is off');
select is(array(select pg_temp.claim()), '{}', 'what waits is not claimed');
select pg_temp.add('c');
select is(pg_temp.shown('c'), 'waiting 0', 'and what happens is kept');
select public.set_destination_state(pg_temp.id_of('dead'), true);
select is(array(select c from pg_temp.claim() c order by c), '{dead b lead.distributed,dead c lead.distributed}', 'until somebody switches it on');
select pg_temp.clear();
update public.destinations set failing_since = now() - interval '4 days 23 hours', failures = 9 where name = 'dead';
select pg_temp.add('a');
select count(*) from pg_temp.claim();
select pg_temp.record('a', 'retry');
select ok((select is_on from public.destinations where name = 'dead'), 'before five days it stays on,');
update public.destinations set failing_since = now() - interval '5 days' where name = 'dead';
select pg_temp.is_due('a');
select count(*) from pg_temp.claim();
select pg_temp.record('a', 'retry');
select is((select off_reason from public.destinations where name = 'dead'), 'Nothing but failures for five days.', 'then it is off');
select results_eq(
  $$select n.agent_id, n.reason from public.agent_notifications n where n.kind = 'destination_off' order by n.created_at$$,
  $$values (md5('mia')::uuid, 'dead'), (md5('mia')::uuid, 'dead')$$, 'each time the managers of the agency are notified');
create function pg_temp.found() returns setof text language sql as $$
  select concat_ws(' ', f.subject_name, f.problem) from private.found_alerts(now()) f where f.kind = 'destination_failing'
$$;
select is(array(select pg_temp.found()), '{destination dead of agency switched off: Nothing but failures for five days}', 'and operators by an alert');
update public.destinations set is_on = true, off_reason = null, failing_since = now() - interval '1 hour', failures = 4 where name = 'dead';
select is(array(select pg_temp.found()), '{}', 'a destination that is on has no alert after four failures,');
update public.destinations set failures = 5 where name = 'dead';
select matches(array_to_string(array(select pg_temp.found()), ','), '^destination dead of agency 5 failures and no success since ', 'but after five in an hour,');
update public.destinations set failing_since = now() - interval '59 minutes' where name = 'dead';
select is(array(select pg_temp.found()), '{}', 'not sooner');
select pg_temp.clear();
delete from public.destinations where name = 'dead';

-- What the receiver rejects
select pg_temp.destination('strict', '{"returns_rejected": true}');
select pg_temp.add('a');
select count(*) from pg_temp.claim();
select is(pg_temp.record('a', 'rejected', reason => 'duplicate in our CRM', excerpt => '{}'), 'rejected', 'a receiver rejects a lead');
select results_eq(
  $$select l.distribution, r.reason, r.returned_by from public.recruiting_leads l join public.lead_returns r on r.recruiting_lead_id = l.id
    where l.id = md5('a')::uuid$$,
  $$values ('returned', 'duplicate in our CRM', 'strict')$$, 'which is returned, with the receiver''s words');
select is(pg_temp.shown('a', 'lead.returned'), 'waiting 0', 'and the receiver gets the event');
select pg_temp.create_conversation('talk b', '+19995550201', '+19995550100', 'ann', lead => 'b');
select pg_temp.add_text('leaves', 'talk b', state => 'sending');
select pg_temp.add('b');
select count(*) from pg_temp.claim();
select is(pg_temp.record('b', 'rejected', reason => 'HTTP 422'), 'rejected', 'while a text to the recruit is being sent,');
select is((select distribution from public.recruiting_leads where id = md5('b')::uuid), 'distributed', 'the lead is not returned yet');
update public.text_outbox set state = 'accepted' where message_id = md5('leaves')::uuid;
update private.dispatches set return_due_at = now() where return_due_at is not null;
select is(private.return_rejected_leads(), 1, 'but soon after');
select is((select reason from public.lead_returns where recruiting_lead_id = md5('b')::uuid), 'rejected by the receiver', 'also without words');
create function pg_temp.retry(name text) returns integer language sql as $$
  select public.retry_dispatches(array(select p.id from private.dispatches p where p.lead_id = md5(name)::uuid))
$$;
select is(pg_temp.retry('b'), 0, 'a lead that the agency no longer has is not sent again,');
update private.dispatches set state = 'failed', ended_at = now(), lease_until = null where event = 'lead.returned';
select is(pg_temp.retry('b'), 1, 'but that it was returned is');
update public.recruiting_leads set distribution = 'distributed', distributed_at = now(), agency_id = md5('elsewhere')::uuid where id = md5('b')::uuid;
select is(pg_temp.retry('b'), 0, 'nor where another agency has it');
select pg_temp.clear();

-- Erasure
select pg_temp.add('c'), pg_temp.add('c', 'recruit.erased');
select count(*) from pg_temp.claim();
select pg_temp.record('c', 'delivered');
delete from private.dispatches where event = 'recruit.erased';
select pg_temp.add('c', 'lead.returned'), pg_temp.add('d');
select public.erase_person(l.phone) from public.recruiting_leads l where l.id = md5('c')::uuid;
select results_eq(
  $$select p.event, p.state, p.body -> 'data' from private.dispatches p where p.lead_id = md5('c')::uuid order by p.seq$$,
  $$values ('lead.distributed', 'delivered', null), ('lead.returned', 'cancelled', null),
    ('recruit.erased', 'waiting', jsonb_build_object('lead', jsonb_build_object('id', md5('c')::uuid)))$$,
  'what waits about an erased person is cancelled, what was sent is emptied, and who got it learns it, by the id alone');
select public.erase_person(l.phone) from public.recruiting_leads l where l.id = md5('d')::uuid;
select is(pg_temp.shown('d', 'recruit.erased'), null, 'who got nothing learns nothing');
select pg_temp.clear();
select pg_temp.add('e');
select count(*) from pg_temp.claim();
select public.erase_person(l.phone) from public.recruiting_leads l where l.id = md5('e')::uuid;
select is(array(select pg_temp.claim()), '{}', 'while a worker sends the person, nothing overtakes it');
select is(pg_temp.record('e', 'retry', excerpt => 'no such person'), 'cancelled', 'it is not sent again,');
select is((select p.excerpt from private.dispatches p where p.state = 'cancelled'), null, 'nothing of the response is kept');
select is(array(select pg_temp.claim()), '{strict recruit.erased}', 'and then the erasure is sent');
select pg_temp.clear();

select pg_temp.send('Kit'), pg_temp.send('Joy');
update public.recruiting_leads set distributed_at = now() - interval '31 days' where id in (md5('Kit')::uuid, md5('Joy')::uuid);
select public.erase_person(l.phone) from public.recruiting_leads l where l.id = md5('Kit')::uuid;
select is(pg_temp.shown('Kit', 'recruit.erased'), null, 'a destination that is younger got nothing');
update public.destinations set created_at = now() - interval '32 days' where name = 'strict';
select public.erase_person(l.phone) from public.recruiting_leads l where l.id = md5('Joy')::uuid;
select is(array(select pg_temp.claim()), '{strict recruit.erased}', 'whose record was pruned learns it too');
select pg_temp.clear();

-- E-mail
select public.save_destination(md5('agency')::uuid, 'inbox', '{"kind": "email", "address": "new@example.com"}');
delete from public.destinations where name = 'strict';
select pg_temp.add('f');
select is(array(select pg_temp.claim(10, false)), '{}', 'without a sender of e-mail it waits');
select is(private.is_dispatch_due(), false, 'and does not call the worker');
select is(array(select pg_temp.claim()), '{inbox f lead.distributed}', 'with one it is claimed');

select pg_temp.clear();

-- Pruning
select pg_temp.add('f');
select pg_temp.record('f', 'delivered') from pg_temp.claim();
select pg_temp.add('early');
select is(private.prune_dispatches(), 0, 'what was sent is kept');
update private.dispatches set ended_at = ended_at - interval '31 days', first_due_at = first_due_at - interval '31 days';
select is(private.prune_dispatches(), 1, 'for 30 days');
select is(pg_temp.shown('early'), 'cancelled', 'and what waits is cancelled then');
select is(
  (select sum((s ->> 'value')::numeric) from jsonb_array_elements(public.read_metrics()) s where s ->> 'name' = 'lead_intake_dispatches_open'),
  0::numeric, 'so that nothing is open');


-- What cannot be made
select pg_temp.clear(), pg_temp.destination('late'), pg_temp.send('Fay');
create function pg_temp.refuse() returns trigger language plpgsql as $$ begin raise 'it cannot be stored'; end $$;
create trigger refuse before insert on private.dispatches for each row execute function pg_temp.refuse();
select lives_ok(
  $$select private.notify_of_leads(array[md5('Fay')::uuid])$$,
  'an error in making a dispatch does not reach what makes it');
select isnt_empty($$select from public.agent_notifications where lead_id = md5('Fay')::uuid$$, 'and the agent is notified');

select * from finish();
rollback;
