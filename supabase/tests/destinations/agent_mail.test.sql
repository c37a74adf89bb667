-- Agents choose to get e-mails about their recruits.
begin;
select plan(18);
\ir ../helpers.psql

select pg_temp.create_people(), pg_temp.create_vendor('vendor');
update public.agents set email = 'ann@example.com' where id = md5('ann')::uuid;
insert into public.recruiting_leads (id, vendor_id, first_name, agency_id, agent_id, vendor_metadata)
select md5(name)::uuid, md5('vendor')::uuid, name, md5('agency')::uuid, md5('ann')::uuid, '{"last_name": "Ray"}'
from unnest(array['Lea', 'Max', 'Ida', 'Tom']) name;

create function pg_temp.choose(name text, variadic about text[]) returns text language sql as $$
  select pg_temp.result_as(name, format('select public.set_my_mail(%L)', about))
$$;
create function pg_temp.mails() returns setof text language sql as $$
  select concat_ws(' ', p.event, (p.body -> 'data') - 'lead', (p.body #- '{data,lead,id}') #>> '{data,lead}', p.state,
    round(extract(epoch from greatest(p.due_at - clock_timestamp(), '0')) / 60))
  from private.dispatches p order by p.seq
$$;

select is(pg_temp.choose('ann', 'lead', 'recruit_waiting', 'lead'), '{lead,recruit_waiting}', 'an agent chooses');
select is((select mail_about from public.agents where id = md5('ann')::uuid), '{lead,recruit_waiting}', 'which is kept');
select is(pg_temp.choose('ann', 'all'), 'PT400 about: must be a list of: lead, recruit_waiting', 'there are two kinds');
select is(pg_temp.choose('cal', 'lead'), 'PT409 about: you have no e-mail address. Ask the people who run the service', 'it takes an address');
select is(pg_temp.choose(who, 'lead'), '42501 only an active agent may do this', who || ' may not') from unnest(array['former', 'visitor']) who;
select is_empty($$select from public.destination_list where name like 'agent-%'$$, 'it is no destination of the agency');

select private.notify_of_leads(array[md5('Lea')::uuid]);
select results_eq('select pg_temp.mails()', array['agent.lead {"others": 0} {"link": "/recruits/' || md5('Lea')::uuid || '", "first_name": "Lea"} waiting 0'],
  'a new recruit is an e-mail, with the first name alone');
select is(
  (select c #>> '{destination,address}' from jsonb_array_elements(public.claim_dispatches(5, true, false) -> 'dispatches') c),
  'ann@example.com', 'to the address of the agent');
select public.record_dispatch(p.id, 1, 'delivered', 200) from private.dispatches p;
-- It was due long before it was sent.
update private.dispatches set due_at = now() - interval '1 hour';
select private.notify_of_leads(array[md5('Max')::uuid]), private.notify_of_leads(array[md5('Ida')::uuid, md5('Tom')::uuid]);
select results_eq(
  $$select regexp_replace(m, '\{"link.*\} ', '') from pg_temp.mails() m offset 1$$, array['agent.lead {"others": 2} waiting 5'],
  'the next one comes five minutes later, and says how many others there are');
delete from private.dispatches;

insert into public.service_numbers (phone, agency_id) values ('+19995550100', md5('agency')::uuid);
select pg_temp.create_conversation('talk', '+19995550201', '+19995550100', 'ann', lead => 'Lea');
insert into public.agent_notifications (agent_id, conversation_id, kind) values (md5('ann')::uuid, md5('talk')::uuid, 'recruit_waiting');
select results_eq('select pg_temp.mails()', array['agent.recruit_waiting {"others": 0} {"link": "/inbox/' || md5('talk')::uuid || '", "first_name": "Lea"} waiting 0'],
  'so is a recruit who waits');
insert into public.agent_notifications (agent_id, conversation_id, kind) values (md5('ann')::uuid, md5('talk')::uuid, 'text');
select is((select count(*) from private.dispatches), 1::bigint, 'and nothing else');
delete from private.dispatches;
select private.erase_dispatches(array[md5('Lea')::uuid]);

select is(pg_temp.choose('ann', variadic '{}'), '{}', 'the agent chooses none');
select private.notify_of_leads(array[md5('Lea')::uuid]);
select is_empty('select from private.dispatches', 'and gets none');
select pg_temp.choose('ann', 'lead');
select private.notify_of_leads(array[md5('Max')::uuid]);
delete from private.dispatches;
create function pg_temp.refuse() returns trigger language plpgsql as $$ begin raise 'it cannot be stored'; end $$;
create trigger refuse before insert on private.dispatches for each row execute function pg_temp.refuse();
delete from public.agent_notifications;
select lives_ok($$select private.notify_of_leads(array[md5('Max')::uuid])$$, 'an e-mail that cannot be made');
select isnt_empty('select from public.agent_notifications', 'leaves the notification');
drop trigger refuse on private.dispatches;
select private.notify_of_leads(array[md5('Max')::uuid]);
update public.agents set is_active = false where id = md5('ann')::uuid;
select is_empty('select from private.dispatches', 'who leaves gets none');
select is_empty('select from public.destinations where agent_id is not null', 'and is forgotten');

select * from finish();
rollback;
