-- The hours in which texts may be sent, by the functions of an operator.
begin;
select plan(10);
\ir helpers.psql

create function pg_temp.hours(state text, day integer) returns text language sql as $$
  select format('%s-%s %s', opens, closes, source) from public.quiet_hours q
  where q.state is not distinct from hours.state and q.day_of_week is not distinct from day
$$;
select is((public.set_quiet_hours('NV', 0, '10:00', '18:00', 'Office')).state, 'NV', 'hours are set for a state and a day');
select is(pg_temp.hours('NV', 0), '10:00:00-18:00:00 Office', 'as they are said');
select public.set_quiet_hours('NV', 0, '11:00', '12:00', 'Law');
select is(pg_temp.hours('NV', 0), '11:00:00-12:00:00 Law', 'again, they are changed');
select public.set_quiet_hours('NV', 0, null, null, null);
select is(pg_temp.hours('NV', 0), null, 'and taken away');

select public.set_quiet_hours(null, null, '00:00', '00:00', 'Office');
delete from public.quiet_hours where state is not null or day_of_week is not null;
select results_eq(
  $$select opens_at, closes_at from public.text_hours('+17025550100')$$, $$values ('infinity'::timestamptz, 'infinity'::timestamptz)$$,
  'closed everywhere, a number may never be texted');
select public.set_quiet_hours(null, null, '00:00', '24:00', 'Office');
select is((public.text_hours('+17025550100', 'NV')).opens_at, now(), 'open all day, at once');

select throws_ok(format('select public.set_quiet_hours(%s)', arguments), code, null, format('%s is refused', arguments))
from (values
  ($$'XX', null, '09:00', '20:00', 'Law'$$, 'PT400'), ($$null, null, null, null, null$$, 'PT400'),
  ($$'NV', 3, null, null, null$$, 'PT404'), ($$'NV', null, '20:00', '09:00', 'Law'$$, '23514')
) e (arguments, code);

select * from finish();
rollback;
