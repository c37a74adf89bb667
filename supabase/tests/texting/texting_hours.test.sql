-- When a text may be sent: by the recipient's area code and the lead's state.
begin;
select plan(54);

-- All results are in UTC.
set local timezone = 'UTC';

create function pg_temp.text_window(phone text, moment timestamptz, state text default null) returns text language sql as $$
  select format('%s to %s', to_char(opens_at, 'Dy MM-DD HH24:MI'), to_char(closes_at, 'Dy MM-DD HH24:MI'))
  from private.text_window(text_window.phone, text_window.state, text_window.moment)
$$;

-- January 14, 2026 is a Wednesday. New Jersey has no hours of its own and is at UTC-5 then.
select is(pg_temp.text_window(phone, moment, state), expected, description)
from (values
  ('+12015550100', timestamptz '2026-01-14 12:00-05', null, 'Wed 01-14 17:00 to Thu 01-15 02:00', 'inside: at once, until it closes'),
  ('+12015550100', '2026-01-14 07:59:59-05', null, 'Wed 01-14 13:00 to Thu 01-15 02:00', 'before it opens: then'),
  ('+12015550100', '2026-01-14 08:00-05', null, 'Wed 01-14 13:00 to Thu 01-15 02:00', 'when it opens: at once'),
  ('+12015550100', '2026-01-14 20:59:59-05', null, 'Thu 01-15 01:59 to Thu 01-15 02:00', 'a second before it closes: at once'),
  ('+12015550100', '2026-01-14 21:00-05', null, 'Thu 01-15 13:00 to Fri 01-16 02:00', 'when it closes: the next day'),
  ('+12015550100', '2026-01-14 23:59:59-05', null, 'Thu 01-15 13:00 to Fri 01-16 02:00', 'before midnight: the next day'),
  ('+12015550100', '2026-01-14 00:00-05', null, 'Wed 01-14 13:00 to Thu 01-15 02:00', 'at midnight: the day that begins'),
  ('+12015550100', '2026-12-31 22:00-05', null, 'Fri 01-01 13:00 to Sat 01-02 02:00', 'on the last evening of a year: the next year'),

  ('+12055550100', '2026-01-17 20:00-06', null, 'Mon 01-19 14:00 to Tue 01-20 02:00', 'Alabama is closed on Sunday, all day'),
  ('+12145550100', '2026-01-18 08:00-06', null, 'Sun 01-18 18:00 to Mon 01-19 03:00', 'Texas opens at noon on Sunday'),
  ('+12145550100', '2026-01-19 08:00-06', null, 'Mon 01-19 15:00 to Tue 01-20 03:00', '... and at nine on Monday'),
  ('+14015550100', '2026-01-16 18:00-05', null, 'Sat 01-17 15:00 to Sat 01-17 22:00', 'Rhode Island has other hours on Saturday'),
  ('+14015550100', '2026-01-17 17:00-05', null, 'Mon 01-19 14:00 to Mon 01-19 23:00', '... and none on Sunday'),
  ('+13055550100', '2026-01-14 20:00-05', null, 'Thu 01-15 13:00 to Fri 01-16 01:00', 'Florida closes at eight'),

  ('+12015550100', '2026-03-08 01:30-05', null, 'Sun 03-08 12:00 to Mon 03-09 01:00', 'on the day on which summer time begins'),
  ('+12015550100', '2026-03-07 22:00-05', null, 'Sun 03-08 12:00 to Mon 03-09 01:00', 'on the evening before summer time begins'),
  ('+12015550100', '2026-11-01 01:30-04', null, 'Sun 11-01 13:00 to Mon 11-02 02:00', 'on the day on which summer time ends'),
  ('+12015550100', '2026-10-31 21:00-04', null, 'Sun 11-01 13:00 to Mon 11-02 02:00', 'on the evening before summer time ends'),

  ('+18505550100', '2026-01-14 08:00-05', null, 'Wed 01-14 14:00 to Thu 01-15 01:00', 'two time zones: the later opening, the earlier closing'),
  ('+18505550100', '2026-01-14 19:30-06', null, 'Thu 01-15 14:00 to Fri 01-16 01:00', '... so it is closed when one of them is'),
  ('+16025550100', '2026-07-15 01:00-07', null, 'Wed 07-15 15:00 to Thu 07-16 04:00', 'Arizona has no summer time'),
  ('+16025550100', '2026-01-14 01:00-07', null, 'Wed 01-14 15:00 to Thu 01-15 04:00', '... and the same hours in winter'),
  ('+19285550100', '2026-07-15 01:00-07', null, 'Wed 07-15 15:00 to Thu 07-16 03:00', '... but where a part of the area has it, both count'),
  ('+18085550100', '2026-01-14 01:00-10', null, 'Wed 01-14 18:00 to Thu 01-15 07:00', 'Hawaii'),
  ('+17875550100', '2026-01-14 01:00-04', null, 'Wed 01-14 12:00 to Thu 01-15 01:00', 'Puerto Rico'),
  ('+16715550100', '2026-01-14 07:00+10', null, 'Tue 01-13 22:00 to Wed 01-14 11:00', 'Guam'),
  ('+18765550100', '2026-07-15 01:00-05', null, 'Wed 07-15 13:00 to Thu 07-16 02:00', 'a country without states: the hours of all states'),
  ('+14165550100', '2026-01-14 01:00-05', null, 'Wed 01-14 14:00 to Thu 01-15 02:30', 'Canada has hours of its own'),
  ('+14165550100', '2026-01-16 22:00-05', null, 'Sat 01-17 15:00 to Sat 01-17 23:00', '... and others on Saturday'),

  ('+12015550100', '2026-01-14 08:00-05', 'WA', 'Wed 01-14 16:00 to Thu 01-15 02:00', 'a lead in another state than its area code: both count'),
  ('+12015550100', '2026-01-17 22:00-05', 'AL', 'Mon 01-19 14:00 to Tue 01-20 02:00', '... its days too'),
  ('+16715550100', '2026-01-14 12:00+10', 'NY', 'Wed 01-14 22:00 to Thu 01-15 02:00', '... also where few hours are left'),
  ('+12145550100', '2026-01-14 08:00-06', 'TX', 'Wed 01-14 15:00 to Thu 01-15 03:00', 'in its own state, the area is the narrower place'),
  ('+12015550100', '2026-01-14 01:00-05', 'ZZ', 'Wed 01-14 13:00 to Thu 01-15 02:00', 'an unknown state does not count'),
  ('+18005550100', '2026-01-14 08:00-05', 'FL', 'Wed 01-14 14:00 to Thu 01-15 01:00', 'toll-free: the lead''s state, with all its time zones'),
  ('+18005550100', '2026-01-14 08:00-05', null, 'Wed 01-14 16:00 to Thu 01-15 02:00', 'toll-free without a state: all time zones of the contiguous states'),
  ('+18005550100', '2026-01-14 08:00-05', 'ZZ', 'Wed 01-14 16:00 to Thu 01-15 02:00', '... and with an unknown state'),
  ('+442079460100', '2026-01-14 08:00-05', null, 'Wed 01-14 16:00 to Thu 01-15 02:00', 'a foreign number: as one without a known area code'),
  ('+442079460100', '2026-01-14 08:00-05', 'FL', 'Wed 01-14 14:00 to Thu 01-15 01:00', '... and with a state'),
  ('20155', '2026-01-14 08:00-05', null, 'Wed 01-14 16:00 to Thu 01-15 02:00', 'a short code'),
  ('+1201555010', '2026-01-14 08:00-05', null, 'Wed 01-14 16:00 to Thu 01-15 02:00', 'a number that is too short has no area code'),
  (null, '2026-01-14 08:00-05', null, 'Wed 01-14 16:00 to Thu 01-15 02:00', 'no number')
) cases (phone, moment, state, expected, description);

