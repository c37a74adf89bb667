-- When a text may be sent: the hours that the law leaves open, and the time zones in which they count.

create table public.texting_hours (
  id uuid primary key default gen_random_uuid(),
  state text check (state ~ '^[A-Z]{2}$'),
  day_of_week smallint check (day_of_week between 0 and 6),
  opens time not null,
  closes time not null,
  source text not null check (btrim(source) <> ''),
  law_opens time,
  law_closes time,
  law_source text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique nulls not distinct (state, day_of_week),
  check (opens <= closes),
  check (num_nulls(law_opens, law_closes, law_source) in (0, 3))
);

comment on table public.texting_hours is
  'The hours in which texts may be sent, by the recipient''s state and day: never before `opens` and never from `closes` '
  'on, local time. A row of the state goes before one of all states; after that, a row of the day before one of all days. '
  'An operator may change rows; counsel must review them. Holidays are not in it; texting_closures is for them.';
comment on column public.texting_hours.state is
  'Two letters of a state, territory or Canadian province; null: every state without a row of its own.';
comment on column public.texting_hours.day_of_week is '0 is Sunday; null: every day without a row of its own.';
comment on column public.texting_hours.closes is 'The same as `opens`: nothing is sent on this day.';
comment on column public.texting_hours.source is 'The law, or what else the row comes from.';
comment on column public.texting_hours.law_opens is
  'opens as this service came with it. law_closes and law_source likewise: what is restored when an operator''s own hours are '
  'taken away. Null: there is nothing to restore.';

create trigger set_updated_at
  before update on public.texting_hours
  for each row execute function private.set_updated_at();

alter table public.texting_hours enable row level security;
grant select, insert, update, delete on public.texting_hours to service_role;

create table public.texting_closures (
  id uuid primary key default gen_random_uuid(),
  state text check (state ~ '^[A-Z]{2}$'),
  starts_on date not null,
  ends_on date,
  source text not null check (btrim(source) <> ''),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique nulls not distinct (state, starts_on, ends_on),
  check (ends_on >= starts_on)
);

comment on table public.texting_closures is
  'Days on which nothing is sent to a state, whatever texting_hours says. The rows of texting_hours stay as they are.';
comment on column public.texting_closures.state is 'As in texting_hours; null: every state.';
comment on column public.texting_closures.starts_on is 'The first day, in the recipient''s time.';
comment on column public.texting_closures.ends_on is 'The last day; null: until open_hours().';
comment on column public.texting_closures.source is 'Why, such as a holiday''s law.';

create trigger set_updated_at
  before update on public.texting_closures
  for each row execute function private.set_updated_at();

alter table public.texting_closures enable row level security;
grant select, insert, update, delete on public.texting_closures to service_role;

