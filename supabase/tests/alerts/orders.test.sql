-- The alerts about orders: when each of them opens, stays and ends.
begin;
select plan(21);
\ir ../helpers.psql

-- Rows of other tests and of the seed must not matter.
delete from public.alerts;
delete from private.job_runs where job = 'check alerts';
update public.alert_rules set is_on = kind in ('order_nearly_filled', 'order_filled');
update public.recruiting_orders set status = 'closed';
select pg_temp.create_agency('agency'), pg_temp.create_vendor('acme');
insert into public.recruiting_orders (id, agency_id, quantity, created_at)
values (md5('order')::uuid, md5('agency')::uuid, 100, now() - interval '30 days');

create function pg_temp.set_order(changes text) returns void language plpgsql as $$
begin
  execute format('update public.recruiting_orders set %s where id = md5(''order'')::uuid', changes);
end
$$;
-- Leads that the order got so long ago.
create function pg_temp.distribute(leads integer, ago interval) returns void language plpgsql as $$
begin
  insert into public.recruiting_leads (vendor_id, first_name, distribution, agency_id, order_id, distributed_at)
  select md5('acme')::uuid, 'Ada', 'distributed', md5('agency')::uuid, md5('order')::uuid, now() - ago
  from generate_series(1, leads);
  perform pg_temp.set_order('filled = filled + ' || leads);
end
$$;

-- The open alerts after each of these statements and a check, which is undone at the end.
create function pg_temp.connected(variadic statements text[]) returns text language plpgsql as $$
declare
  statement text;
  opened text;
begin
  begin
    foreach statement in array statements loop
      execute statement;
      perform private.check_alerts();
      opened := concat_ws(', ', opened, coalesce(
        (select string_agg(concat_ws(' ', a.kind, a.details), ' and ') from public.alerts a where a.state = 'open'), 'none'));
      if exists (select from public.alerts a where a.subject <> md5('order')::uuid::text) then
        raise exception 'an alert of another subject';
      end if;
    end loop;
    raise exception using errcode = 'UNDO0';
  exception when sqlstate 'UNDO0' then
    null;
  end;
  return opened;
end
$$;

