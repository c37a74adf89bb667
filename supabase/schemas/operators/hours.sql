-- The hours in which texts may be sent, as an operator sees and changes them.

create function public.set_texting_hours(
  state text,
  day_of_week integer,
  opens time,
  closes time,
  source text
) returns public.texting_hours
language plpgsql
set search_path = ''
as $$
declare
  changed public.texting_hours;
begin
  if not exists (select from public.area_codes a where a.state = coalesce(set_texting_hours.state, a.state)) then
    raise exception 'state: no area code is in "%"; give two letters such as IL', private.quoted(state)
      using errcode = 'PT400';
  elsif opens is null then
    select q.* into changed
    from public.texting_hours q
    where q.state is not distinct from set_texting_hours.state
      and q.day_of_week is not distinct from set_texting_hours.day_of_week
    for update;
    if changed.id is null then
      raise exception 'there are no such hours of their own' using errcode = 'PT404';
    elsif (changed.opens, changed.closes, changed.source) = (changed.law_opens, changed.law_closes, changed.law_source) then
      raise exception 'these are the hours of the law, which stay' using errcode = 'PT404';
    elsif changed.law_source is null then
      delete from public.texting_hours q where q.id = changed.id;
    else
      update public.texting_hours q
      set opens = q.law_opens, closes = q.law_closes, source = q.law_source
      where q.id = changed.id
      returning q.* into changed;
    end if;
    perform private.release_held_texts();
    return changed;
  end if;

  insert into public.texting_hours as q (state, day_of_week, opens, closes, source)
  values (
    set_texting_hours.state, set_texting_hours.day_of_week, set_texting_hours.opens, set_texting_hours.closes,
    set_texting_hours.source
  )
  on conflict on constraint texting_hours_state_day_of_week_key do update
  set opens = excluded.opens, closes = excluded.closes, source = excluded.source
  returning q.* into changed;
  perform private.release_held_texts();
  return changed;
end
$$;

comment on function public.set_texting_hours(text, integer, time, time, text) is
  'Sets the hours in which texts may be sent to a state (null: to all without hours of their own) on a day (0 is Sunday; null: '
  'on all days without hours of their own), or removes them (opens null), so that those of the law or the wider ones apply. '
  'closes equal to opens: never. Applies to every unsent text. Returns the changed or removed row. PT400 for an unknown state; '
  'PT404 if there are none to remove, or only the law''s; 23514 if it closes before it opens, '
  'or has no source.';
grant execute on function public.set_texting_hours(text, integer, time, time, text) to service_role;

create function public.close_hours(state text, starts_on date, until date, source text) returns public.texting_closures
language plpgsql
set search_path = ''
as $$
declare
  today constant date := private.first_date();
  closed public.texting_closures;
begin
  if not exists (select from public.area_codes a where a.state = coalesce(close_hours.state, a.state)) then
    raise exception 'state: no area code is in "%"; give two letters such as IL', private.quoted(state)
      using errcode = 'PT400';
  elsif until < today then
    raise exception 'until: % is over', private.quoted(until) using errcode = 'PT400';
  elsif until < coalesce(starts_on, today) then
    raise exception 'until: % is before %', private.quoted(until),
      private.quoted(coalesce(starts_on, today)) using errcode = 'PT400';
  end if;

  insert into public.texting_closures as c (state, starts_on, ends_on, source)
  values (close_hours.state, coalesce(close_hours.starts_on, today), until, close_hours.source)
  on conflict on constraint texting_closures_state_starts_on_ends_on_key do update set source = excluded.source
  returning c.* into closed;
  perform private.release_held_texts();
  return closed;
end
$$;

comment on function public.close_hours(text, date, date, text) is
  'Closes a state (null: every state) from a day (null: today) to a day (null: until open_hours()), both in the recipient''s '
  'time: no greeting and no text of the bot is sent on them, and agents'' texts wait as in quiet hours. The hours stay '
  'unchanged. Returns the row. PT400 for an unknown state, for a last day before the first one, and for one in the past; 23514 '
  'without a source.';
grant execute on function public.close_hours(text, date, date, text) to service_role;

create function public.open_hours(state text) returns integer
language plpgsql
set search_path = ''
as $$
declare
  today constant date := coalesce(
    (
      select min((now() at time zone z.timezone)::date)
      from public.area_codes a
      cross join unnest(a.timezones) z (timezone)
      where a.state = open_hours.state
    ),
    private.first_date());
  closures integer;
begin
  with taken_away as (
    delete from public.texting_closures c
    where c.state is not distinct from open_hours.state and (c.ends_on is null or c.ends_on >= today)
    returning c.*
  ), kept as (
    -- The days that are over stay closed, so that a greeting that could not be sent on them does not count as late.
    insert into public.texting_closures (state, starts_on, ends_on, source, created_at)
    select distinct on (t.starts_on) t.state, t.starts_on, today - 1, t.source, t.created_at
    from taken_away t
    where t.starts_on < today
    order by t.starts_on, t.created_at
    on conflict on constraint texting_closures_state_starts_on_ends_on_key do nothing
  )
  select count(*) into closures from taken_away;
  perform private.release_held_texts() where closures > 0;
  return closures;
end
$$;

comment on function public.open_hours(text) is
  'Removes the closures of a state (null: those of every state) that are not over. The days of one that are over stay closed, '
  'for is_expired(). Returns their number.';
grant execute on function public.open_hours(text) to service_role;

create function public.use_law_hours(state text default null) returns integer
language plpgsql
security definer
set search_path = ''
set statement_timeout = '4s'
set lock_timeout = '2s'
as $$
declare
  removed integer;
  own integer;
begin
  perform private.require_operator();
  removed := public.open_hours(state);
  for own in
    select q.day_of_week
    from public.texting_hours q
    where q.state is not distinct from use_law_hours.state
      and (q.opens, q.closes, q.source) is distinct from (q.law_opens, q.law_closes, q.law_source)
    order by q.day_of_week
  loop
    perform public.set_texting_hours(state, own, null, null, null);
    removed := removed + 1;
  end loop;
  if removed > 0 then
    perform private.note_operator_action('hours set', jsonb_strip_nulls(jsonb_build_object('state', state))
      || '{"changes": {"none": true}}');
  end if;
  return removed;
exception when lock_not_available then
  raise exception 'Others have locked the texts that wait. Try again in a moment.' using errcode = 'PT409';
end
$$;

comment on function public.use_law_hours(text) is
  'Takes away what a state (null: all without hours of their own) has besides the hours of the law: its closures, as '
  'open_hours() does, and the hours that were set. Returns how many there were; 0: the law''s count already. '
  'PT409 if other transactions hold the lock for 2 s. For operators; for a signed-in '
  'one, it adds a row to operator_actions. 42501 for a user who is not an operator. Security definer because operators may not '
  'read or write the tables.';
grant execute on function public.use_law_hours(text) to authenticated;

create function private.release_held_texts() returns void
language plpgsql
set search_path = ''
as $$
begin
  update public.text_outbox o
  set due_at = now(), first_due_at = now()
  where o.message_id = any (array(
    select held.message_id
    from public.text_outbox held
    where held.state = 'pending' and held.reason = 'quiet_hours' and held.due_at > now()
    order by held.ordinal
    for update
  ));
end
$$;

comment on function private.release_held_texts() is
  'Makes the texts due that quiet hours hold. The claim checks the current hours, and holds them again if necessary.';

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