-- The same, checked by another way of counting: each place by the clock on its wall.
create temporary table wall_clocks as
select w.opens_at, w.closes_at, m.moment, z.timezone, q.opens, q.closes
from (select distinct on (state, timezones) * from public.area_codes) a
cross join (values
  (timestamptz '2026-03-06 23:59Z'), ('2026-03-08 06:30Z'), ('2026-07-04 04:00Z'), ('2026-10-31 18:00Z'), ('2026-11-01 05:59Z')
) m (moment)
cross join lateral private.text_window('+1' || a.area_code || '5550100', null, m.moment) w
cross join unnest(a.timezones) z (timezone)
cross join lateral (
  select * from public.texting_hours q
  where coalesce(q.state, a.state, '') = coalesce(a.state, '')
    and coalesce(q.day_of_week, extract(dow from w.opens_at at time zone z.timezone))
      = extract(dow from w.opens_at at time zone z.timezone)
  order by (q.state is not null) desc, (q.day_of_week is not null) desc
  limit 1
) q;
select is_empty(
  $$select * from pg_temp.wall_clocks where opens_at < moment or closes_at <= opens_at
    or (opens_at at time zone timezone)::time not between opens and closes - interval '1 microsecond'
    or (closes_at at time zone timezone)::time > closes$$,
  'in every area, a text is sent only while all its clocks show an open hour');
