-- order_standings(): what a manager reads of why an order gets no leads, and nothing of other agencies.
begin;
select plan(21);
\ir ../helpers.psql

update public.recruiting_orders set status = 'closed';
select pg_temp.create_people();
select pg_temp.create_vendor('vendor');
create function pg_temp.create_order(name text, priority integer, states text[] default null, agency text default 'agency')
returns void language sql as $$
  insert into public.recruiting_orders (id, agency_id, vendor_id, quantity, priority, states)
  values (md5(name)::uuid, md5(agency)::uuid, md5('vendor')::uuid, 10, create_order.priority, create_order.states)
$$;
select pg_temp.create_order('mine', 0, array['TX', 'OK']);

-- What somebody reads after a change, which is undone again.
create function pg_temp.said_after(change text, who text default 'mia') returns text language plpgsql as $$
declare
  said text;
begin
  begin
    execute change;
    perform pg_temp.become(who);
    select string_agg(concat_ws(' ',
      case s.order_id when md5('mine')::uuid then 'mine' when md5('own')::uuid then 'own' else '?' end, s.standing,
      (select string_agg((b ->> 'vendor') || ' ' || coalesce(b ->> 'states', 'any'), ', ' order by n)
        from jsonb_array_elements(s.behind) with ordinality e (b, n))), '; ' order by s.standing)
    into said
    from public.order_standings() s;
    raise exception using errcode = 'UNDO0';
  exception when sqlstate 'UNDO0' then
    return said;
  end;
end
$$;

select is(pg_temp.said_after(change), said, change)
from (values
  ('select', null),
  ('update public.recruiting_orders set status = ''paused''', null),
  ('update public.recruiting_orders set ends_at = now()', null),
  ('update public.recruiting_orders set daily_cap = 1', null),
  ('update public.recruiting_orders set daily_cap = 1;
    insert into public.recruiting_leads (vendor_id, first_name, distribution, agency_id, order_id, distributed_at)
    values (md5(''vendor'')::uuid, ''Ida'', ''distributed'', md5(''agency'')::uuid, md5(''mine'')::uuid, now())', 'mine capped'),
  ('update public.vendors set is_active = false', 'mine vendor_inactive'),
  ('update public.agents set accepts_recruits = false', 'mine no_agent'),
  -- Own orders
  ('select pg_temp.create_order(''own'', 1)', 'mine behind vendor any'),
  ('select pg_temp.create_order(''own'', 1, array[''TX''])', 'mine partly vendor ["TX"]'),
  ('select pg_temp.create_order(''own'', 1, array[''TX'']), pg_temp.create_order(''own 2'', 2, array[''OK''])',
    'mine behind vendor ["OK"], vendor ["TX"]'),
  ('select pg_temp.create_order(''own'', 1, array[''NV''])', null),
  -- Of one priority they take turns, and none is behind the other.
  ('select pg_temp.create_order(''own'', 0)', null),
  ('select pg_temp.create_order(''own'', 1); update public.recruiting_orders set status = ''paused'' where id = md5(''own'')::uuid', null),
  -- Orders of other agencies: that they go first for everything, and nothing else.
  ('select pg_temp.create_order(''theirs'', 1, null, ''elsewhere'')', 'mine others'),
  ('select pg_temp.create_order(''theirs'', 1, array[''TX''], ''elsewhere'')', null),
  ('select pg_temp.create_order(''theirs'', 9, null, ''elsewhere''), pg_temp.create_order(''own'', 1)',
    'mine behind vendor any; own others')
) c (change, said);

select is(pg_temp.said_after('select pg_temp.create_order(''own'', 1)', who), null, 'nobody else reads it: ' || who)
from unnest(array['ann', 'former', 'otto']) who;

insert into public.operators (user_id) values (md5('user otto')::uuid);
select pg_temp.create_order('mine 2', 1, array['TX', 'OK'], 'elsewhere');
select pg_temp.become('otto');
select is(array_agg(concat_ws(' ', s.order_id, s.standing, s.agency, s.since = now())), array[md5('mine')::uuid || ' others agency t'],
  'an operator reads it of all agencies, and since when')
from public.order_standings(true) s;
reset role;
select pg_temp.become('mia');
select throws_ok('select public.order_standings(true)', '42501', null, 'and a manager does not');
select * from finish();
rollback;
