-- check_service(): what is wrong, and what only looks so.
begin;
select plan(52);
\ir ../helpers.psql

select is_empty('select * from public.check_service()', 'all is well with the seed');

update public.recruiting_orders set status = 'paused';
select pg_temp.create_agency('agency', 'America/Chicago', 'ann', 'bob'), pg_temp.create_vendor('vendor', repeat('a', 64));
insert into public.recruiting_orders (id, agency_id, vendor_id, quantity)
values (md5('order')::uuid, md5('agency')::uuid, md5('vendor')::uuid, 100);
create function pg_temp.set_order(changes text) returns void language plpgsql as $$
begin
  execute format('update public.recruiting_orders set %s where id = md5(''order'')::uuid', changes);
end
$$;
-- Leads at these times before now.
create function pg_temp.arrive(variadic ago interval[]) returns void language plpgsql as $$
begin
  insert into public.recruiting_leads (vendor_id, first_name, created_at)
  select md5('vendor')::uuid, 'Ada', now() - a from unnest(ago) a;
end
$$;
create function pg_temp.reject(vendor text, status text) returns void language plpgsql as $$
begin
  insert into public.rejected_deliveries (request_id, route, code, reason, payload_bytes, vendor_id, status)
  values ('r', '/', 'BAD_REQUEST', 'no name', 1, md5(vendor)::uuid, status);
end
$$;
create function pg_temp.wait(distribution text, ago interval, state text default null) returns void language plpgsql as $$
begin
  insert into public.recruiting_leads (vendor_id, first_name, distribution, created_at, vendor_metadata)
  values (md5('vendor')::uuid, 'Ada', wait.distribution, now() - ago, jsonb_build_object('state', state));
end
$$;
create function pg_temp.receive(body text) returns void language plpgsql as $$
begin
  insert into public.unmatched_texts (recruit_phone, service_phone, body) values ('+19995550001', '+19995550100', receive.body);
end
$$;
-- A number, unless its status is null, and a text that waits to be sent from it.
create function pg_temp.text(number_status text, changes text) returns void language plpgsql as $$
begin
  insert into public.service_numbers (phone, agency_id, status)
  values (case when number_status is null then '+19995550199' else '+19995550100' end, md5('agency')::uuid, coalesce(number_status, 'active'));
  perform pg_temp.create_conversation('talk', '+19995550001', '+19995550100');
  perform pg_temp.add_text('text', 'talk');
  execute format('update public.text_outbox set %s where message_id = md5(''text'')::uuid', changes);
end
$$;

-- What is found after some statements, which are undone again. Ids are shown by their names, and times as <time>.
create function pg_temp.found(statements text) returns text language plpgsql as $$
declare
  findings text;
begin
  begin
    execute statements;
    select string_agg(format('%s %s %s: %s', f.kind, f.name, f.problem, f.command), E'\n') into findings
    from public.check_service() f;
    raise exception using errcode = 'UNDO0';
  exception when sqlstate 'UNDO0' then
    null;
  end;
  findings := replace(replace(findings, left(md5('order'), 8), '<order>'), left(md5('agency'), 8), '<agency>');
  return regexp_replace(findings, '\d{4}-\d\d-\d\d \d\d:\d\d UTC', '<time>', 'g');
end
$$;

