-- Conversations that change hands while others write in them, over several connections. What they commit is deleted at the
-- end.
begin;
create extension if not exists dblink with schema extensions;
select plan(13);
\ir ../helpers.psql

select pg_temp.create_committed('race', 'ann', 'race mia', 'race moe');
select pg_temp.commit($sql$
  update public.agents set role = 'manager' where first_name in ('race mia', 'race moe');
  insert into public.service_numbers (phone, agency_id) values ('+19995550100', md5('race')::uuid);
  insert into public.recruiting_conversations (
    id, agency_id, recruit_phone, service_phone, status, assigned_agent_id, last_message_at
  )
  select md5('race ' || n)::uuid, md5('race')::uuid, '+1999556' || 1000 + n, '+19995550100', 'escalated', md5('ann')::uuid,
    now() + interval '1 hour'
  from generate_series(1, 80) n;
$sql$);
-- Sends a text as this agent, and returns its status or the error.
create function pg_temp.sending(agent text, n text, client text, take_over boolean) returns text language sql as $$
  select format($sql$
    perform set_config('request.jwt.claims', json_build_object('sub', md5('user %1$s')::uuid)::text, false);
    -- More than a person sends in a minute
    delete from private.request_counts where bucket = 'texts of agent ' || md5('%1$s')::uuid;
    begin
      perform public.send_text(md5('race ' || %2$s)::uuid, 'Hi', md5('%3$s ' || %2$s)::uuid, take_over => %4$L);
    exception when sqlstate 'PT404' or sqlstate 'PT409' then
      insert into public.recruiting_message_events (provider_message_id, provider_status)
      values ('race refused', '%3$s ' || %2$s);
    end;
  $sql$, agent, n, client, take_over)
$$;
create view pg_temp.notified as
select n.conversation_id, a.first_name as agent, b.first_name as by
from public.agent_notifications n
join public.agents a on a.id = n.agent_id and a.agency_id = md5('race')::uuid
join public.agents b on b.id = n.by_agent_id
where n.kind = 'taken_over';

-- 40 conversations: two managers take each over, and its agent writes, at once.
select * from pg_temp.race(3, format(
  $work$ do $do$ begin for n in 1..40 loop
    case {worker} when 1 then %s when 2 then %s else %s end case; commit; end loop; end $do$ $work$,
  pg_temp.sending('race mia', 'n', 'mia', true), pg_temp.sending('race moe', 'n', 'moe', true),
  pg_temp.sending('ann', 'n', 'ann', false)));
create temp table taken as
select c.id, a.first_name as owner, count(o.*) as texts,
  exists (
    select from public.recruiting_message_events e
    where e.provider_message_id = 'race refused' and md5('race ' || split_part(e.provider_status, ' ', 2))::uuid = c.id
  ) as is_refused
from public.recruiting_conversations c
join public.agents a on a.id = c.assigned_agent_id
left join public.text_outbox o on o.conversation_id = c.id
where c.id in (select md5('race ' || n)::uuid from generate_series(1, 40) n)
group by c.id, a.first_name;
select is((select count(*)::integer from taken where owner <> 'ann'), 40, 'a manager has each of 40 conversations');
select is_empty(
  $$select from taken where texts <> case when is_refused then 2 else 3 end$$,
  'both managers'' texts are queued, and the agent''s unless it is refused');
select is_empty(
  $$select from public.recruiting_message_events
    where provider_message_id = 'race refused' and provider_status not like 'ann %'$$, 'a manager who takes over is refused nothing');
select is_empty(
  $$select from taken t
    where array(select format('%s by %s', s.agent, s.by) from pg_temp.notified s where s.conversation_id = t.id order by 1)
      <> case owner
        when 'race mia' then array['ann by race moe', 'race moe by race mia']
        else array['ann by race mia', 'race mia by race moe']
      end$$,
  'who loses a conversation is notified, each once, by whom');

-- 40 conversations: two managers write without taking over. None is theirs before one of them asks.
select * from pg_temp.race(3, format(
  $work$ do $do$ begin for n in 41..80 loop
    case {worker} when 1 then %s when 2 then %s else %s end case; commit; end loop; end $do$ $work$,
  pg_temp.sending('race mia', 'n', 'mia', false), pg_temp.sending('race moe', 'n', 'moe', true),
  pg_temp.sending('ann', 'n', 'ann', false)));
create temp table kept as
select c.id, a.first_name as owner
from public.recruiting_conversations c join public.agents a on a.id = c.assigned_agent_id
where c.id in (select md5('race ' || n)::uuid from generate_series(41, 80) n);
select is((select count(*)::integer from kept where owner = 'race moe'), 40, 'only who says so takes a conversation over');
select is(
  (select count(*)::integer from public.recruiting_message_events
   where provider_message_id = 'race refused' and provider_status like 'mia %'), 40, 'the other is asked each time');
select is_empty(
  $$select from kept k
    where array(select format('%s by %s', s.agent, s.by) from pg_temp.notified s where s.conversation_id = k.id)
      <> array['ann by race moe']$$, 'the agent is notified once');

-- One text that takes over, five times at once, as from a page that got no response
select pg_temp.commit($sql$
  delete from public.agent_notifications n using public.agents a where a.id = n.agent_id and a.agency_id = md5('race')::uuid;
  update public.recruiting_conversations set assigned_agent_id = md5('ann')::uuid where id = md5('race 1')::uuid;
$sql$);
create temp table sent as select result::jsonb from pg_temp.race(5, $$
  select public.send_text(md5('race 1')::uuid, 'Hi', md5('race client')::uuid, take_over => {worker} % 2 = 1)
  from (select set_config('request.jwt.claims', json_build_object('sub', md5('user race mia')::uuid)::text, false)) signed_in
$$, 'left out') result;
select is((select count(*)::integer from sent where result ->> 'status' = 'queued'), 1, 'one text five times at once is queued once');
select is_empty($$select from sent where result ->> 'status' <> 'duplicate' and result ->> 'status' <> 'queued'$$, 'and else a duplicate');
select results_eq('select agent, by from pg_temp.notified', $$values ('ann', 'race mia')$$, 'its agent is notified once');

-- An agent asks five times at once
select * from pg_temp.race(5, $$
  select public.ask_for_conversation(md5('race 1')::uuid)
  from (select set_config('request.jwt.claims', json_build_object('sub', md5('user ann')::uuid)::text, false)) signed_in
$$);
select is(
  (select count(*)::integer from public.agent_notifications
   where conversation_id = md5('race 1')::uuid and kind = 'asked_for'), 1, 'who asks five times at once has asked once');

-- Two managers give the same 40 conversations to different agents, named in opposite orders
create temp table given as select result::integer as given from pg_temp.race(4, $$
  select (public.assign_conversations(
    array(select md5('race ' || n)::uuid from generate_series(1, 40) n order by n * (2 * ({worker} % 2) - 1)),
    case {worker} % 2 when 1 then md5('race mia')::uuid else md5('race moe')::uuid end) ->> 'given')::integer
  from (select set_config('request.jwt.claims', json_build_object('sub', md5('user race mia')::uuid)::text, false)) signed_in
$$, 'repeated') result;
select cmp_ok((select sum(given) from given), '>=', 39::bigint, 'managers who give many conversations away at once all come to an end');
select is(
  (select count(distinct c.assigned_agent_id)::integer from public.recruiting_conversations c
   where c.id in (select md5('race ' || n)::uuid from generate_series(1, 40) n)), 1, 'and the last one has given all');

select pg_temp.remove_committed('race');
select * from finish();
rollback;
