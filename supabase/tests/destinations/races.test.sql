-- Several workers send at the same time, while others add, retry and remove. What they commit is deleted at the end.
begin;
create extension if not exists dblink with schema extensions;
select plan(8);
\ir ../helpers.psql

select pg_temp.create_committed('race');
select pg_temp.commit_of('race', $sql$
  insert into public.destinations (id, agency_id, name, kind, url, events, max_at_once)
  select md5('race ' || name)::uuid, {id}, name, 'webhook', 'https://example.com', '{lead.distributed,recruit.replied}', most
  from (values ('one', 2), ('two', 4)) d (name, most);
  insert into public.recruiting_leads (id, vendor_id, first_name, agency_id)
  select md5('race ' || n)::uuid, {id}, 'Ada', {id} from generate_series(1, 40) n;
$sql$);
create view pg_temp.sent as
select p.* from private.dispatches p join public.destinations d on d.id = p.destination_id where d.agency_id = md5('race')::uuid;

-- Two connections add two events of each lead, and five workers claim and send until all is delivered.
create temp table worked as select r as result from pg_temp.race(7, $work$
  do $do$
  declare
    one uuid := md5('race one')::uuid;
    item jsonb;
  begin
    for n in 1..20 loop
      exit when {worker} > 2;
      perform private.add_dispatches(event, array[md5('race ' || n * 2 - {worker} + 1)::uuid])
      from unnest(array['lead.distributed', 'recruit.replied']) event;
      commit;
    end loop;
    while {worker} > 2 and (
      select count(*) from private.dispatches p join public.destinations d on d.id = p.destination_id
      where d.agency_id = md5('race')::uuid and p.state = 'delivered') < 160
    loop
      for item in select * from jsonb_array_elements(public.claim_dispatches(3, false, false) -> 'dispatches') loop
        commit;
        if (select count(*) from private.dispatches p where p.destination_id = one and p.state = 'sending') > 2
          or (select count(*) from private.dispatches p where p.destination_id = md5('race two')::uuid and p.state = 'sending') > 4
          or exists (
            select from private.dispatches p where p.state = 'sending' and p.lead_id is not null group by p.destination_id, p.lead_id having count(*) > 1)
        then
          raise exception 'too many at once';
        end if;
        perform public.record_dispatch((item ->> 'id')::uuid, (item ->> 'attempt')::integer, 'delivered', 200);
        commit;
      end loop;
      commit;
    end loop;
  end
  $do$
$work$) r;
select is((select count(*) from worked where result = 'DO'), 7::bigint, 'no worker sees more at once than a destination takes, nor two of one lead');
select is((select count(*) from pg_temp.sent where state = 'delivered'), 160::bigint, 'all is delivered');
select is((select sum(attempt) from pg_temp.sent), 160::bigint, 'each once');
select is_empty(
  $$select from pg_temp.sent a join pg_temp.sent b on b.destination_id = a.destination_id and b.lead_id = a.lead_id and b.seq > a.seq
    where b.delivered_at < a.delivered_at$$, 'in the order of each lead''s events');

-- Two people send the same again.
select pg_temp.commit($sql$
  update private.dispatches set state = 'failed', delivered_at = null
  where destination_id = md5('race one')::uuid$sql$);
select is(
  (select array_agg(r::integer order by r::integer) from pg_temp.race(2, $$select public.retry_dispatches(array(
    select id from private.dispatches where destination_id = md5('race one')::uuid))$$) r),
  '{0,80}', 'of two who have the same sent again, one does');

-- A destination is removed while a worker reports.
select count(*)
from extensions.dblink(pg_temp.connected(), 'select public.claim_dispatches(5, false, false)') as claimed (ignored text);
select pg_temp.hold(format(
  'select public.record_dispatch(%L, %s, ''retry'')', p.id, p.attempt), 'worker')
from pg_temp.sent p where p.state = 'sending' order by p.seq limit 1;
select extensions.dblink_connect('manager', pg_temp.dsn());
select pg_temp.send_and_wait('manager', format('select public.remove_destination(%L)', md5('race one')::uuid));
select pg_temp.let_go('commit', 'worker');
select is((select count(*) from extensions.dblink_get_result('manager') as t (ignored text)), 1::bigint, 'the removal waits for the report,');
select extensions.dblink_disconnect('manager');
select is((select count(*) from pg_temp.sent where destination_id = md5('race one')::uuid), 0::bigint, 'and then all is gone');

select is(public.record_dispatch(gen_random_uuid(), 1, 'delivered', 200), null, 'a report about what is gone changes nothing');

select pg_temp.remove_committed('race');
select * from finish();
rollback;
