-- A text whose worker dies again and again.
begin;
select plan(5);
\ir helpers.psql

select pg_temp.create_agency('agency');
insert into public.service_numbers (phone, agency_id) values ('+12015550102', md5('agency')::uuid);
select pg_temp.create_conversation('conversation', '+12015550101', '+12015550102', spoke => '0');
create temp table queued as
select * from private.queue_text(md5('conversation')::uuid, 'agent', 'Hi', '[]', gen_random_uuid());

-- A worker claims the text and dies. Ten minutes later the provider is asked for it, and does not know it.
create function pg_temp.die(reason text default 'worker_died') returns text language plpgsql as $$
declare
  id constant uuid := (select q.message_id from queued q);
  claim integer;
begin
  update public.service_numbers set busy_until = '-infinity' where phone = '+12015550102';
  perform public.claim_texts(1);
  update public.text_outbox o
  set state = 'unconfirmed', reason = die.reason, claim = o.claim + 1, lookups = 1, lease_until = null
  where o.message_id = id and o.state = 'sending'
  returning o.claim into claim;
  return public.record_text_lookup(id, claim, '{}');
end
$$;

select is(pg_temp.die(), 'pending', 'a text whose worker has died is sent again');
select is(pg_temp.die(), 'pending', 'and once more, because its second worker may have died before it left too');
select is(pg_temp.die('no_response'), 'failed', 'a text that did leave and is not known is failed');

update public.text_outbox set state = 'pending', due_at = now(), resends = 0 where message_id = (select message_id from queued);
select is(
  array(select pg_temp.die() from generate_series(1, 6)), '{pending,pending,pending,pending,pending,failed}'::text[],
  'a text that ends every worker is not sent for ever');
select is((select attempt from public.text_outbox where message_id = (select message_id from queued)), 9, 'each was an attempt');

select * from finish();
rollback;
