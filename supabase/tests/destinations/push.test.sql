-- The browsers of agents: who subscribes, how many, when they go, and what is pushed to them.
begin;
select plan(27);
\ir ../helpers.psql

select pg_temp.create_people(), pg_temp.create_vendor('vendor');
insert into public.recruiting_leads (id, vendor_id, first_name, vendor_metadata, agency_id, agent_id, distribution, distributed_at)
values (md5('ada')::uuid, md5('vendor')::uuid, 'Ada', '{"last_name": "Byron"}', md5('agency')::uuid, md5('ann')::uuid, 'distributed', now());

create function pg_temp.subscribe(who text, endpoint text, p256dh text default repeat('B', 87), auth text default repeat('a', 22)) returns text
language sql as $$
  select regexp_replace(
    pg_temp.result_as(who, format('select public.save_push_subscription(%L, %L, %L)', endpoint, p256dh, auth)), '^[0-9a-f-]{36}$', 'saved')
$$;
create function pg_temp.endpoints(who text) returns text language sql as $$
  select string_agg(s.endpoint, ' ' order by s.endpoint) from public.push_subscriptions s where s.agent_id = md5(who)::uuid
$$;

-- Who subscribes, and with what
select is(pg_temp.subscribe('ann', 'https://push.example/1'), 'saved', 'an agent subscribes');
select is(pg_temp.subscribe('ann', 'https://push.example/1', repeat('C', 87)), 'saved', 'and again at the next start');
select results_eq('select s.p256dh, d.kind from public.push_subscriptions s join public.destinations d on d.push_subscription_id = s.id',
  $$values (repeat('C', 87), 'push')$$, 'there is one, with the new key and its destination');
select is(pg_temp.subscribe(who, 'https://push.example/2'), '42501 only an active agent may do this', who || ' does not')
from unnest(array['former', 'visitor']) who;
select is(pg_temp.subscribe('ann', endpoint, p256dh, auth), '22023 ' || error, error)
from (values
  ('http://push.example/1', repeat('B', 87), repeat('a', 22), 'endpoint: must be https with the name of a host, and without user information'),
  ('https://10.0.0.1/1', repeat('B', 87), repeat('a', 22), 'endpoint: must be https with the name of a host, and without user information'),
  ('https://push.example/' || repeat('x', 2048), repeat('B', 87), repeat('a', 22), 'endpoint: must be https with the name of a host, and without user information'),
  ('https://push.example/1', 'B', repeat('a', 22), 'p256dh: must be 65 bytes in base64url'),
  ('https://push.example/1', repeat('B', 87), null, 'auth: must be 16 bytes in base64url')
) c (endpoint, p256dh, auth, error);
select pg_temp.become('eve');
select is((select count(*)::integer from public.push_subscriptions), 0, 'nobody reads another agent''s');
select throws_ok('select endpoint from public.push_subscriptions', '42501', null, 'nor an endpoint');
reset role;
select is(pg_temp.value_as('cal', 'public.remove_push_subscription(''https://push.example/1'')'), 'false', 'or removes it');

-- Who may see how agents are notified
update public.agents set mail_about = '{lead}' where id = md5('ann')::uuid;
create function pg_temp.notified(who text) returns text language sql as $$
  select pg_temp.result_as(who, $q$
    select string_agg(l.first_name || ' ' || l.push_browsers || l.mail_about::text, ', ' order by l.first_name)
    from public.agent_list l where l.push_browsers > 0 or l.mail_about <> '{}'
  $q$)
$$;
select is(pg_temp.notified('mia'), 'ann 1{lead}', 'a manager sees how many browsers an agent has, and what the agent is mailed');
select is(array_agg(pg_temp.notified(who)), '{NULL,NULL,NULL}', 'an agent, and the manager of another agency, do not')
from unnest(array['ann', 'cal', 'otto']) who;

-- What is pushed
insert into public.agent_notifications (id, agent_id, lead_id, kind) values (md5('news')::uuid, md5('ann')::uuid, md5('ada')::uuid, 'lead');
insert into public.agent_notifications (agent_id, kind, reason, read_at) values (md5('ann')::uuid, 'destination_off', 'crm', now());
select results_eq(
  $$select p.event, p.lead_id, p.body -> 'data' from private.dispatches p$$,
  format($$values ('agent.lead', %L::uuid, %L::jsonb)$$, md5('ada')::uuid, jsonb_build_object(
    'notification_id', md5('news')::uuid, 'kind', 'lead', 'urgent', false, 'conversation_id', null, 'lead_id', md5('ada')::uuid, 'first_name', 'Ada')),
  'a notification is pushed, with ids and the first name alone, and one that was read is not');
select is((public.claim_dispatches(9, true, true) -> 'dispatches')::text, '[]', 'not while the worker has no keys');
select is(
  (public.claim_dispatches(9, false, false, true) #> '{dispatches,0,destination}') - 'id',
  jsonb_build_object('kind', 'push', 'url', 'https://push.example/1', 'push_keys', jsonb_build_object('p256dh', repeat('C', 87), 'auth', repeat('a', 22)),
    'address', null, 'template', null, 'accepted_when', null, 'rejected_when', null, 'headers', '{}'::jsonb, 'secrets', '[]'::jsonb),
  'the worker gets it with the browser');
select private.erase_dispatches(array[md5('ada')::uuid]);
select is((select body from private.dispatches), null, 'when the person is erased, nothing of it stays');
select is(public.record_dispatch(p.id, 1, 'delivered', 201), 'delivered', 'it is delivered') from private.dispatches p;
select isnt((select s.last_used_at from public.push_subscriptions s), null, 'which is seen');

-- When browsers go
select is(pg_temp.subscribe('eve', 'https://push.example/1'), 'saved', 'another login has the browser');
select is((select count(*)::integer from private.dispatches), 0, 'and nothing waits for the former one');
select pg_temp.subscribe('ann', 'https://push.example/a' || n) from generate_series(0, 11) n;
select is(array_length(string_to_array(pg_temp.endpoints('ann'), ' '), 1), 10, 'an agent has ten');
select ok(pg_temp.endpoints('ann') !~ 'a0|a1 ', 'the first ones have gone');
update public.agents set is_active = false where id = md5('ann')::uuid;
delete from auth.users where id = md5('user eve')::uuid;
select is((select count(*)::integer from public.push_subscriptions), 0, 'who leaves, or whose login ends, has none');
select is((select count(*)::integer from public.destinations d where d.kind = 'push'), 0, 'nor their destinations');

select * from finish();
rollback;
