-- What a claim reads while 5,000 dispatches wait for a destination that is dead.
begin;
select plan(6);
\ir ../helpers.psql

select pg_temp.create_agency('agency');
insert into public.destinations (id, agency_id, name, kind, url, events, failing_since, failures)
select md5(name)::uuid, md5('agency')::uuid, name, 'webhook', 'https://example.com', '{lead.distributed}', now() - ago, failures
from (values ('dead', interval '1 hour', 9), ('works', null, 0)) d (name, ago, failures);
-- Forgets what the planner knew of this table, which differs with what has run before, and keeps autovacuum away.
truncate private.dispatches cascade;
-- A third of the leads have three events each, which follow one another.
insert into private.dispatches (destination_id, event, lead_id, body)
select md5('dead')::uuid, 'lead.distributed', md5('lead ' || n % 1667)::uuid, '{}' from generate_series(1, 5000) n;
insert into private.dispatches (destination_id, event, body)
select md5('dead')::uuid, 'test', '{}' from generate_series(1, 3);
insert into private.dispatches (destination_id, event, lead_id, body) values (md5('works')::uuid, 'lead.distributed', md5('Lea')::uuid, '{}');

create function pg_temp.read_by(query text) returns bigint language sql as $$ select pg_temp.rows_read('private.dispatches', query) $$;
create temp table taken as select c #>> '{destination,id}' as destination_id
from jsonb_array_elements(public.claim_dispatches(1, true, false) -> 'dispatches') c;
select is((select destination_id::uuid from taken), md5('works')::uuid, 'the lead of the other destination comes first');
select cmp_ok(pg_temp.read_by('select public.claim_dispatches(20, true, false)'), '<', 1000::bigint, 'a claim reads few rows,');
select cmp_ok(pg_temp.read_by('select private.is_dispatch_due()'), '<', 20::bigint, 'so does the question whether something is due,');
select cmp_ok(pg_temp.read_by(format('select public.record_dispatch(%L, 1, ''retry'')', p.id)), '<', 30::bigint, 'a report,')
from private.dispatches p where p.state = 'sending' and p.destination_id = md5('dead')::uuid;
update private.dispatches set lease_until = now() - interval '1 second' where state = 'sending';
select cmp_ok(pg_temp.read_by('select public.claim_dispatches(20, true, false)'), '<', 1000::bigint, 'and a claim when a lease is over');
-- Another one, where the first events of leads have failed, and what follows them is due.
insert into public.destinations (id, agency_id, name, kind, url, events)
values (md5('stuck')::uuid, md5('agency')::uuid, 'stuck', 'webhook', 'https://example.com', '{lead.distributed}');
insert into private.dispatches (destination_id, event, lead_id, body, due_at)
select md5('stuck')::uuid, 'lead.distributed', md5('lead ' || n % 1000)::uuid, '{}',
  clock_timestamp() + case when n <= 1000 then interval '1 hour' else '0' end
from generate_series(1, 4000) n;
select cmp_ok(pg_temp.read_by('select public.claim_dispatches(20, true, false)'), '<', 1000::bigint,
  'also while what is due has to wait for what comes before it');

select * from finish();
rollback;