select cmp_ok(count(*), '>', 500::bigint, '... in all areas that differ, with all their time zones') from pg_temp.wall_clocks;

insert into public.texting_hours (state, day_of_week, opens, closes, source) values
  ('VT', null, '09:00', '09:00', 'test'), ('NH', null, '00:00', '24:00', 'test'), (null, 0, '10:00', '10:00', 'test'),
  ('DE', null, '02:59', '03:00', 'test');
select is(pg_temp.text_window('+18025550100', '2026-01-14 08:00-05'), ' to ', 'a state that is closed on all days never opens');
select is(w.opens_at, 'infinity', '... which is said by infinity') from private.text_window('+18025550100', null, now()) w;
select ok(w.closes_at >= timestamptz '2026-01-16 00:00-05', 'a state that is open day and night does not close at midnight')
from private.text_window('+16035550100', null, '2026-01-14 08:00-05') w;
select is(pg_temp.text_window('+12015550100', '2026-01-17 21:00-05'), 'Mon 01-19 13:00 to Tue 01-20 02:00',
  'a row of one day goes before one of all days');
select is(pg_temp.text_window('+13055550100', '2026-01-17 21:00-05'), 'Sun 01-18 13:00 to Mon 01-19 01:00',
  'a row of the state goes before one of the day');
select is(pg_temp.text_window('+13025550100', '2026-03-07 12:00-05'), 'Mon 03-09 06:59 to Mon 03-09 07:00',
  'an opening that the clock change skips is no error');

delete from public.texting_hours where state is null and day_of_week is null;
select is(pg_temp.text_window('+12015550100', '2026-01-14 12:00-05'), ' to ', 'without any row, nothing is ever sent');

select throws_ok(
  $$insert into public.area_codes (area_code, country, timezones, source) values ('999', 'US', '{America/Gotham}', 'test')$$,
  '22023', 'timezones: "America/Gotham" is not an IANA time zone name', 'a time zone that the server does not know is refused');
select throws_ok(
  $$insert into public.texting_hours (state, opens, closes, source) values ('NJ', '21:00', '08:00', 'test')$$,
  '23514', null, 'hours over midnight are refused');
select set_eq(
  $$select distinct state from public.area_codes where country = 'US'$$,
  string_to_array('AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND '
    'OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY AS GU MP PR VI', ' '),
  'every state and territory has an area code');

select * from finish();
rollback;