select is(pg_temp.connected(variadic statements), opened, array_to_string(statements, '; '))
from (values
  (array[$$select pg_temp.set_order('filled = 89')$$], 'none'),
  (array[$$select pg_temp.set_order('filled = 90')$$, $$select$$, $$select pg_temp.set_order('quantity = 101')$$],
    'order_nearly_filled {"agency": "agency", "filled": 90, "quantity": 100, "full_in_days": null, "leads_7_days": 0}, '
    'order_nearly_filled {"agency": "agency", "filled": 90, "quantity": 100, "full_in_days": null, "leads_7_days": 0}, none'),
  (array[$$select pg_temp.set_order('filled = 90, status = ''paused''')$$], 'none'),
  (array[$$select pg_temp.set_order('filled = 90, status = ''closed''')$$], 'none'),
  (array[$$select pg_temp.set_order('filled = 90, ends_at = now()')$$], 'none'),
  (array[$$select pg_temp.set_order('filled = 90, ends_at = now() + interval ''1 second''')$$],
    'order_nearly_filled {"agency": "agency", "filled": 90, "quantity": 100, "full_in_days": null, "leads_7_days": 0}'),
  -- Seven leads a day, and 14 to come
  (array[$$select pg_temp.set_order('filled = 37'), pg_temp.distribute(49, '6 days')$$],
    'order_nearly_filled {"agency": "agency", "filled": 86, "quantity": 100, "full_in_days": 2.0, "leads_7_days": 49}'),
  (array[$$select pg_temp.set_order('filled = 36'), pg_temp.distribute(49, '6 days')$$], 'none'),
  (array[$$select pg_temp.set_order('filled = 37'), pg_temp.distribute(48, '6 days'), pg_temp.distribute(1, '7 days')$$], 'none'),
  -- It began later.
  (array[$$select pg_temp.set_order('created_at = now() - interval ''2 days'''), pg_temp.distribute(50, '1 hour')$$],
    'order_nearly_filled {"agency": "agency", "filled": 50, "quantity": 100, "full_in_days": 2.0, "leads_7_days": 50}'),
  (array[$$select pg_temp.set_order('created_at = now() - interval ''2 days'''), pg_temp.distribute(49, '1 hour')$$], 'none'),
  (array[$$select pg_temp.set_order('starts_at = now() - interval ''1 minute'''), pg_temp.distribute(34, '1 second')$$],
    'order_nearly_filled {"agency": "agency", "filled": 34, "quantity": 100, "full_in_days": 1.9, "leads_7_days": 34}'),
  (array[$$select pg_temp.set_order('starts_at = now() - interval ''1 minute'''), pg_temp.distribute(33, '1 second')$$], 'none'),
  -- Thresholds
  (array[$$select pg_temp.set_order('filled = 80');
    update public.alert_rules set threshold = threshold || '{"percent": 80}' where kind = 'order_nearly_filled'$$],
    'order_nearly_filled {"agency": "agency", "filled": 80, "quantity": 100, "full_in_days": null, "leads_7_days": 0}'),
  (array[$$select pg_temp.set_order('filled = 16'), pg_temp.distribute(49, '6 days');
    update public.alert_rules set threshold = threshold || '{"days": 5}' where kind = 'order_nearly_filled'$$],
    'order_nearly_filled {"agency": "agency", "filled": 65, "quantity": 100, "full_in_days": 5.0, "leads_7_days": 49}'),
  -- Full: the one alert ends and the other opens, until the order is closed or raised.
  (array[$$select pg_temp.set_order('filled = 99')$$, $$select pg_temp.set_order('filled = 100, status = ''filled''')$$, $$select$$,
    $$select public.change_order(md5('order')::uuid, '{"status": "closed"}')$$],
    'order_nearly_filled {"agency": "agency", "filled": 99, "quantity": 100, "full_in_days": null, "leads_7_days": 0}, '
    'order_filled {"agency": "agency", "filled": 100, "quantity": 100}, order_filled {"agency": "agency", "filled": 100, "quantity": 100}, none'),
  (array[$$select pg_temp.set_order('filled = 100, status = ''filled''')$$,
    $$select public.change_order(md5('order')::uuid, '{"quantity": 200}')$$],
    'order_filled {"agency": "agency", "filled": 100, "quantity": 100}, none'),
  (array[$$select pg_temp.set_order('filled = 100, status = ''filled''')$$,
    $$update public.alert_rules set is_on = false where kind = 'order_filled'$$],
    'order_filled {"agency": "agency", "filled": 100, "quantity": 100}, none')
) c (statements, opened);

-- Their words, commands and links
create function pg_temp.said(changes text) returns text language plpgsql as $$
begin
  perform pg_temp.set_order(changes), private.check_alerts();
  return (select replace(
      concat_ws(': ', replace(a.subject_name, left(a.subject, 8), '<order>'), a.problem, replace(a.command, left(a.subject, 8), '<order>'), a.link),
      a.subject, '<order>')
    from public.alerts a where a.state = 'open');
end
$$;
select is(pg_temp.said('filled = 95'),
  'order <order> of agency: has 95 of its 100 leads: order update <order> --quantity 200: /operator/orders/<order>', 'of one that is nearly full');
select is(pg_temp.said('filled = 100, status = ''filled'''),
  'order <order> of agency: is full, with 100 leads: order close <order>: /operator/orders/<order>', 'of one that is full');
select pg_temp.set_order('filled = 0, status = ''open''');

-- The pace is that of the manager's page.
select pg_temp.distribute(70, '5 days');
select is(
  (select array[ceil((f.details ->> 'full_in_days')::numeric), (f.details ->> 'leads_7_days')::numeric]
    from private.find_order_nearly_filled('{"percent": 90, "days": 30}', now()) f),
  (select array[p.full_in_days, p.leads_7_days]::numeric[] from public.order_pace p where p.id = md5('order')::uuid),
  'the pace is the one that a manager reads');

select * from finish();
rollback;
