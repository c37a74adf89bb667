-- The hours in which texts may be sent, as an operator sees and changes them.

create function public.set_quiet_hours(
  state text,
  day_of_week integer,
  opens time,
  closes time,
  source text
) returns public.quiet_hours
language plpgsql
set search_path = ''
as $$
declare
  changed public.quiet_hours;
begin
  if not exists (select from public.area_codes a where a.state = coalesce(set_quiet_hours.state, a.state)) then
    raise exception 'state: no area code is in "%"; give two letters such as IL', state using errcode = 'PT400';
  elsif opens is null and state is null and day_of_week is null then
    raise exception 'the hours of all states and days can be changed, but not taken away' using errcode = 'PT400';
  elsif opens is null then
    delete from public.quiet_hours q
    where q.state is not distinct from set_quiet_hours.state
      and q.day_of_week is not distinct from set_quiet_hours.day_of_week
    returning q.* into changed;
    if not found then
      raise exception 'there are no such hours of their own' using errcode = 'PT404';
    end if;
    return changed;
  end if;

  insert into public.quiet_hours as q (state, day_of_week, opens, closes, source)
  values (
    set_quiet_hours.state, set_quiet_hours.day_of_week, set_quiet_hours.opens, set_quiet_hours.closes,
    set_quiet_hours.source
  )
  on conflict on constraint quiet_hours_state_day_of_week_key do update
  set opens = excluded.opens, closes = excluded.closes, source = excluded.source
  returning q.* into changed;
  return changed;
end
$$;

comment on function public.set_quiet_hours(text, integer, time, time, text) is
  'Sets the hours in which texts may be sent to a state (null: to all without hours of their own) on a day (0 is Sunday; '
  'null: on all days without hours of their own), or takes them away (opens null). closes the same as opens: never. Counts '
  'for every text that is not sent yet. Returns the row. PT400 for a state that is none, and for taking the last hours '
  'away; PT404 when there are none to take away; 23514 when it closes before it opens, or has no source.';
grant execute on function public.set_quiet_hours(text, integer, time, time, text) to service_role;

create function public.text_hours(phone text, state text default null, out opens_at timestamptz, out closes_at timestamptz)
language sql
stable
set search_path = ''
as $$
  select w.opens_at, w.closes_at from private.text_window(text_hours.phone, text_hours.state, now()) w
$$;

comment on function public.text_hours(text, text) is
  'From when a text may be sent to this number, and until when, as of now. state: the recruit''s, where it is known.';
grant execute on function public.text_hours(text, text) to service_role;
