-- The hours in which texts may be sent, by the functions of an operator.
begin;
select plan(37);
\ir ../helpers.psql

create function pg_temp.hours(state text, day integer) returns text language sql as $$
  select format('%s-%s %s', opens, closes, source) from public.texting_hours q
  where q.state is not distinct from hours.state and q.day_of_week is not distinct from day
$$;
select is((public.set_texting_hours('NV', 0, '10:00', '18:00', 'Office')).state, 'NV', 'hours are set for a state and a day');
select is(pg_temp.hours('NV', 0), '10:00:00-18:00:00 Office', 'as they are said');
select public.set_texting_hours('NV', 0, '11:00', '12:00', 'Law');
select is(pg_temp.hours('NV', 0), '11:00:00-12:00:00 Law', 'again, they are changed');
select public.set_texting_hours('NV', 0, null, null, null);
select is(pg_temp.hours('NV', 0), null, 'and taken away');

-- The law stays
create temp table law as select pg_temp.hours('AL', d) as hours from unnest(array[null, 0]) d;
select public.set_texting_hours('AL', null, '10:00', '11:00', 'Office'), public.set_texting_hours('AL', 0, '10:00', '11:00', 'Office');
select is(pg_temp.hours('AL', null), '10:00:00-11:00:00 Office', 'an operator''s own hours take the place of the law''s');
select public.set_texting_hours('AL', null, null, null, null), public.set_texting_hours('AL', 0, null, null, null);
select set_eq($$select pg_temp.hours('AL', d) from unnest(array[null, 0]) d$$, 'select hours from law',
  'and when they are taken away, the law''s are back');
select throws_ok($$select public.set_texting_hours('AL', null, null, null, null)$$, 'PT404', 'these are the hours of the law, which stay',
  'the law''s own are not taken away');

-- Closures
create function pg_temp.window(state text, moment text, area text default '205') returns text language sql as $$
  select format('%s to %s', to_char(w.opens_at, 'MM-DD HH24:MI'), to_char(w.closes_at, 'MM-DD HH24:MI'))
  from private.text_window('+1' || area || '5550100', state, moment::timestamptz) w
$$;
set local timezone = 'America/Chicago';
select is((public.close_hours('AL', '2099-12-24', '2099-12-26', 'Office')).state, 'AL', 'a state is closed on some days');
select is(pg_temp.window('AL', '2099-12-23 10:00'), '12-23 10:00 to 12-23 20:00', 'it is open the day before');
select is(pg_temp.window('AL', '2099-12-23 21:00'), '12-28 08:00 to 12-28 20:00', 'closed on these days and on Sunday, as by law');
select is(pg_temp.window('AL', '2099-12-26 23:59'), '12-28 08:00 to 12-28 20:00', 'until the end of the last one');
select is(pg_temp.window('NJ', '2099-12-24 10:00', '201'), '12-24 10:00 to 12-24 20:00', 'and other states are not');
select is(pg_temp.window('AL', '2099-12-24 10:00', '201'), '12-28 08:00 to 12-28 20:00', 'but for a lead of the state they count');
select is((public.close_hours('AL', '2099-12-24', '2099-12-26', 'Holiday')).source, 'Holiday', 'the same days again change the source');
select is((select count(*)::integer from public.texting_closures), 1, 'and nothing else');
select public.close_hours('AL', '2100-01-05', '2100-02-28', 'Office');
select is(pg_temp.window('AL', '2100-01-06 10:00'), '03-01 08:00 to 03-01 20:00', 'a closure may take months');
select public.close_hours(null, '2100-02-20', '2100-03-09', 'Office');
select is(pg_temp.window('AL', '2100-01-06 10:00'), '03-10 08:00 to 03-10 20:00', 'and several may follow each other');
select set_eq($$select pg_temp.hours('AL', d) from unnest(array[null, 0]) d$$, 'select hours from law', 'the hours stay as they are');
select results_eq(
  $$select days, hours, source from public.hours_list where state in ('AL', 'all') and starts_on is not null order by starts_on$$,
  $$values ('2099-12-24 to 2099-12-26', 'closed', 'Holiday'), ('2100-01-05 to 2100-02-28', 'closed', 'Office'),
    ('2100-02-20 to 2100-03-09', 'closed', 'Office')$$, 'both are listed');
