-- The alert about an open order that can't fill.
begin;
select plan(12);
\ir ../helpers.psql

update public.recruiting_orders set status = 'paused';
select pg_temp.create_agency('agency', 'America/Chicago', 'ann', 'bob'), pg_temp.create_vendor('vendor', repeat('a', 64));
insert into public.recruiting_orders (id, agency_id, vendor_id, quantity)
values (md5('order')::uuid, md5('agency')::uuid, md5('vendor')::uuid, 100);
create function pg_temp.set_order(changes text) returns void language plpgsql as $$
begin
  execute format('update public.recruiting_orders set %s where id = md5(''order'')::uuid', changes);
end
$$;

-- The findings after some statements, which are undone again. Ids are shown by their names, and times as <time>.
create function pg_temp.found(statements text) returns text language plpgsql as $$
declare
  findings text;
begin
  begin
    execute statements;
    select string_agg(format('%s: %s: %s: %s', f.subject_name, f.problem, f.command, f.link), E'\n')
    into findings
    from private.find_order_stalled('{}', now()) f;
    raise exception using errcode = 'UNDO0';
  exception when sqlstate 'UNDO0' then
    null;
  end;
  findings := replace(findings, md5('order')::uuid::text, '<order>');
  findings := replace(replace(findings, left(md5('order'), 8), '<order>'), left(md5('agency'), 8), '<agency>');
  return regexp_replace(findings, '[A-Z][a-z]+ \d+, \d{4}, \d+:\d\d [AP]M UTC', '<time>', 'g');
end
$$;

select is(pg_temp.found(statements), finding, statements)
from (values
  ($$select pg_temp.set_order('filled = 3')$$, null),
  ($$select pg_temp.set_order('ends_at = now() - interval ''1 hour'', filled = 3')$$,
    'order <order> of agency: ended <time>, 97 of 100 leads short: order close <order>: /operator/orders/<order>'),
  ($$select pg_temp.set_order('ends_at = now() - interval ''1 hour'', status = ''paused''')$$, null),
  ($$select pg_temp.set_order('ends_at = now() - interval ''1 hour'', filled = 100, status = ''filled''')$$, null),
  ($$select pg_temp.set_order('daily_cap = 9, filled = 1, ends_at = (now() at time zone ''America/Chicago'')::date + time ''24:00''
      at time zone ''America/Chicago'' + interval ''9 days''')$$,
    'order <order> of agency: can get 90 of its 99 missing leads until its end, by its daily cap: order update <order> --daily-cap 10: /operator/orders/<order>'),
  ($$select pg_temp.set_order('daily_cap = 10, filled = 1, ends_at = (now() at time zone ''America/Chicago'')::date + time ''24:00''
      at time zone ''America/Chicago'' + interval ''9 days''')$$, null),
  ($$select pg_temp.set_order('daily_cap = 1')$$, null),
  ($$update public.agents set is_active = false where agency_id = md5('agency')::uuid$$,
    'order <order> of agency: gives its leads to no agent, because none of its agency is active, not away and accepts recruits: '
      'agent list --agency <agency>: /operator/orders/<order>'),
  ($$update public.agents set is_active = false where id = md5('ann')::uuid$$, null),
  ($$update public.agents set away_until = now() where agency_id = md5('agency')::uuid$$, null),
  ($$update public.vendors set is_active = false where id = md5('vendor')::uuid$$,
    'order <order> of agency: wants leads of vendor, which is inactive: vendor update test-vendor --active true: /operator/orders/<order>'),
  -- One alert for an order, of the first reason
  ($$update public.vendors set is_active = false; select pg_temp.set_order('ends_at = now() - interval ''1 hour''')$$,
    'order <order> of agency: ended <time>, 100 of 100 leads short: order close <order>: /operator/orders/<order>')
) c (statements, finding);

select * from finish();
rollback;
