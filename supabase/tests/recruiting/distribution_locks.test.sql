-- Distribution while somebody else has locked what it needs. `operator` is a connection with an open transaction,
-- `sender` one that sends leads. What they commit is deleted at the end.
begin;
create extension if not exists dblink with schema extensions;
select plan(68);
\ir ../helpers.psql

-- Orders for any vendor would take the leads that the orders under test do not get.
create temp table open_before as select id from public.recruiting_orders where status = 'open';
select pg_temp.commit($$update public.recruiting_orders set status = 'paused' where status = 'open'$$);
select pg_temp.create_committed('locks'), pg_temp.create_committed('elsewhere');
select extensions.dblink_connect('sender', pg_temp.dsn());

-- Begins again with two agents and these orders, {name: columns}.
create function pg_temp.with_orders(orders jsonb) returns void language sql as $$
  select pg_temp.commit(format($new$
    delete from public.recruiting_leads where vendor_id = md5('locks')::uuid;
    delete from public.recruiting_orders where vendor_id = md5('locks')::uuid;
    delete from public.agents where agency_id = md5('locks')::uuid;
    insert into public.agents (id, agency_id, first_name, created_at) values
      (md5('first')::uuid, md5('locks')::uuid, 'first', '2026-01-01'),
      (md5('second')::uuid, md5('locks')::uuid, 'second', '2026-01-02');
    insert into public.recruiting_orders (
      id, agency_id, vendor_id, agent_id, states, quantity, daily_cap, priority)
    select
      md5(name)::uuid, coalesce(r.agency_id, md5('locks')::uuid), md5('locks')::uuid, r.agent_id, r.states,
      coalesce(r.quantity, 100), r.daily_cap, coalesce(r.priority, 0)
    from jsonb_each(%L) o (name, columns)
    cross join jsonb_populate_record(null::public.recruiting_orders, o.columns) r;
  $new$, orders))
$$;
create function pg_temp.query(sql text) returns text language sql as $$
  select answer from extensions.dblink('sender', sql) as result (answer text)
$$;
-- Sends a lead and says where it went: the name of the agent, and else the distribution.
create function pg_temp.send(lead text, metadata jsonb default '{}') returns text language plpgsql as $$
begin
  perform pg_temp.query(pg_temp.ingest_query(
    pg_temp.key_of('locks'),
    jsonb_build_object('id', md5(lead)::uuid, 'first_name', lead, 'vendor_metadata', metadata)));
  return pg_temp.went_to(lead);
