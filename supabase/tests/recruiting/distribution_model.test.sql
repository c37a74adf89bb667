-- Distributing many leads together gives what distributing one after the other gives. The model below does that in the
-- plainest way, on random orders, agents and leads. Between two runs of leads, orders are changed.
begin;
select plan(8);
\ir ../helpers.psql

update public.recruiting_orders set status = 'paused';
update public.recruiting_leads set distribution = 'not_requested' where distribution in ('unmatched', 'pending');
insert into public.vendors (id, slug, name)
select md5('vendor ' || n)::uuid, 'test-vendor-' || n, 'Vendor' from generate_series(1, 2) n;
insert into public.vendor_api_keys (vendor_id, key_hash, key_prefix)
select md5('vendor ' || n)::uuid, encode(sha256(('vendor ' || n)::bytea), 'hex'), 'test' from generate_series(1, 2) n;
insert into public.agencies (id, name, timezone)
select md5('agency ' || n)::uuid, 'Agency', (array['America/New_York', 'Asia/Tokyo', 'UTC'])[n] from generate_series(1, 3) n;
create view pg_temp.own_orders as
select * from public.recruiting_orders where agency_id in (select md5('agency ' || n)::uuid from generate_series(1, 3) n);
create view pg_temp.own_agents as
select * from public.agents where agency_id in (select md5('agency ' || n)::uuid from generate_series(1, 3) n);

-- One of the values, or null.
create function pg_temp.one_of(variadic choices text[]) returns text volatile language sql as $$
  select choices[1 + floor(random() * cardinality(choices))::integer]
$$;
create function pg_temp.up_to(most integer) returns integer volatile language sql as $$
  select 1 + floor(random() * most)::integer
$$;
-- By random(), so that a seed makes the same world again.
create function pg_temp.random_id() returns uuid volatile language sql as $$
  select md5(random()::text)::uuid
$$;

create function pg_temp.make_world() returns void language plpgsql as $$
begin
  insert into public.agents (id, agency_id, first_name, is_active, accepts_recruits, away_until, last_assigned_at, created_at)
  select
    pg_temp.random_id(), md5('agency ' || agency)::uuid, 'Agent', random() < 0.8, random() < 0.8,
    case n when 3 then now() when 4 then now() + interval '1 hour' end,
    case when random() < 0.6 then now() - pg_temp.up_to(5) * interval '1 minute' end,
    now() - pg_temp.up_to(3) * interval '1 day'
  from generate_series(1, 2) agency, generate_series(1, 4) n;

  insert into public.recruiting_orders (
    id, agency_id, agent_id, vendor_id, states, quantity, filled, daily_cap, priority, status, starts_at, ends_at,
    created_at)
  select
    pg_temp.random_id(),
    md5('agency ' || agency)::uuid,
    case when random() < 0.2 then (
      select a.id from own_agents a where a.agency_id = md5('agency ' || agency)::uuid order by a.id limit 1) end,
    pg_temp.one_of(null, md5('vendor 1'), md5('vendor 2'))::uuid,
    pg_temp.one_of(null, null, '{TX}', '{OK}', '{OK,TX}', '{{TX}}')::text[],
    kind.quantity,
    least(kind.quantity, floor(random() * 1.1 * kind.quantity)),
    case when random() < 0.4 then pg_temp.up_to(8) end,
    pg_temp.up_to(2),
    pg_temp.one_of('open', 'open', 'open', 'open', 'paused'),
    case kind.dates when 'now' then now() - interval '1 hour' when 'later' then now() + interval '1 hour' end,
    case kind.dates when 'now' then now() + interval '1 hour' when 'over' then now() - interval '1 hour' end,
    now() - pg_temp.up_to(3) * interval '1 day'
  from (
    select
      1 + n % 3 as agency, pg_temp.up_to(40) as quantity,
      pg_temp.one_of('any', 'any', 'any', 'now', 'later', 'over') as dates
    from generate_series(1, 8) n
  ) kind;

  -- Leads that some orders have got today already
  insert into public.recruiting_leads (vendor_id, first_name, distribution, agency_id, order_id, distributed_at)
  select md5('vendor 1')::uuid, 'Earlier', 'distributed', o.agency_id, o.id, now()
  from own_orders o, generate_series(1, 2)
  where o.daily_cap >= 2 and random() < 0.5;

  perform pg_temp.make_leads();
end
$$;