create table public.area_codes (
  area_code text primary key check (area_code ~ '^[2-9][0-9]{2}$'),
  state text check (state ~ '^[A-Z]{2}$'),
  country text not null check (country ~ '^[A-Z]{2}$'),
  timezones text[] not null check (cardinality(timezones) > 0 and array_position(timezones, null) is null),
  source text not null check (btrim(source) <> ''),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create index on public.area_codes (state);

comment on table public.area_codes is
  'The area codes of the North American Numbering Plan, with the state and the time zones of their area. An operator may '
  'change rows.';
comment on column public.area_codes.state is
  'Two letters of a state, territory or Canadian province; null in other countries. Where an area has several provinces, '
  'one of them.';
comment on column public.area_codes.country is 'Two letters (ISO 3166-1); US for its territories too.';
comment on column public.area_codes.timezones is 'IANA names: all the time zones in which a part of the area lies.';

create trigger set_updated_at
  before update on public.area_codes
  for each row execute function private.set_updated_at();

alter table public.area_codes enable row level security;
grant select, insert, update, delete on public.area_codes to service_role;

-- A trigger and not a check constraint, as for agencies: a row from a backup must never be refused.
create function private.require_known_timezones() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  timezone text;
begin
  foreach timezone in array new.timezones loop
    begin
      perform now() at time zone timezone;
    exception when invalid_parameter_value then
      raise exception 'timezones: "%" is not an IANA time zone name', private.quoted(timezone)
        using errcode = 'invalid_parameter_value', hint = 'For example America/New_York.';
    end;
  end loop;
  return new;
end
$$;

comment on function private.require_known_timezones() is
  'Trigger: refuses a list with a time zone that the server does not know.';

create trigger require_known_timezones
  before insert or update of timezones on public.area_codes
  for each row execute function private.require_known_timezones();

create function private.first_date() returns date
language plpgsql
stable
set search_path = ''
as $$
begin
  return (now() at time zone 'Pacific/Pago_Pago')::date;
end
$$;

comment on function private.first_date() is 'Returns the earliest current date in any state or territory of the US.';

create function private.text_window(
  phone text,
  state text,
  moment timestamptz,
  out opens_at timestamptz,
  out closes_at timestamptz
)
language plpgsql
stable
set search_path = ''
-- To plan the query takes four times as long as to run it.
set plan_cache_mode = force_generic_plan
as $$
declare
  area public.area_codes;
  open_times tstzmultirange;
begin
  select a.* into area
  from public.area_codes a
  where a.area_code = substring(text_window.phone from '^\+1([2-9][0-9]{2})[0-9]{7}$');

  with known as (
    select area.state, z.timezone
    from unnest(area.timezones) z (timezone)
    union
    -- A recipient may have moved and kept the number. Within one state, the area is the narrower place.
    select a.state, z.timezone
    from public.area_codes a
    cross join unnest(a.timezones) z (timezone)
    where a.state = text_window.state and a.state is distinct from area.state
  ), places as (
    select k.state, k.timezone from known k
    union all
    select null, z.timezone
    from unnest(array['America/New_York', 'America/Chicago', 'America/Denver', 'America/Los_Angeles']) z (timezone)
    where not exists (select from known)
  ), closures as (
    select c.state, c.starts_on, coalesce(c.ends_on, 'infinity') as ends_on
    from public.texting_closures c
    where c.state is null or c.state in (select p.state from places p)
  ), days as (
    -- Today and the same day next week: each day of the week comes whole after this moment. Also after each closure.
    select distinct begins.day + n.days as day
    from (
      select (text_window.moment at time zone p.timezone)::date from places p
      union
      select c.ends_on + 1 from closures c where c.ends_on < 'infinity' and c.ends_on >= text_window.moment::date - 1
    ) begins (day)
    cross join generate_series(0, 8) n (days)
  ), place_hours as (
    select range_agg(h.open) as open
    from places p
    cross join days d
    left join lateral (
      select
        (d.day + q.opens) at time zone p.timezone as opens,
        (d.day + q.closes) at time zone p.timezone as closes
      from public.texting_hours q
      where (q.state = p.state or q.state is null)
        and (q.day_of_week = extract(dow from d.day) or q.day_of_week is null)
        and not exists (
          select
          from closures c
          where (c.state = p.state or c.state is null) and d.day between c.starts_on and c.ends_on
        )
      order by q.state nulls last, q.day_of_week nulls last
      limit 1
    ) q on true
    cross join lateral (
      -- No row: closed. And an opening that a clock change skips is moved, perhaps behind the closing.
      select case when q.opens < q.closes then tstzrange(q.opens, q.closes) else 'empty' end as open
    ) h
    group by p.state, p.timezone
  )
  select range_intersect_agg(h.open) into open_times
  from place_hours h;

  select greatest(lower(o.open), text_window.moment), upper(o.open) into opens_at, closes_at
  from unnest(open_times) o (open)
  where upper(o.open) > text_window.moment
  order by o.open
  limit 1;
  if not found then
    opens_at := 'infinity';
    closes_at := 'infinity';
  end if;
end
$$;

comment on function private.text_window(text, text, timestamptz) is
  'Returns from when, and until when, a text may be sent to this number: the first moment from `moment` on that is open by '
  'texting_hours, on a day without a texting_closures row; `moment` itself if it is open. state: the lead''s, null when '
  'unknown. The area code''s state and time zones count, and the lead''s state if it differs: the latest opening and the '
  'earliest closing of all. For a number without a known area code (toll-free, foreign, a short code) only the lead''s state '
  'counts. Without it, the hours of all states count, in the four time zones of the contiguous United States. Both are '
  'infinity if no day is open.';

create function private.sending_hours(
  conversation public.recruiting_conversations,
  kind text,
  out opens_at timestamptz,
  out closes_at timestamptz
)
language plpgsql
stable
set search_path = ''
as $$
declare
  -- A minute is left for the request and the provider's queue.
  enough constant interval := '60 seconds';
  state constant text := (select l.state from public.recruiting_leads l where l.id = conversation.recruiting_lead_id);
begin
  if kind = 'agent' and conversation.last_message_at > now() - interval '12 hours' then
    opens_at := now();
    return;
  end if;
  select w.opens_at, w.closes_at into opens_at, closes_at
  from private.text_window(conversation.recruit_phone, state, now()) w;
  if opens_at <= now() and closes_at < now() + enough then
    select w.opens_at, w.closes_at into opens_at, closes_at
    from private.text_window(conversation.recruit_phone, state, closes_at) w;
  end if;
end
$$;

comment on function private.sending_hours(public.recruiting_conversations, text) is
  'Returns from when, and until when, a text of this kind may be sent to the recruit, now or later. closes_at is null for an '
  'agent''s reply within 12 hours of the recruit''s own text, which may be sent at any hour.';