select is(pg_temp.found(statements), finding, statements)
from (values
  -- Orders
  ($$select pg_temp.set_order('ends_at = now() - interval ''1 hour'', filled = 3')$$,
    'order <order> ended <time>, 97 of 100 leads short: order close <order>'),
  ($$select pg_temp.set_order('ends_at = now() - interval ''1 hour'', status = ''paused''')$$, null),
  ($$select pg_temp.set_order('ends_at = now() - interval ''1 hour'', filled = 100, status = ''filled''')$$, null),
  ($$select pg_temp.set_order('daily_cap = 9, filled = 1, ends_at = (now() at time zone ''America/Chicago'')::date + time ''24:00''
      at time zone ''America/Chicago'' + interval ''9 days''')$$,
    'order <order> can get 90 of its 99 missing leads until its end, by its daily cap: order update <order> --daily-cap 10'),
  ($$select pg_temp.set_order('daily_cap = 10, filled = 1, ends_at = (now() at time zone ''America/Chicago'')::date + time ''24:00''
      at time zone ''America/Chicago'' + interval ''9 days''')$$, null),
  ($$select pg_temp.set_order('daily_cap = 1')$$, null),
  ($$update public.agents set is_active = false where agency_id = md5('agency')::uuid$$,
    'order <order> gives its leads to no agent, because none of its agency is active and accepts recruits: agent list --agency <agency>'),
  ($$update public.agents set is_active = false where id = md5('ann')::uuid$$, null),
  ($$update public.vendors set is_active = false where id = md5('vendor')::uuid$$,
    'order <order> wants leads of test-vendor, which is inactive: vendor update test-vendor --active true'),
  -- Vendors
  ($$select pg_temp.arrive('4 days', '5 days', '6 days', '7 days', '8 days')$$,
    'vendor test-vendor has sent nothing since <time>; its usual gap is about 24 h: key list test-vendor'),
  ($$select pg_temp.arrive('2 days', '3 days', '4 days', '5 days', '6 days')$$, null),
  ($$select pg_temp.arrive('4 days', '5 days', '6 days', '7 days', '7 days 1 minute')$$, null),
  ($$select pg_temp.arrive('4 days', '5 days', '6 days', '7 days', '8 days'), pg_temp.reject('vendor', 'dismissed')$$, null),
  ($$select pg_temp.arrive(variadic array(select generate_series(1, 120) * interval '1 hour' + interval '30 hours'))$$,
    'vendor test-vendor has sent nothing since <time>; its usual gap is about 1 h: key list test-vendor'),
  ($$select pg_temp.arrive(variadic array(select generate_series(1, 120) * interval '1 hour' + interval '20 hours'))$$, null),
  -- Many at once each week
  ($$select pg_temp.arrive(variadic array(select generate_series(1, 6) * interval '7 days' + n * interval '1 s'
      from generate_series(1, 50) n))$$,
    null),
  ($$select pg_temp.arrive('4 days', '5 days', '6 days', '7 days', '8 days');
    update public.vendors set is_active = false; select pg_temp.set_order('vendor_id = null')$$, null),
  -- Rejected deliveries
  ($$select pg_temp.reject('vendor', 'open') from generate_series(1, 3)$$,
    'delivery test-vendor 3 rejected, the first <time>: delivery list --vendor test-vendor'),
  ($$select pg_temp.reject(null, 'open')$$, 'delivery import 1 rejected, the first <time>: delivery list --imports'),
  ($$select pg_temp.reject('vendor', 'dismissed')$$, null),
  -- Leads that wait
  ($$select pg_temp.set_order('states = array[''TX'']'), pg_temp.wait('unmatched', '1 day'), pg_temp.wait('unmatched', '1 minute', 'OK')$$,
    'lead test-vendor 2 waiting for an order, the first <time>: lead waiting --vendor test-vendor'),
  ($$select pg_temp.set_order('states = array[''TX'']'), pg_temp.wait('unmatched', '1 day', 'tx'), pg_temp.wait('unmatched', '1 day', 'OK')$$,
    'lead test-vendor 2 waiting for an order, the first <time>; open orders want 1: lead distribute --vendor test-vendor'),
  ($$select pg_temp.wait('pending', '10 minutes')$$,
    'lead test-vendor 1 pending, the first <time>: lead distribute --vendor test-vendor'),
  ($$select pg_temp.wait('pending', '1 minute'), pg_temp.wait('not_requested', '1 day')$$, null),
  -- Texts that belong to nobody
  ($$select pg_temp.receive('Hello'), pg_temp.receive('Stop'), pg_temp.receive('Hi')$$,
    E'text +19995550100 1 opting out without a conversation, the first <time>: text unmatched\n'
      'text +19995550100 2 without a conversation, the first <time>: text unmatched'),
  -- Numbers
  ($$select pg_temp.text('paused', 'due_at = now() - interval ''1 hour''')$$,
    'number +19995550100 paused: number resume +19995550100'),
  ($$select pg_temp.text('paused', 'due_at = now()'); update public.service_numbers set paused_reason = '30034'$$,
    'number +19995550100 paused: 30034: number resume +19995550100'),
  -- Texts that nobody moves
  ($$select pg_temp.text('active', 'state = ''unconfirmed'', due_at = ''infinity''')$$,
    'text +19995550100 1 perhaps not sent, and Twilio is asked no more: text outbox --state unconfirmed'),
  ($$select pg_temp.text('active', 'state = ''unconfirmed'', due_at = now() + interval ''1 minute''')$$, null),
  ($$select pg_temp.text('active', 'state = ''sending'', lease_until = now() - interval ''1 hour''')$$,
    E'text +19995550100 1 left by a worker that died: text outbox --state sending\n'
      'worker texting not called since <time>, with 1 due: text outbox'),
  ($$select pg_temp.text('active', 'state = ''sending'', lease_until = now() - interval ''1 minute''')$$, null),
  ($$select pg_temp.text('active', 'claim = 5, reason = ''401'', due_at = now() + interval ''1 minute''')$$,
    'text +19995550100 1 tried five times or more, and not sent: text outbox --state held'),
  ($$select pg_temp.text('active', 'claim = 4, reason = ''401'', due_at = now() + interval ''1 minute''')$$, null),
  ($$select pg_temp.text('active', 'claim = 5, reason = ''quiet_hours'', due_at = now() + interval ''1 hour''')$$, null),
  ($$select pg_temp.text(null, 'due_at = now()')$$,
    'text +19995550100 1 waiting for a number that is none of ours: text outbox --state held'),
  ($$select pg_temp.text(null, 'due_at = now() - interval ''1 hour'''); delete from public.service_numbers$$, null),
  -- The worker
  ($$select pg_temp.text('active', 'due_at = now() - interval ''1 hour''')$$,
    'worker texting not called since <time>, with 1 due: text outbox'),
  ($$select pg_temp.text('active', 'due_at = now() - interval ''1 minute''')$$, null),
  ($$select pg_temp.text('active', 'due_at = now() - interval ''1 hour'''); update public.service_numbers set busy_until = now()$$, null),
  ($$select pg_temp.text('active', 'state = ''unconfirmed'', due_at = now() - interval ''1 hour''')$$,
    'worker texting not called since <time>, with 1 due: text outbox'),
  ($$select pg_temp.wait('not_requested', '1 day');
    insert into private.waiting_greetings (lead_id, due_at)
    select id, now() - interval '1 hour' from public.recruiting_leads limit 1$$,
    'worker texting not called since <time>, with 1 due: text outbox'),
  -- Keys
  ($$update public.vendor_api_keys set expires_at = now() + interval '13 days' where vendor_id = md5('vendor')::uuid$$,
    'key test of test-vendor expires <time>; last used never: key rotate test-vendor'),
  ($$update public.vendor_api_keys set expires_at = now() + interval '15 days' where vendor_id = md5('vendor')::uuid$$, null),
  ($$update public.vendor_api_keys set expires_at = now() - interval '1 day' where vendor_id = md5('vendor')::uuid$$, null),
  ($$update public.vendor_api_keys set expires_at = now() + interval '1 day', revoked_at = now()$$, null),
  -- Counts
  ($$insert into private.recruiting_order_days (order_id, starts_at, ends_at, leads)
    values (md5('order')::uuid, now(), now() + interval '1 day', 2)$$,
    'order <order> the day from <time> on is counted as 2 leads, and has 0: order recount'),
  ($$insert into private.recruiting_order_days (order_id, starts_at, ends_at, leads)
    values (md5('order')::uuid, now(), now() + interval '1 day', 2); select public.recount_orders()$$, null)
) c (statements, finding);

insert into private.recruiting_order_days (order_id, starts_at, ends_at, leads)
values (md5('order')::uuid, now(), now() + interval '1 day', 2);
select results_eq(
  'select * from public.recount_orders()', $$values (md5('order')::uuid, now(), 2, 0)$$, 'a recount says what was wrong');
select is_empty('select * from public.recount_orders()', 'and then nothing is');
set local role service_role;
select lives_ok('select * from public.check_service()', 'the service role may ask');
set local role authenticated;
select throws_ok('select * from public.check_service()', '42501', null, 'and nobody else');
reset role;

select * from finish();
rollback;