-- Runs of leads of one vendor and state
create function pg_temp.make_leads() returns void language plpgsql as $$
begin
  insert into public.recruiting_leads (id, vendor_id, first_name, distribution, vendor_metadata, created_at)
  select
    pg_temp.random_id(), run.vendor_id, 'Waiting', 'pending', jsonb_build_object('state', run.state),
    now() - interval '1 hour' + run.ordinal * interval '1 minute' + pg_temp.up_to(3) * interval '1 second'
  from (
    select
      n as ordinal, pg_temp.one_of(md5('vendor 1'), md5('vendor 2'))::uuid as vendor_id,
      pg_temp.one_of(null, 'TX', 'tx', 'OK', 'CA', 'Texas') as state, pg_temp.up_to(15) as leads
    from generate_series(1, 8) n
  ) run, generate_series(1, run.leads);
end
$$;

-- Changes of operators to orders that have got leads. A filled one stays as it is.
create function pg_temp.change_orders() returns void language plpgsql as $$
declare
  changed record;
begin
  for changed in
    select
      o.id,
      pg_temp.one_of(
        format('starts_at = null, ends_at = %L', now() + pg_temp.one_of('-1 hour', '1 hour', null)::interval),
        format('starts_at = %L, ends_at = null', now() + pg_temp.one_of('-1 hour', '1 hour')::interval),
        format('states = %L', pg_temp.one_of(null, '{TX}', '{OK}', '{CA,TX}')),
        format('vendor_id = %L', pg_temp.one_of(null, md5('vendor 1'), md5('vendor 2'))),
        format('daily_cap = %L', pg_temp.one_of(null, '1', '5', '20')),
        format('priority = %s', pg_temp.up_to(3)),
        format('quantity = quantity + %s', pg_temp.up_to(60)), format('quantity = quantity + %s', pg_temp.up_to(60)),
        format('status = %L', pg_temp.one_of('open', 'open', 'paused', 'closed'))
      ) as setting
    from own_orders o
    where o.filled < o.quantity and random() < 0.7
    order by o.id
  loop
    execute format('update public.recruiting_orders set %s where id = %L', changed.setting, changed.id);
  end loop;
end
$$;

-- The model. Where each pending lead must go, one after the other: {lead: [order, agent]}, and what becomes of the orders.
create function pg_temp.model() returns jsonb language plpgsql as $$
declare
  lead record;
  best record;
  next_agent_id uuid;
  places jsonb := '{}';
begin
  create temp table model_orders on commit drop as
  select o.*, (
    select count(*)
    from public.recruiting_leads l
    join public.agencies a on a.id = l.agency_id
    where l.order_id = o.id and (l.distributed_at at time zone a.timezone)::date = (now() at time zone a.timezone)::date
  ) as today
  from own_orders o;
  create temp table model_agents on commit drop as select * from own_agents;

  for lead in
    select l.* from public.recruiting_leads l where l.distribution = 'pending' order by l.created_at, l.id
  loop
    next_agent_id := null;
    select * into best
    from model_orders o
    where o.status = 'open'
      and o.filled < o.quantity
      and coalesce(o.vendor_id = lead.vendor_id, true)
      and (o.states is null or coalesce(lead.state = any (o.states), false))
      and coalesce(o.starts_at <= now(), true)
      and coalesce(o.ends_at > now(), true)
      and coalesce(o.today < o.daily_cap, true)
    order by o.priority desc, o.filled::numeric / o.quantity, o.created_at, o.id
    limit 1;
    if found then
      select a.id into next_agent_id
      from model_agents a
      where a.agency_id = best.agency_id and a.is_active and coalesce(a.away_until <= now(), true) and (a.accepts_recruits or a.id = best.agent_id)
      order by coalesce(a.id = best.agent_id, false) desc, a.last_assigned_at nulls first, a.created_at, a.id
      limit 1;
      update model_orders o
      set
        filled = o.filled + 1, today = o.today + 1, status = case when o.filled + 1 = o.quantity then 'filled' else 'open' end
      where o.id = best.id;
      update model_agents a set last_assigned_at = clock_timestamp() where a.id = next_agent_id;
    end if;
    places := places || jsonb_build_object(lead.id, jsonb_build_array(best.id, next_agent_id));
  end loop;

  places := jsonb_build_object(
    'leads', places,
    'orders', (select jsonb_object_agg(o.id, jsonb_build_array(o.filled, o.status)) from model_orders o),
    'turns', (select jsonb_agg(a.id order by a.last_assigned_at nulls first, a.created_at, a.id) from model_agents a));
  drop table model_orders, model_agents;
  return places;
