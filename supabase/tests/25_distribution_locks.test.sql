-- Distribution while somebody else has locked what it needs. `operator` is a connection with an open transaction, `sender`
-- one that sends leads. What they commit is deleted at the end.
begin;
create extension if not exists dblink with schema extensions;
select plan(32);

create function pg_temp.dsn() returns text language sql as $$
  select format('host=%s port=%s dbname=%s user=postgres password=postgres',
    host(inet_server_addr()), inet_server_port(), current_database())
$$;
create function pg_temp.clean_up() returns void language plpgsql as $$
begin
  perform extensions.dblink_exec(pg_temp.dsn(), $sql$
    delete from public.recruiting_leads where vendor_id = md5('locks')::uuid;
    delete from public.recruiting_orders where vendor_id = md5('locks')::uuid;
    delete from public.agents where agency_id in (md5('locks')::uuid, md5('locks 2')::uuid);
    delete from public.agencies where id in (md5('locks')::uuid, md5('locks 2')::uuid);
    delete from public.vendors where id = md5('locks')::uuid;
  $sql$);
end
$$;
select pg_temp.clean_up();

-- Orders for any vendor would take the leads that the orders under test do not get.
create temp table open_before as select id from public.recruiting_orders where status = 'open';
create temp table setup as select extensions.dblink_exec(pg_temp.dsn(), $setup$
  update public.recruiting_orders set status = 'paused' where status = 'open';
  insert into public.agencies (id, name, timezone) values
    (md5('locks')::uuid, 'Locks', 'UTC'), (md5('locks 2')::uuid, 'Locks 2', 'UTC');
  insert into public.vendors (id, slug, name) values (md5('locks')::uuid, 'test-locks', 'Locks');
  insert into public.vendor_api_keys (vendor_id, key_hash, key_prefix)
  values (md5('locks')::uuid, encode(sha256('locks'), 'hex'), 'test');
$setup$);
select extensions.dblink_connect('operator', pg_temp.dsn()), extensions.dblink_connect('sender', pg_temp.dsn());

-- Begins again with two agents and these orders, {name: columns}.
create function pg_temp.with_orders(orders jsonb) returns void language plpgsql as $$
begin
  perform extensions.dblink_exec(pg_temp.dsn(), format($new$
    delete from public.recruiting_leads where vendor_id = md5('locks')::uuid;
    delete from public.recruiting_orders where vendor_id = md5('locks')::uuid;
    delete from public.agents where agency_id = md5('locks')::uuid;
    insert into public.agents (id, agency_id, first_name, created_at) values
      (md5('first')::uuid, md5('locks')::uuid, 'first', '2026-01-01'),
      (md5('second')::uuid, md5('locks')::uuid, 'second', '2026-01-02');
    insert into public.recruiting_orders (id, agency_id, vendor_id, agent_id, states, quantity, priority)
    select
      md5(name)::uuid, coalesce(r.agency_id, md5('locks')::uuid), md5('locks')::uuid, r.agent_id, r.states,
      coalesce(r.quantity, 100), coalesce(r.priority, 0)
    from jsonb_each(%L) o (name, columns)
    cross join jsonb_populate_record(null::public.recruiting_orders, o.columns) r;
  $new$, orders));
end
$$;
create function pg_temp.hold(statement text) returns void language plpgsql as $$
begin
  perform extensions.dblink_exec('operator', 'begin');
  perform from extensions.dblink('operator', statement) as held (ignored text);
end
$$;
create function pg_temp.let_go() returns text language sql as $$
  select extensions.dblink_exec('operator', 'rollback')
$$;
create function pg_temp.query(sql text) returns text language sql as $$
  select answer from extensions.dblink('sender', sql) as result (answer text)
