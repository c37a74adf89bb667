-- What operators do with suppressions on a page, and that nobody else does.
begin;
select plan(12);
\ir ../helpers.psql

select pg_temp.create_people();
insert into public.operators (user_id) values (md5('user visitor')::uuid);
create function pg_temp.call(name text, call text) returns text language plpgsql as $$
declare
  result text;
begin
  perform pg_temp.become(name);
  execute 'select ' || call into result;
  perform set_config('role', 'none', true);
  return result;
exception when others then
  perform set_config('role', 'none', true);
  return sqlstate || ' ' || sqlerrm;
end
$$;

select is(pg_temp.call('mia', call), '42501 only an operator may do this', 'a manager may not call ' || call)
from unnest(array['add_suppression(''+13125550142'', ''x'')', 'remove_suppression(''+13125550142'')']) call;
select is(pg_temp.call('visitor', format('add_suppression(%L, %L, %L)', contact, reason, ends)), 'PT400 ' || error, error)
from (values
  ('12', 'x', null, 'contact: must be a phone number in E.164 or an e-mail address'),
  ('+13125550142', ' ', null, 'reason: must have 1 to 500 characters'),
  ('+13125550142', 'x', now(), 'ends_at: must be in the future')
) w (contact, reason, ends, error);
select is(
  pg_temp.call('visitor', 'add_suppression('' Maria@Example.com'', ''asked us'')')::jsonb,
  '{"kind": "email", "value": "maria@example.com", "ends_at": null, "is_new": true}', 'an operator adds one');
select is(
  pg_temp.call('visitor', 'add_suppression(''maria@example.com'', ''other'', now() + interval ''1 day'')')::jsonb,
  '{"kind": "email", "value": "maria@example.com", "ends_at": null, "is_new": false}', 'that one does not end earlier');
select is(pg_temp.call(name, 'count(*) from public.suppression_list'), seen, name || ' reads ' || seen)
from (values ('visitor', '1'), ('mia', '0')) r (name, seen);
select is(pg_temp.call('visitor', 'remove_suppression(''MARIA@example.com'')'), '', 'an operator removes it');
select is(
  pg_temp.call('visitor', 'remove_suppression(''maria@example.com'')'), 'PT404 contact: it is not suppressed', 'which is done once');
select results_eq(
  $$select action, subject from public.operator_actions where user_id = md5('user visitor')::uuid order by created_at$$,
  $$values ('suppression add', '{"by": "email"}'::jsonb), ('suppression add', '{"by": "email"}'),
    ('suppression remove', '{"by": "email"}')$$,
  'each is stored, without the person');

select * from finish();
rollback;