end
$$;

-- The same of what is stored.
create function pg_temp.stored(lead_ids uuid[]) returns jsonb language sql as $$
  select jsonb_build_object(
    'leads', (
      select jsonb_object_agg(l.id, jsonb_build_array(l.order_id, l.agent_id))
      from public.recruiting_leads l where l.id = any (lead_ids)),
    'orders', (select jsonb_object_agg(o.id, jsonb_build_array(o.filled, o.status)) from own_orders o),
    'turns', (select jsonb_agg(a.id order by a.last_assigned_at nulls first, a.created_at, a.id) from own_agents a))
$$;

-- The pending leads are sent anew, at most 50 in a call.
create function pg_temp.send_pending() returns void language plpgsql as $$
declare
  calls jsonb[];
  leads jsonb;
begin
  calls := array(
    select jsonb_agg(sent.lead order by sent.ordinal)
    from (
      select
        row_number() over (order by l.created_at, l.id) as ordinal,
        jsonb_build_object(
          'key_hash', encode(sha256(convert_to(v.name, 'UTF8')), 'hex'),
          'lead', jsonb_build_object('id', l.id, 'first_name', l.first_name, 'vendor_metadata', l.vendor_metadata)
        ) as lead
      from public.recruiting_leads l
      join (values ('vendor 1'), ('vendor 2')) as v (name) on md5(v.name)::uuid = l.vendor_id
      where l.distribution = 'pending'
    ) sent
    group by (sent.ordinal - 1) / 50
    order by (sent.ordinal - 1) / 50
  );
  delete from public.recruiting_leads l where l.distribution = 'pending';
  foreach leads in array calls loop
    perform public.ingest_recruiting_leads(leads);
  end loop;
end
$$;

create temp table result (
  seed integer, round integer, expected jsonb, stored jsonb, distributed integer, previewed jsonb, went_to jsonb);
-- The words of explain_lead() and explain_order() about a world, against the distribution in it.
create temp table explained (seed integer, subject text, said jsonb, chosen jsonb);
create temp table miscounted (seed integer, what text);

create function pg_temp.explain(seed integer) returns void language plpgsql as $$
begin
  -- The order that gets the lead, and those before it that have no reason of their own
  insert into explained
  select explain.seed, format('lead of %s from %s', l.vendor_id, l.state), to_jsonb(array(
    select o ->> 'order_id'
    from jsonb_array_elements(public.explain_lead(l.id) -> 'orders') with ordinality a (o, place)
    where (o ->> 'gets_it')::boolean or o ->> 'reason' ~ ' takes (this one|it before this order)$'
    order by place
    limit 1
  )), to_jsonb(array_remove(array[(private.best_order(l.vendor_id, l.state, now())).id], null))
  from (
    select distinct on (l.vendor_id, l.state) l.* from public.recruiting_leads l where l.distribution = 'pending'
  ) l;

  -- What it says of each order. One that gets no lead takes turns where it is first for a lead without the others of its
  -- priority, and not with them.
  insert into explained
  select explain.seed, fact.subject, fact.said, to_jsonb(exists (
    select
    from unnest(array['vendor 1', 'vendor 2', 'other']) vendor, unnest(array['TX', 'OK', null]) state
    where (private.best_order(md5(vendor)::uuid, state, now(), fact.without)).id = o.id
  ))
  from own_orders o
  -- Once for each order: it takes most of the time.
  cross join lateral (select public.explain_order(o.id) -> 'order' offset 0) e (said)
  cross join lateral (values
    ('order ' || o.id, e.said -> 'gets_leads', '{}'),
    ('turns of ' || o.id, e.said -> 'takes_turns', array(
      select other.id from own_orders other where other.priority = o.priority and other.id <> o.id))
  ) fact (subject, said, without)
  where fact.subject ~ '^order' or e.said -> 'gets_leads' = 'false';
end
$$;

-- The pending leads go to the orders, sent together or distributed afterwards; then what became of them is compared.
create function pg_temp.distribute(seed integer, round integer) returns void language plpgsql as $$
declare
  lead_ids constant uuid[] := array(select l.id from public.recruiting_leads l where l.distribution = 'pending');
  expected constant jsonb := pg_temp.model();
begin
  if seed % 2 = 0 then
    loop
      exit when private.distribute_pending();
    end loop;
  else
    perform pg_temp.send_pending();
  end if;
  insert into result values (
    seed, round, expected, pg_temp.stored(lead_ids),
    (select count(*) from public.recruiting_leads l where l.id = any (lead_ids) and l.order_id is not null));