$$;
-- Sends a lead and says where it went: the name of the agent, and else the distribution.
create function pg_temp.send(lead text, metadata jsonb default '{}') returns text language plpgsql as $$
begin
  perform pg_temp.query(format(
    'select public.ingest_recruiting_lead(%L, %L)', encode(sha256('locks'), 'hex'),
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
  select pg_temp.query(format('select public.distribute_pending_leads(%L)', md5(lead)::uuid))::jsonb
$$;
create function pg_temp.filled(order_name text) returns integer language sql as $$
  select pg_temp.query(format('select filled from public.recruiting_orders where id = %L', md5(order_name)::uuid))::integer
$$;

-- A locked order
select pg_temp.with_orders('{"a": {"priority": 1, "states": ["TX"]}, "b": {"states": ["TX", "OK"]}}');
select pg_temp.hold($$select id from public.recruiting_orders where id = md5('a')::uuid for update$$);
select is(pg_temp.send('1', '{"state": "TX"}'), 'first', 'a locked order is passed over');
select results_eq(
  $$select pg_temp.filled('a'), pg_temp.filled('b')$$, 'values (0, 1)', 'and the next one that matches gets the lead');
select pg_temp.let_go();
select is(pg_temp.send('2', '{"state": "TX"}'), 'second', 'afterwards it gets its leads again');
select is(pg_temp.filled('a'), 1, 'and counts them');

select pg_temp.hold($$select id from public.recruiting_orders where vendor_id = md5('locks')::uuid for no key update$$);
select is(pg_temp.send('3', '{"state": "TX"}'), 'pending', 'when all orders that match are locked the lead is pending');
select is(pg_temp.send('4', '{"state": "CA"}'), 'unmatched', 'a lead that they do not want is unmatched all the same');
select is(
  pg_temp.distribute('3'), '{"distribution": "pending", "distributed_to": null, "order_is_locked": true}',
  'it stays pending while they are locked');
select is(
  pg_temp.distribute('4'), '{"distribution": "unmatched", "distributed_to": null}',
  'the other one is answered for at once');
select pg_temp.let_go();
select is(
  pg_temp.distribute('3'),
  jsonb_build_object(
    'distribution', 'distributed',
    'distributed_to', jsonb_build_object('agency_id', md5('locks')::uuid, 'agent_id', md5('first')::uuid)),
  'when they are free again it is handed out');
select is(pg_temp.distribute('3'), pg_temp.distribute('3'), 'once: asked again, the answer is the same');
select results_eq($$select pg_temp.filled('a'), pg_temp.filled('b')$$, 'values (2, 1)', 'and it is counted once');
select is(
  pg_temp.distribute('nobody'), '{"distribution": null, "distributed_to": null}', 'a lead that does not exist');
select is(
  pg_temp.query(format('select public.distribute_pending_leads(%L, %L)', md5('3')::uuid, array[md5('4')::uuid]))::jsonb
    #> array['others', md5('4')::uuid::text],
  '{"distribution": "unmatched", "distributed_to": null}', 'one call may ask about several leads');

select pg_temp.with_orders('{"a": {}}');
select pg_temp.hold($$select id from public.recruiting_orders where id = md5('a')::uuid for key share$$);
select is(pg_temp.send('1'), 'first', 'a lead written by hand, whose foreign key locks the order, is in nobody''s way');
select pg_temp.let_go();
select pg_temp.hold($$select id from public.agencies where id = md5('locks')::uuid for update$$);
select is(pg_temp.send('2'), 'pending', 'with its agency locked, an order counts as locked');
select pg_temp.let_go();
select pg_temp.distribute('2');
select pg_temp.hold($$update public.recruiting_orders set status = 'closed' where id = md5('a')::uuid returning ''$$);
select is(pg_temp.send('3'), 'pending', 'while an order is being closed its lead is pending');
select extensions.dblink_exec('operator', 'commit');
select pg_temp.distribute('3');
select is(pg_temp.went_to('3'), 'unmatched', 'and unmatched once it is closed');

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
  'other', jsonb_build_object('agency_id', md5('locks 2')::uuid)));
select pg_temp.hold($$select id from public.agents where id = md5('first')::uuid for update$$);
select is(pg_temp.send('1'), 'distributed', 'when the agent whom an order names is locked, another order gets the lead');
select results_eq(
  $$select pg_temp.filled('named'), pg_temp.filled('other')$$, 'values (0, 1)', 'and no other agent of the agency');
select pg_temp.let_go();

-- Other leads
select pg_temp.with_orders('{"a": {"quantity": 2}}');
select extensions.dblink_exec(pg_temp.dsn(), $$
  insert into public.recruiting_leads (id, vendor_id, first_name, distribution, created_at) values
    (md5('younger')::uuid, md5('locks')::uuid, 'younger', 'pending', now() - interval '1 minute'),
    (md5('older')::uuid, md5('locks')::uuid, 'older', 'pending', now() - interval '2 minutes')
$$);
select pg_temp.hold($$select id from public.recruiting_leads where id = md5('older')::uuid for update$$);
select is(pg_temp.send('new'), 'second', 'what dead requests have left pending is handed out before a new lead');
select results_eq(
  $$select pg_temp.went_to('younger'), pg_temp.went_to('older')$$, $$values ('first', 'pending')$$,
  'except a lead that is locked');
select pg_temp.let_go();
select is(pg_temp.send('unwanted'), 'unmatched', 'a lead that no order wants');
select is(pg_temp.went_to('older'), 'unmatched', 'takes pending leads along too');

-- The distribution lock
select pg_temp.with_orders('{"a": {}}');
select pg_temp.hold($$select private.take_distribution_lock()$$);
select is(pg_temp.send('1'), 'pending', 'a lead does not wait for a distribution that does not end');
select is(
  pg_temp.distribute('1'), '{"distribution": "pending", "distributed_to": null}', 'nor does the question where it went');
select pg_temp.let_go();
select is(pg_temp.send('2'), 'second', 'the next lead');
select is(pg_temp.went_to('1'), 'first', 'takes it along');

select extensions.dblink_disconnect('operator'), extensions.dblink_disconnect('sender');
select extensions.dblink_exec(pg_temp.dsn(), format(
  'update public.recruiting_orders set status = ''open'' where id = any (%L)', array(select id from open_before)));
select pg_temp.clean_up();
select * from finish();
rollback;
