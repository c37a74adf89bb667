-- What operators do with suppressions on a page and by files.
begin;
select plan(10);
\ir ../helpers.psql

select pg_temp.create_people();
insert into public.operators (user_id) values (md5('user visitor')::uuid);
create function pg_temp.call(call text) returns text language sql as $$
  select pg_temp.result_as('visitor', 'select public.' || call)
$$;
select is(pg_temp.call(format('add_suppression(%L, %L, %L)', contact, reason, ends)), 'PT400 ' || error, error)
from (values
  ('12', 'x', null, 'contact: must be a phone number in E.164 or an e-mail address'),
  ('+13125550142', ' ', null, 'reason: must have 1 to 500 characters'),
  ('+13125550142', 'x', now(), 'ends_at: must be in the future')
) w (contact, reason, ends, error);
select is(
  pg_temp.call('add_suppression('' Maria@Example.com'', ''asked us'')')::jsonb,
  '{"kind": "email", "value": "maria@example.com", "ends_at": null, "is_new": true}', 'an operator adds one');
select is(
  pg_temp.call('add_suppression(''maria@example.com'', ''other'', now() + interval ''1 day'')')::jsonb,
  '{"kind": "email", "value": "maria@example.com", "ends_at": null, "is_new": false}', 'that one does not end earlier');
select is(pg_temp.result_as('visitor', 'select count(*) from public.suppression_list'), '1', 'and reads it');
select is(pg_temp.call('remove_suppression(''MARIA@example.com'')'), '', 'an operator removes it');
select is(
  pg_temp.call('remove_suppression(''maria@example.com'')'), 'PT404 contact: it is not suppressed', 'which is done once');
select results_eq(
  $$select action, subject from public.operator_actions where user_id = md5('user visitor')::uuid order by created_at$$,
  $$values ('suppression add', '{"by": "email"}'::jsonb), ('suppression add', '{"by": "email"}'),
    ('suppression remove', '{"by": "email"}')$$,
  'each is stored, without the person');

-- A tenth of a long file. Row by row with a scan each, it would take minutes.
create temp table many as
select jsonb_agg(jsonb_build_object('contact', format('person%s@list.example', n), 'reason', 'state list', 'ends_at', null)) as contacts
from generate_series(1, 10000) n;
set local statement_timeout = '10s';
select is(
  private.suppress(contacts, 'list.csv'), '{"added": 10000, "extended": 0, "unchanged": 0}', 'a file of many people takes no long time')
from many;
set local statement_timeout = 0;

select * from finish();
rollback;