end
$$;

-- Does something in a world and keeps what was seen of it. The world is taken back, so that no later one has to read past
-- its dead rows.
create function pg_temp.in_world(world integer, seed numeric, steps text) returns void language plpgsql as $$
declare
  results result[];
  explanations explained[];
  miscounts miscounted[];
begin
  perform setseed(seed);
  begin
    perform pg_temp.make_world();
    execute replace(steps, 'world', world::text);
    results := array(select r from result r where r.seed = world);
    explanations := array(select e from explained e where e.seed = world);
    miscounts := array(select (world, c)::miscounted from public.check_daily_counts() c);
    raise sqlstate 'TBACK';
  exception when sqlstate 'TBACK' then
    insert into result select * from unnest(results);
    insert into explained select * from unnest(explanations);
    insert into miscounted select * from unnest(miscounts);
  end;
end
$$;
create function pg_temp.preview_next(world integer) returns void language plpgsql as $$
declare
  lead jsonb;
  states text[] := array['TX', 'OK', 'CA', null];
  previews jsonb[];
  places jsonb[];
begin
  for i in 1..4 loop
    lead := jsonb_build_object(
      'id', gen_random_uuid(), 'first_name', 'Ada', 'vendor_metadata', jsonb_build_object('state', states[i]));
    previews[i] := public.preview_recruiting_lead(encode(sha256('vendor 1'), 'hex'), lead) -> 'distributed_to';
    places[i] := pg_temp.ingest_lead(encode(sha256('vendor 1'), 'hex'), lead) -> 'distributed_to';
  end loop;
  update result r set previewed = to_jsonb(previews), went_to = to_jsonb(places) where r.seed = world and r.round = 2;
end
$$;

select pg_temp.in_world(n, n / 100.0, '
  select pg_temp.explain(world);
  select pg_temp.distribute(world, 1);
  select pg_temp.change_orders(), pg_temp.make_leads();
  select pg_temp.distribute(world, 2);
  select pg_temp.preview_next(world)')
from generate_series(1, 20) n;

select is_empty(
  $$select seed, round from result where stored <> expected$$,
  'runs of leads, pending or sent together, go to the orders and agents that one lead after the other goes to: best_order(), '
    'leads_for_order(), leads_before_rival() and lock_agents() in supabase/schemas/recruiting, and pg_temp.model() in '
    'supabase/tests/recruiting/distribution_model.test.sql, have the same rule');
select cmp_ok(
  (select min(worlds) from (
    select round, count(*) filter (
      where distributed > 0 and distributed < (select count(*) from jsonb_object_keys(stored -> 'leads'))
    ) as worlds
    from result
    group by round
  ) r), '>', 10::bigint, 'in most worlds some leads are distributed and some are not, before orders are changed and after');
select is_empty(
  'select seed, previewed, went_to from result where previewed <> went_to',
  'a preview says where the next leads go: next_agent() in supabase/schemas/recruiting/placement.sql has the rule of lock_agents()');
select cmp_ok((select count(distinct went_to)::integer from result), '>', 3, 'the next leads go to various agents');

select is_empty(
  'select seed, subject, said, chosen from explained where said is distinct from chosen',
  'explain_lead() and explain_order() say what best_order() chooses: supabase/schemas/operators/explain.sql has its rule');
select cmp_ok(
  (select count(distinct (chosen::text, left(subject, 5)))::integer from explained), '>', 20, 'in worlds that differ');
select is_empty('select * from miscounted', 'and each lead is counted on its day');

-- The comparison sees a change that the choices of orders do not follow.
create view pg_temp.differing as select seed from result where round = 2 and stored <> expected;
create function pg_temp.forget_trigger() returns void language plpgsql as $$
begin
  for n in 211..230 loop
    perform pg_temp.in_world(n, -n / 300.0, '
      select pg_temp.distribute(world, 1);
      alter table public.recruiting_orders disable trigger keep_order_choices;
      select pg_temp.change_orders();
      alter table public.recruiting_orders enable trigger keep_order_choices;
      select pg_temp.make_leads();
      select pg_temp.distribute(world, 2)');
    exit when exists (select from differing);
  end loop;
end
$$;
select pg_temp.forget_trigger();
select isnt_empty('select from differing', 'a forgotten trigger of recruiting_order_choices is seen');

select * from finish();
rollback;