end
$$;
create function pg_temp.went_to(lead text) returns text language sql as $$
  select pg_temp.query(format(
    'select coalesce(a.first_name, l.distribution) from public.recruiting_leads l
     left join public.agents a on a.id = l.agent_id where l.id = %L', md5(lead)::uuid))
$$;
create function pg_temp.distribute(lead text) returns jsonb language sql as $$
  select answer -> 'leads' -> md5(lead)::uuid::text
    || case when (answer -> 'order_is_locked')::boolean then '{"order_is_locked": true}' else '{}' end::jsonb
  from (
    select pg_temp.query(format('select public.distribute_pending_leads(array[%L::uuid])', md5(lead)::uuid))::jsonb as answer
  ) asked
$$;
create function pg_temp.filled(order_name text) returns integer language sql as $$
  select pg_temp.query(format('select filled from public.recruiting_orders where id = %L', md5(order_name)::uuid))::integer
$$;

-- A locked order
select pg_temp.with_orders('{"a": {"priority": 1, "states": ["TX"]}, "b": {"states": ["TX", "OK"]}}');
select pg_temp.hold($$select id from public.recruiting_orders where id = md5('a')::uuid for update$$);
select is(pg_temp.send('1', '{"state": "TX"}'), 'first', 'a locked order is passed over');
select results_eq($$select pg_temp.filled('a'), pg_temp.filled('b')$$, 'values (0, 1)', 'and the next one that matches gets the lead');
select pg_temp.let_go();
select is(pg_temp.send('2', '{"state": "TX"}'), 'second', 'afterwards it gets its leads again');
select is(pg_temp.filled('a'), 1, 'and counts them');

select pg_temp.hold($$select id from public.recruiting_orders where vendor_id = md5('locks')::uuid for no key update$$);
select is(pg_temp.send('3', '{"state": "TX"}'), 'pending', 'when all orders that match are locked the lead is pending');
select is(pg_temp.send('4', '{"state": "CA"}'), 'unmatched', 'a lead that they do not want is unmatched anyway');
select is(
  pg_temp.distribute('3'), '{"distribution": "pending", "distributed_to": null, "order_is_locked": true}',
  'it stays pending while they are locked');
select is(pg_temp.distribute('4'), '{"distribution": "unmatched", "distributed_to": null}', 'the other one is answered for at once');
select pg_temp.let_go();
select is(
  pg_temp.distribute('3'),
  jsonb_build_object(
    'distribution', 'distributed',
    'distributed_to', jsonb_build_object('agency_id', md5('locks')::uuid, 'agent_id', md5('first')::uuid)),
  'when they are free again it is distributed');
select is(pg_temp.distribute('3'), pg_temp.distribute('3'), 'once: asked again, the answer is the same');
select results_eq($$select pg_temp.filled('a'), pg_temp.filled('b')$$, 'values (2, 1)', 'and it is counted once');
select is(pg_temp.distribute('nobody'), '{"distribution": null, "distributed_to": null}', 'a lead that does not exist');
select is(
  pg_temp.query(format('select public.distribute_pending_leads(%L)', array[md5('3')::uuid, md5('4')::uuid]))::jsonb
    #> array['leads', md5('4')::uuid::text],
  '{"distribution": "unmatched", "distributed_to": null}', 'one call may ask about several leads');

select pg_temp.with_orders('{"a": {}}');
select pg_temp.hold($$select id from public.recruiting_orders where id = md5('a')::uuid for key share$$);
select is(pg_temp.send('1'), 'first', 'a lock that only keeps the order from being deleted is in nobody''s way');
select pg_temp.let_go();
select pg_temp.hold($$select id from public.agencies where id = md5('locks')::uuid for update$$);
select is(pg_temp.send('2'), 'pending', 'with its agency locked, an order counts as locked');
select pg_temp.let_go();
select pg_temp.distribute('2');
select pg_temp.hold($$update public.recruiting_orders set status = 'closed' where id = md5('a')::uuid returning ''$$);
select is(pg_temp.send('3'), 'pending', 'while an order is being closed its lead is pending');
select pg_temp.let_go('commit');
select pg_temp.distribute('3');
select is(pg_temp.went_to('3'), 'unmatched', 'and unmatched once it is closed');

-- A lead that an operator gives to an order, or takes away, counts under the cap once that is committed.
select pg_temp.with_orders('{"a": {"daily_cap": 2}}');
select pg_temp.hold($$insert into public.recruiting_leads (id, vendor_id, first_name, agency_id, order_id, distributed_at)
  values (md5('by hand')::uuid, md5('locks')::uuid, 'Ada', md5('locks')::uuid, md5('a')::uuid, now()) returning ''$$);
select is(pg_temp.send('1'), 'pending', 'while an operator gives an order a lead, the order counts as locked');
select pg_temp.let_go('commit');
select is(pg_temp.send('2'), 'unmatched', 'the operator''s lead counts: the cap of 2 leaves place for the first one');
select is(pg_temp.went_to('1'), 'first', 'which goes before the second one');
select pg_temp.hold($$delete from public.recruiting_leads where id = md5('by hand')::uuid returning ''$$);
select is(pg_temp.send('3'), 'unmatched', 'a lead whose deletion is not committed still counts');
select pg_temp.let_go('commit');
select is(pg_temp.send('4'), 'second', 'and does not afterwards');

-- Orders that are edited while leads wait
select pg_temp.with_orders('{"a": {"priority": 2, "quantity": 9, "states": ["TX"]}, "b": {"daily_cap": 3}, "c": {"priority": 1}}');
select pg_temp.hold($$select id from public.recruiting_orders where vendor_id = md5('locks')::uuid for update$$);
create temp table waiting as select pg_temp.send(n::text, '{"state": "TX"}') from generate_series(1, 10) n;
select is(
  pg_temp.query($$select count(*) from public.recruiting_leads where vendor_id = md5('locks')::uuid and distribution = 'pending'$$),
  '10', 'ten leads wait');
select pg_temp.let_go($$
  update public.recruiting_orders set quantity = 2 where id = md5('a')::uuid;
  update public.recruiting_orders set priority = 1 where id = md5('b')::uuid;
  update public.recruiting_orders set priority = 0, quantity = 3, daily_cap = 4 where id = md5('c')::uuid;
  commit$$);
select pg_temp.distribute('1');
select results_eq(
  $$select pg_temp.filled('a'), pg_temp.filled('b'), pg_temp.filled('c')$$, 'values (2, 3, 3)',
  'they go by what the orders say then: quantity, cap and priority');
select results_eq(
  $$select l::text, pg_temp.went_to(l::text) from generate_series(1, 10) l order by 1$$,
  $$values ('1', 'first'), ('10', 'unmatched'), ('2', 'second'), ('3', 'first'), ('4', 'second'), ('5', 'first'),
    ('6', 'second'), ('7', 'first'), ('8', 'second'), ('9', 'unmatched')$$,
  'the oldest first, by turns through all orders');
select is(
  pg_temp.query($$select status from public.recruiting_orders where id = md5('a')::uuid$$), 'filled',
  'an order that is full is filled');

-- A locked agent
select pg_temp.with_orders('{"a": {}}');
select pg_temp.hold($$select id from public.agents where id = md5('first')::uuid for update$$);
select is(pg_temp.send('1'), 'second', 'an agent who is locked is passed over');
select pg_temp.let_go();
select is(pg_temp.send('2'), 'first', 'and is the next one afterwards');
select pg_temp.hold($$select id from public.agents where agency_id = md5('locks')::uuid for update$$);
select is(pg_temp.send('3'), 'pending', 'when all agents are locked the order counts as locked');
select is(pg_temp.filled('a'), 2, 'and counts nothing');
select pg_temp.let_go();
select pg_temp.distribute('3');
select is(pg_temp.went_to('3'), 'second', 'the turns go on as before');

select pg_temp.with_orders(jsonb_build_object(
  'named', jsonb_build_object('priority', 1, 'agent_id', md5('first')::uuid),
  'other', jsonb_build_object('agency_id', md5('elsewhere')::uuid)));
select pg_temp.hold($$select id from public.agents where id = md5('first')::uuid for update$$);
select is(pg_temp.send('1'), 'distributed', 'when the agent whom an order names is locked, another order gets the lead');
select results_eq($$select pg_temp.filled('named'), pg_temp.filled('other')$$, 'values (0, 1)', 'and no other agent of the agency');
select pg_temp.let_go();

-- A locked table, as while an index is created
select pg_temp.with_orders('{"a": {}}');
select pg_temp.hold('lock table public.agents in share mode');
select is(pg_temp.send('1'), 'pending', 'while a table that distribution writes is locked a lead is pending');
select is(
  pg_temp.distribute('1'), '{"distribution": "pending", "distributed_to": null, "order_is_locked": true}',
  'and said to wait for the one that has locked it');
create temp table began as select clock_timestamp() as at;
select throws_ok(
  $$select pg_temp.query('select public.distribute_waiting_leads(1)')$$, '55P03', null,
  'an operator who distributes leads is told so');
select ok(clock_timestamp() - (select at from began) < interval '3 seconds', 'and does not keep all others waiting for it');
select pg_temp.let_go();
select pg_temp.distribute('1');
select is(pg_temp.went_to('1'), 'first', 'afterwards the lead is distributed');

-- Other leads
select pg_temp.with_orders('{"a": {"quantity": 2}}');
select pg_temp.commit($$
  insert into public.recruiting_leads (id, vendor_id, first_name, distribution, created_at) values
    (md5('younger')::uuid, md5('locks')::uuid, 'younger', 'pending', now() - interval '1 minute'),
    (md5('older')::uuid, md5('locks')::uuid, 'older', 'pending', now() - interval '2 minutes')
$$);
select pg_temp.hold($$select id from public.recruiting_leads where id = md5('older')::uuid for update$$);
select is(pg_temp.send('new'), 'second', 'what dead requests have left pending is distributed before a new lead');
select results_eq(
  $$select pg_temp.went_to('younger'), pg_temp.went_to('older')$$, $$values ('first', 'pending')$$,
  'except a lead that is locked');
select pg_temp.let_go();
select is(pg_temp.send('unwanted'), 'unmatched', 'a lead that no order wants');
select is(pg_temp.went_to('older'), 'unmatched', 'takes pending leads along too');

-- The distribution lock
select pg_temp.with_orders('{"a": {}}');
select pg_temp.hold($$select pg_advisory_xact_lock(private.distribution_lock())::text$$);
select is(pg_temp.send('1'), 'pending', 'a lead does not wait for a distribution that does not end');
select is(pg_temp.distribute('1'), '{"distribution": "pending", "distributed_to": null}', 'nor does the question where it went');
select pg_temp.let_go();
select is(pg_temp.send('2'), 'second', 'the next lead');
select is(pg_temp.went_to('1'), 'first', 'takes it along');

-- Leads that are left pending do not wait for the disk.
select pg_temp.with_orders('{"a": {}}');
create function pg_temp.ingest(variadic leads text[]) returns text language sql as $$
  select format(
    'select string_agg(coalesce(r ->> ''distribution'', ''done''), '' '') '
      || 'from jsonb_array_elements(public.ingest_recruiting_leads(%L)) r',
    jsonb_agg(jsonb_build_object('key_hash', pg_temp.key_of('locks'), 'lead', jsonb_build_object(
      'id', md5(lead)::uuid, 'first_name', lead,
      'vendor_metadata', case when lead = 'test' then '{"is_test": true}' else '{}' end::jsonb))))
  from unnest(leads) lead
$$;
create function pg_temp.where_is(lead text) returns text language sql as $$
  select format(
    'select public.distribute_pending_leads(array[%L::uuid]) #>> ''{leads,%s,distribution}''', md5(lead)::uuid, md5(lead)::uuid)
$$;
-- Runs the statements in one transaction of the sender, and returns what each of them says.
create function pg_temp.in_one_transaction(variadic statements text[]) returns text[] language plpgsql as $$
declare
  answers text[];
begin
  perform extensions.dblink_exec('sender', 'begin');
  for i in 1..cardinality(statements) loop
    answers := answers || pg_temp.query(statements[i]);
  end loop;
  perform extensions.dblink_exec('sender', 'commit');
  return answers;
end
$$;
select is(
  pg_temp.in_one_transaction(pg_temp.ingest('alone'), 'show synchronous_commit'), array['done', 'on'],
  'a lead that is distributed is on disk when its result comes');
select pg_temp.hold($$select pg_advisory_xact_lock(private.distribution_lock())::text$$);
select is(
  pg_temp.in_one_transaction(pg_temp.ingest('left'), 'show synchronous_commit'), array['pending', 'off'],
  'a lead that does not get the lock does not wait for the disk, and its result says so');
select is(
  pg_temp.in_one_transaction(pg_temp.ingest('left too', 'and this one'), 'show synchronous_commit'),
  array['pending pending', 'off'], 'nor do several');
select is(
  pg_temp.in_one_transaction(pg_temp.ingest('with a test', 'test'), 'show synchronous_commit'),
  array['pending done', 'on'], 'unless nobody would wait for the disk for one of them');
select pg_temp.let_go();
select is(
  pg_temp.in_one_transaction(pg_temp.where_is('left'), 'show synchronous_commit'),
  array['distributed', 'on'], 'the question where it went waits for the disk');
-- Without anything written, a commit would not wait for the disk.
select is(
  pg_temp.in_one_transaction(pg_temp.where_is('left'), 'select (pg_current_xact_id_if_assigned() is not null)::text'),
  array['distributed', 'true'], 'also when somebody else has distributed it');

select is(pg_temp.went_to('left') || ' ' || pg_temp.went_to('left too'), 'second first', 'all are distributed, by turns');
select is(pg_temp.filled('a'), 5, 'and counted once');
select is(pg_temp.query(pg_temp.ingest('left')), 'done', 'the same call again says that the lead has been distributed');

-- A locked table, as `create index` takes it
select pg_temp.with_orders('{"a": {}}');
select pg_temp.commit($$ update public.recruiting_orders set greeting_template = '{agency} STOP' where id = md5('a')::uuid $$);
create function pg_temp.send_during(locked text) returns text language plpgsql as $$
begin
  perform pg_temp.hold(format('lock table %s in share mode', locked));
  perform pg_temp.query(pg_temp.ingest_query(
    pg_temp.key_of('locks'), jsonb_build_object('id', md5(locked)::uuid, 'first_name', locked)));
  perform pg_temp.let_go();
  return pg_temp.query(format('select distribution from public.recruiting_leads where id = %L', md5(locked)::uuid));
end
$$;
select is(pg_temp.send_during(locked), 'pending', 'a lead is pending when it meets a lock of ' || locked)
from unnest(array[
  'public.recruiting_orders', 'public.agents', 'private.recruiting_order_days', 'private.recruiting_order_choices',
  'private.waiting_greetings']) locked;
select is(pg_temp.send('afterwards'), 'second', 'the first lead afterwards');
select is(pg_temp.filled('a'), 6, 'takes all of them along');

-- The same lead in a transaction that is not committed
select pg_temp.with_orders('{"a": {}}');
create function pg_temp.send_again() returns text language sql as $$
  select pg_temp.query(pg_temp.ingest_query(pg_temp.key_of('locks'),
    jsonb_build_object('id', md5('again')::uuid, 'first_name', 'Ada', 'vendor_lead_id', 'same')))::jsonb ->> 'status'
$$;
select pg_temp.hold($$insert into public.recruiting_leads (vendor_id, vendor_lead_id, first_name)
  values (md5('locks')::uuid, 'same', 'Ada') returning ''$$);
select throws_ok('select pg_temp.send_again()', '55P03', null, 'a lead that an operator stores at this moment is to be sent again');
select is(pg_temp.filled('a'), 0, 'it is not counted');
select is(pg_temp.send('other'), 'first', 'other leads are distributed meanwhile');
select pg_temp.let_go();
select is(pg_temp.send_again(), 'created', 'sent again when the operator has given up, it is created');
select pg_temp.query($$delete from public.recruiting_leads where vendor_lead_id = 'same'$$ || ' returning id');
select pg_temp.hold($$insert into public.recruiting_leads (vendor_id, vendor_lead_id, first_name)
  values (md5('locks')::uuid, 'same', 'Ada') returning ''$$);
select pg_temp.let_go('commit');
select is(pg_temp.send_again(), 'duplicate', 'when the operator has stored it, it is a duplicate');

select extensions.dblink_disconnect('sender');
select is_empty('select * from public.check_daily_counts()', 'after all this the kept counts of the days are right');
select pg_temp.commit(format(
  'update public.recruiting_orders set status = ''open'' where id = any (%L)', array(select id from open_before)));
select pg_temp.remove_committed('locks'), pg_temp.remove_committed('elsewhere');
select * from finish();
rollback;
