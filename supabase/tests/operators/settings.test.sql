-- Managers and operators change an agency and its people: who may, which values there may be, what others have changed meanwhile,
-- what is kept, and that an agency keeps a manager, over several connections. What these commit is deleted at the end.
begin;
create extension if not exists dblink with schema extensions;
select plan(77);
\ir ../helpers.psql

select pg_temp.create_people();
insert into public.operators (user_id) values (md5('user visitor')::uuid);
-- After the trigger on agents.
update public.agents set email = first_name || '@agency.example';

-- Who it is: mia and otto are managers, visitor an operator, postgres the command. Returns what was changed, or the error.
create function pg_temp.act(who text, act text) returns text language sql as $$
  select pg_temp.result_as(who, 'select ' || act)
$$;
create function pg_temp.change_agency(who text, changes text, seen text default null, name text default 'agency') returns text
language sql as $$
  select pg_temp.act(who, format(
    'concat_ws('' '', a.name, a.timezone, a.opens_at, a.closes_at) from public.change_agency(%L, %L, %L) a', md5(name)::uuid, changes, seen))
$$;
create function pg_temp.change_agent(who text, name text, changes text, seen text default null) returns text
language sql as $$
  select pg_temp.act(who, format(
    'concat_ws('' '', a.first_name, a.last_name, a.email, a.phone, a.role, a.is_active, a.accepts_recruits, a.away_until)
      from public.change_agent(%L, %L, %L) a', md5(name)::uuid, changes, seen))
$$;
create function pg_temp.kept(who text default 'mia', most integer default 1) returns setof text language plpgsql as $$
begin
  perform pg_temp.become(who);
  return query
    select concat_ws(' ', c.changed_by, c.action, c.before, '->', c.after)
    from public.agency_change_list c
    where c.agency_id = md5('agency')::uuid
    order by c.created_at desc, c.id
    limit most;
  reset role;
  perform set_config('request.jwt.claims', '', true);
end
$$;

-- The agency
select is(pg_temp.change_agency('mia', '{"name": "Kestrel"}'), 'Kestrel UTC 09:00:00 18:00:00', 'a manager renames the own agency');
select is(
  pg_temp.change_agency('mia', '{"timezone": "America/Chicago", "opens_at": "08:30", "closes_at": "17:00"}'),
  'Kestrel America/Chicago 08:30:00 17:00:00', 'and sets its zone and hours');
select is(
  pg_temp.kept(), 'mia agency update {"opens_at": "09:00:00", "timezone": "UTC", "closes_at": "18:00:00"} -> '
    '{"opens_at": "08:30:00", "timezone": "America/Chicago", "closes_at": "17:00:00"}', 'it is kept with what there was before');
select is(
  pg_temp.change_agency('mia', '{"opens_at": "09:00:00", "timezone": "UTC", "closes_at": "18:00:00"}'),
  'Kestrel UTC 09:00:00 18:00:00', 'which takes it back');
select is((select count(*)::integer from pg_temp.kept('mia', 9)), 3, 'that is kept too');
select pg_temp.change_agency('mia', '{"name": "Kestrel"}');
select is((select count(*)::integer from pg_temp.kept('mia', 9)), 3, 'and what is so already is not');
select is(pg_temp.change_agency('visitor', '{"name": "Heron"}', '{"name": "agency"}'), 'PT409 name: mia has changed it meanwhile',
  'what somebody has changed meanwhile is refused, with who it was');
select is(pg_temp.change_agency('visitor', '{"opens_at": "08:00"}', '{"opens_at": "09:00:00", "name": "agency"}'),
  'Kestrel UTC 08:00:00 18:00:00', 'and nothing else is');
select is((select a.action || ' ' || (a.subject -> 'changes') from public.operator_actions a where a.user_id = md5('user visitor')::uuid),
  'agency update {"opens_at": "08:00"}', 'what an operator changes is among the operators'' actions too');
select is(pg_temp.change_agency(who, '{"name": "Mine"}'), error, who || ' may not')
from (values ('ann', '42501 only a manager or an operator may do this'), ('former', '42501 only a manager or an operator may do this'),
  ('otto', 'PT404 agency_id: there is no such agency')) w (who, error);
select is(pg_temp.change_agency('mia', changes), '22023 ' || error, changes || ' is refused')
from (values
  ('{"name": " "}', 'name: must be one line of 1 to 100 characters'),
  ('{"name": "a\u202eb"}', 'name: must be one line of 1 to 100 characters'),
  ('{"timezone": "Chicago"}', 'timezone: "Chicago" is not an IANA time zone name'),
  ('{"timezone": null}', 'timezone: "" is not an IANA time zone name'),
  ('{"opens_at": "5pm"}', 'opens_at: must be a time such as 08:30'),
  ('{"closes_at": "08:00"}', 'closes_at: must be after opens_at'),
  ('{"created_at": "2026-01-01"}', 'created_at: is not a setting of an agency'),
  ('[]', 'changes: must be an object')
) c (changes, error);

-- Its people
select is(
  pg_temp.change_agent('mia', 'ann', '{"last_name": "Byron", "email": "Ann@Kestrel.example", "phone": "+13125550142", "accepts_recruits": false}'),
  'ann Byron ann@kestrel.example +13125550142 agent t f', 'a manager changes an agent');
select is(pg_temp.kept(), 'mia agent update {"email": "ann@agency.example", "phone": null, "last_name": null, "accepts_recruits": true} -> '
  '{"email": "ann@kestrel.example", "phone": "+13125550142", "last_name": "Byron", "accepts_recruits": false}', 'and that is kept');
select is(
  pg_temp.change_agent('mia', 'ann', '{"email": "ann@agency.example", "phone": null, "last_name": null, "accepts_recruits": true}'),
  'ann ann@agency.example agent t t', 'it is taken back');
select is(pg_temp.change_agent('mia', 'ann', '{"away_until": "2097-12-28"}'), 'ann ann@agency.example agent t t 2097-12-28 00:00:00+00',
  'an agent is away until a day');
select is(pg_temp.change_agent('mia', 'ann', '{"away_until": "2026-01-02T00:00:00+00:00"}'),
  'ann ann@agency.example agent t t 2026-01-02 00:00:00+00', 'a former time comes back, although it is over');
select is(pg_temp.change_agent('mia', 'ann', '{"away_until": null}'), 'ann ann@agency.example agent t t', 'or is taken away');
select is(pg_temp.change_agent('mia', 'cal', '{"email": "ann@agency.example"}'), 'PT409 email: ann has it', 'an address is one person''s');
select is(pg_temp.change_agent('mia', 'cal', '{"email": "eve@agency.example"}'), 'cal eve@agency.example agent t t',
  'of another agency it says nothing');
select is(pg_temp.change_agent('mia', 'ann', changes), '22023 ' || error, changes || ' is refused')
from (values
  ('{"first_name": null}', 'first_name: must be one line of 1 to 100 characters'),
  ('{"email": "ann"}', 'email: must be an e-mail address'),
  ('{"phone": "555"}', 'phone: must be a phone number such as +13125550142'),
  ('{"role": "operator"}', 'role: must be agent or manager'),
  ('{"is_active": null}', 'is_active: must be true or false'),
  ('{"accepts_recruits": "yes"}', 'accepts_recruits: must be true or false'),
  ('{"away_until": "tomorrow"}', 'away_until: must be a day such as 2026-12-28'),
  ('{"away_until": "2097-02-30"}', 'away_until: must be a day such as 2026-12-28'),
  ('{"away_until": "2026-01-01"}', 'away_until: "2026-01-01" has begun in UTC'),
  ('{"user_id": "x"}', 'user_id: is not a setting of an agent'),
  ('{"agency_id": "x"}', 'agency_id: is not a setting of an agent')
) c (changes, error);
select is(pg_temp.change_agent(who, 'ann', '{"role": "manager"}'), error, who || ' may not')
from (values ('ann', '42501 only a manager or an operator may do this'), ('otto', 'PT404 agent_id: there is no such agent')) w (who, error);
select is(pg_temp.change_agent('visitor', 'nobody', '{}'), 'PT404 agent_id: there is no such agent', 'nor is there one that is not');

-- A manager stays
select is(pg_temp.change_agent(who, 'mia', changes), 'PT409 ' || error || ': mia is the last active manager of the agency. Make somebody else a manager first.',
  who || ' cannot take the last manager away: ' || changes)
from (values ('mia', '{"role": "agent"}', 'role'), ('visitor', '{"is_active": false}', 'is_active')) c (who, changes, error);
select is(pg_temp.act('visitor', format('public.leave_agent(%L)', md5('mia')::uuid)),
  'PT409 agent_id: mia is the last active manager of the agency. Make somebody else a manager first.', 'nor does the last one leave');
savepoint before;
select is(pg_temp.change_agent('postgres', 'mia', '{"role": "agent"}'), 'mia mia@agency.example agent t f', 'the command asks first, and may');
rollback to before;
select is(pg_temp.change_agent('mia', 'ann', '{"role": "manager"}'), 'ann ann@agency.example manager t t', 'a manager makes another one');
select is(pg_temp.change_agent('mia', 'mia', '{"role": "agent"}'), 'mia mia@agency.example agent t f', 'and is none any more');
select is(pg_temp.change_agent('mia', 'mia', '{"role": "manager"}'), '42501 only a manager or an operator may do this', 'for good');
select pg_temp.change_agent('ann', 'mia', '{"role": "manager"}');

-- Who leaves
select is(pg_temp.act('mia', format('public.preview_leave(%L, %L) ->> ''login''', md5('cal')::uuid, md5('ann')::uuid)), md5('cal') || '@example.com',
  'what a leave would do is shown');
select is((select is_active from public.agents where id = md5('cal')::uuid), true, 'and not done');
select is(pg_temp.act(who, format('public.leave_agent(%L)', md5('cal')::uuid)), error, who || ' sends nobody away')
from (values ('cal', 'PT409 agent_id: it is you. Another manager can do it'), ('eve', '42501 only a manager or an operator may do this'),
  ('otto', 'PT404 agent_id: there is no such agent')) w (who, error);
select is(pg_temp.act('mia', format('public.leave_agent(%L) ->> ''login''', md5('cal')::uuid)), md5('cal') || '@example.com',
  'a manager does, and the login ends');
select is(pg_temp.kept(), 'mia agent update {"is_active": true} -> {"is_active": false}', 'that is kept');
select is(pg_temp.act('visitor', format('public.leave_agent(%L) is not null', md5('eve')::uuid)), 'true', 'an operator does');
select is((select a.subject - 'agent_id' from public.operator_actions a where a.action = 'agent leave'),
  '{"lead_ids": [], "order_ids": []}', 'which is among the operators'' actions');

-- Who is invited; the function `desk` does what the auth service does in between
create function pg_temp.invite(who text, email text, login text default null, agency text default 'agency') returns text language sql as $$
  select pg_temp.act(who, format('public.invite_agent(%L, %L, %L) ->> ''email''', md5(agency)::uuid,
    json_build_object('first_name', 'Ida', 'email', email), md5(login)::uuid))
$$;
select is(pg_temp.invite('mia', 'Ida@x.example'), 'ida@x.example', 'a manager may invite for the own agency');
select is_empty($$select from public.agents where email = 'ida@x.example'$$, 'nothing is stored before there is a login');
select is(pg_temp.invite(who, 'ida@x.example'), error, who || ' may not')
from (values ('cal', '42501 only a manager or an operator may do this'), ('otto', 'PT404 agency_id: there is no such agency')) w (who, error);
select is(pg_temp.invite('mia', 'ida@x.example', 'user otto'),
  'PT409 email: somebody else has invited the same address meanwhile. Try again', 'no login of somebody else is given to an agent');
select is(pg_temp.invite('mia', md5('otto') || '@example.com', 'user otto'),
  'PT409 email: nobody can be invited at this address. Ask the people who run the service', 'nor by its own address');
select is(pg_temp.invite('mia', 'eve@agency.example'), 'PT409 email: cal is inactive', 'who has left is made active first');

-- What else is kept of an agency, and for whom
select is(pg_temp.act('mia', format('(public.publish_bot_script(%L, %L)) ->> ''version''', md5('agency')::uuid,
  '{"opening": "Hi from {agency}. STOP ends it.", "questions": [{"id": "q", "ask": "Ok?", "answer": "yes_no"}], "done": "Bye", "handoff_words": ["human"]}')),
  '1', 'a script is published');
select is(pg_temp.kept(), 'mia bot publish {} -> {"version": 1}', 'and kept as its version');
select is(pg_temp.act('visitor', format('public.switch_bot_off(%L)', md5('agency')::uuid)), '0', 'an operator switches the bot off');
select is(pg_temp.act('otto', format('public.switch_bot_off(%L)', md5('agency')::uuid)),
  '42501 only a manager of the agency or an operator may switch the bot off', 'and no other manager does');
select pg_temp.act('mia', 'public.save_quick_reply(''hi'', ''Hello'')');
select is(pg_temp.kept(), 'mia quick_reply create {} -> {"body": "Hello", "shortcut": "hi"}', 'so is a quick reply');
select pg_temp.act('mia', format('public.save_destination(%L, ''crm'', ''{"url": "https://crm.example/hook"}'')', md5('agency')::uuid));
select is(pg_temp.kept(), 'mia destination create {} -> {"url": "https://crm.example/hook", "kind": "webhook", "name": "crm", "is_on": true, '
  '"events": ["lead.distributed", "lead.returned", "recruit.erased"]}', 'and a destination');
update public.destinations set is_on = false, off_reason = 'x' where name = 'crm';
select is((select count(*)::integer from pg_temp.kept('mia', 99) k where k like '%destination%'), 1, 'nobody''s change is not kept');
select is((select count(*)::integer from pg_temp.kept(who, 99)), 0, who || ' reads none of it') from unnest(array['cal', 'otto']) who;
select ok((select count(*) > 5 from pg_temp.kept('visitor', 99)), 'an operator does');

-- Two managers take the role from each other at once.
select pg_temp.create_committed('race', 'race mia', 'race max');
select pg_temp.commit_of('race', $$update public.agents set role = 'manager' where agency_id = {id}$$);
create function pg_temp.demotes(who text, whom text) returns text language sql as $$
  select format('select r::text from (select set_config(''request.jwt.claims'', %L, false), set_config(''role'', ''authenticated'', false)) c, '
    'public.change_agent(%L, ''{"role": "agent"}'') r',
    json_build_object('sub', md5('user race ' || who)::uuid, 'role', 'authenticated'), md5('race ' || whom)::uuid)
$$;
select extensions.dblink_connect('other', pg_temp.dsn());
select pg_temp.hold(pg_temp.demotes('mia', 'max'));
select pg_temp.send_and_wait('other', pg_temp.demotes('max', 'mia'));
select pg_temp.let_go('commit');
select is(pg_temp.answer_of('other'), '42501 only a manager or an operator may do this', 'who waits for the other is no manager any more');
select extensions.dblink_disconnect('other');
select is(
  (select array_agg(a.first_name) from public.agents a where a.agency_id = md5('race')::uuid and a.role = 'manager'),
  array['race mia'], 'and the agency keeps one');
select pg_temp.remove_committed('race');
select * from finish();
rollback;
