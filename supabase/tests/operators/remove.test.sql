-- Rows that were never used are removed, and rows that were used stay with all they have.
begin;
select plan(15);
\ir ../helpers.psql

select pg_temp.create_agency('agency', 'UTC', 'ann', 'bob', 'cal'), pg_temp.create_vendor('vendor', pg_temp.key_of('vendor')),
  pg_temp.create_vendor('used', pg_temp.key_of('used')), pg_temp.create_vendor('asked', pg_temp.key_of('asked')),
  pg_temp.create_vendor('rejected'), pg_temp.create_agency('unused');

insert into private.vendor_webhook_secrets (vendor_id, secret) values (md5('vendor')::uuid, 'secret');
select lives_ok($$select public.remove_vendor(md5('vendor')::uuid)$$, 'a vendor that has sent nothing is removed');
select is_empty(
  $$select id from public.vendors where id = md5('vendor')::uuid
    union all select id from public.vendor_api_keys where vendor_id = md5('vendor')::uuid$$,
  'with its unused keys');

insert into public.recruiting_leads (vendor_id, first_name, agency_id, agent_id, distribution, distributed_at) values
  (md5('used')::uuid, 'Ada', md5('agency')::uuid, md5('ann')::uuid, 'distributed', now()),
  (md5('used')::uuid, 'Bea', md5('agency')::uuid, md5('ann')::uuid, 'distributed', now());
insert into public.recruiting_orders (agency_id, vendor_id, quantity) values (md5('agency')::uuid, md5('used')::uuid, 1);
update public.vendor_api_keys set last_used_at = now() where vendor_id = md5('asked')::uuid;
insert into public.rejected_deliveries (request_id, route, vendor_id, code, reason, payload_bytes)
values ('r', '/recruiting/ingest', md5('rejected')::uuid, 'BAD_REQUEST', 'no', 1);
insert into auth.users (id, email) values (md5('cal')::uuid, 'cal@example.com');
update public.agents set user_id = md5('cal')::uuid where id = md5('cal')::uuid;

select throws_ok(call, code, message, message)
from (values
  ($$select public.remove_vendor(md5('used')::uuid)$$, 'PT409', 'it has recruiting leads (2), recruiting orders (1)'),
  ($$select public.remove_vendor(md5('asked')::uuid)$$, 'PT409', 'it has vendor api keys (1)'),
  ($$select public.remove_vendor(md5('rejected')::uuid)$$, 'PT409', 'it has rejected deliveries (1)'),
  ($$select public.remove_vendor(md5('nobody')::uuid)$$, 'PT404', 'there is no such one'),
  ($$select public.remove_agent(md5('ann')::uuid)$$, 'PT409', 'it has recruiting leads (2)'),
  ($$select public.remove_agent(md5('cal')::uuid)$$, 'PT409', 'it has a login'),
  ($$select public.remove_agent(md5('nobody')::uuid)$$, 'PT404', 'there is no such one'),
  ($$select public.remove_agency(md5('agency')::uuid)$$, 'PT409', 'it has agents (3), recruiting leads (2), recruiting orders (1)'),
  ($$select public.remove_agency(md5('nobody')::uuid)$$, 'PT404', 'there is no such one')
) e (call, code, message);
select is(
  (select count(*) from public.vendor_api_keys where vendor_id = md5('used')::uuid), 1::bigint,
  'a vendor that stays keeps its keys');

select public.remove_agent(md5('bob')::uuid);
select is_empty($$select from public.agents where id = md5('bob')::uuid$$, 'an agent who has had nothing is removed');
select public.remove_agency(md5('unused')::uuid);
select is_empty($$select from public.agencies where id = md5('unused')::uuid$$, 'so is an agency');

create table public.new_things (agency uuid, agent uuid, foreign key (agent, agency) references public.agents (id, agency_id));
insert into public.agents (id, agency_id, first_name) values (md5('dan')::uuid, md5('agency')::uuid, 'dan');
insert into public.new_things values (md5('agency')::uuid, md5('dan')::uuid);
select throws_ok($$select public.remove_agent(md5('dan')::uuid)$$, 'PT409', 'it has new things (1)', 'a table that is new counts too');

select * from finish();
rollback;