select is(public.open_hours('AL'), 2, 'the closures of a state are taken away');
select is(public.open_hours(null), 1, 'and those of all');
select set_eq($$select pg_temp.hours('AL', d) from unnest(array[null, 0]) d$$, 'select hours from law', 'and the law is there');

-- Texts that are held
select pg_temp.create_agency('agency');
select pg_temp.create_conversation('held', '+12055550100', '+19995550100');
select public.close_hours('AL', null, null, 'Office');
select private.queue_text(md5('held')::uuid, 'greeting', 'Hi');
select is((select due_at from public.text_outbox where conversation_id = md5('held')::uuid), 'infinity'::timestamptz, 'without a last day nothing is sent');
select public.open_hours('AL');
select ok((select due_at <= now() from public.text_outbox where conversation_id = md5('held')::uuid), 'until the state is opened: then the hours decide');

-- A closure that has begun. The one above leaves a day that is over, while Samoa has yesterday.
delete from public.texting_closures;
insert into public.texting_closures (state, starts_on, ends_on, source)
select 'AL', d.today + starts, d.today + ends, 'Office'
from (values (-3, null), (-3, 9), (1, null), (2, 3), (-9, -8)) c (starts, ends), (select private.first_date()) d (today);
select is(public.open_hours('AL'), 4, 'closures that are not over are taken away, begun or not');
select results_eq(
  $$select starts_on - private.first_date(), ends_on < (now() at time zone 'America/Chicago')::date
    from public.texting_closures where state = 'AL' order by starts_on$$,
  $$values (-9, true), (-3, true)$$, 'days that are over stay closed');
select ok(
  not private.is_expired(now() - interval '2 days', c), 'so that a greeting does not count as late because of them')
from public.recruiting_conversations c where c.id = md5('held')::uuid;
select throws_ok(format('select public.close_hours(%s)', arguments), code, message, format('%s is refused', arguments))
from (values
  ($$'XX', null, null, 'x'$$, 'PT400', 'state: no area code is in "XX"; give two letters such as IL'),
  ($$'AL', '2099-01-02', '2099-01-01', 'x'$$, 'PT400', 'until: 2099-01-01 is before 2099-01-02'),
  ($$'AL', null, '2020-01-01', 'x'$$, 'PT400', 'until: 2020-01-01 is over'), ($$'AL', null, null, ' '$$, '23514', null)
) e (arguments, code, message);

select public.set_texting_hours(null, null, '00:00', '00:00', 'Office');
delete from public.texting_hours where state is not null or day_of_week is not null;
select results_eq(
  $$select opens_at, closes_at from public.text_hours('+17025550100')$$, $$values ('infinity'::timestamptz, 'infinity'::timestamptz)$$,
  'closed everywhere, a number may never be texted');
select public.set_texting_hours(null, null, '00:00', '24:00', 'Office');
select is((public.text_hours('+17025550100', 'NV')).opens_at, now(), 'open all day, at once');

select public.set_texting_hours(null, null, null, null, null);
select is(pg_temp.hours(null, null), '08:00:00-21:00:00 47 CFR § 64.1200(c)(1)', 'and those of the law are restored for all states too');

select throws_ok(format('select public.set_texting_hours(%s)', arguments), code, null, format('%s is refused', arguments))
from (values
  ($$'XX', null, '09:00', '20:00', 'Law'$$, 'PT400'),
  ($$'NV', 3, null, null, null$$, 'PT404'), ($$'NV', null, '20:00', '09:00', 'Law'$$, '23514')
) e (arguments, code);

select * from finish();
rollback;
