-- The figures of an agency: what counts on which day, how fast agents have answered, and who may read it.
begin;
select plan(13);
\ir ../helpers.psql

select pg_temp.create_people(), pg_temp.create_vendor('acme'), pg_temp.create_vendor('other');
update public.agencies set timezone = 'America/Chicago', opens_at = '00:00', closes_at = '24:00' where id = md5('agency')::uuid;
insert into public.recruiting_orders (id, agency_id, quantity)
values (md5('order')::uuid, md5('agency')::uuid, 99), (md5('theirs')::uuid, md5('elsewhere')::uuid, 99);

create function pg_temp.midnight(days integer default 0) returns timestamptz language sql as $$
  select ((now() at time zone 'America/Chicago')::date - days)::timestamp at time zone 'America/Chicago'
$$;
create function pg_temp.got(vendor text, at timestamptz, agency text default 'agency') returns void language plpgsql as $$
begin
  insert into public.recruiting_leads (vendor_id, first_name, agency_id, order_id, distribution, distributed_at)
  values (md5(vendor)::uuid, 'Ada', md5(agency)::uuid, md5(case agency when 'agency' then 'order' else 'theirs' end)::uuid,
    'distributed', at);
end
$$;
create function pg_temp.figures(name text default 'mia', days integer default 3) returns jsonb language plpgsql as $$
declare
  result jsonb;
begin
  perform pg_temp.become(name);
  result := public.agency_figures(days);
  reset role;
  return result;
end
$$;

select is(
  pg_temp.figures(),
  jsonb_build_object(
    'first_day', (now() at time zone 'America/Chicago')::date - 2, 'days', 3, 'vendors', '[]'::jsonb,
    'first_response', '{"recruits": 0, "answered": 0, "median": null, "ninety": null}'::jsonb,
    'waiting', '{"recruits": 0, "since": null}'::jsonb, 'opt_outs', 0, 'failed', 0),
  'an agency in which nothing has happened');

-- Leads
select pg_temp.got('acme', pg_temp.midnight()), pg_temp.got('acme', pg_temp.midnight(1)),
  pg_temp.got('acme', pg_temp.midnight() - interval '1 s'), pg_temp.got('other', pg_temp.midnight(2)),
  pg_temp.got('other', pg_temp.midnight(2) - interval '1 s'), pg_temp.got('acme', now(), 'elsewhere');
select is(
  pg_temp.figures() -> 'vendors', '[{"vendor": "acme", "leads": [0, 2, 1]}, {"vendor": "other", "leads": [1, 0, 0]}]',
  'leads count on their day in the zone of the agency, and not those of others');
select is(pg_temp.figures('otto') -> 'vendors', '[{"vendor": "acme", "leads": [0, 0, 1]}]', 'another agency has its own');

-- Responses: on weekdays alone, so all is on the last Wednesday.
create function pg_temp.talk(name text, agent_after interval, bot_after interval default null, asked timestamptz default null)
returns void language plpgsql as $$
declare
  begun constant timestamptz := coalesce(asked, (date_trunc('week', now()) + interval '2 days 12 hours'
    - case when now() < date_trunc('week', now()) + interval '3 days' then interval '7 days' else '0' end));
begin
  perform pg_temp.create_conversation(name, '+1999555' || lpad((abs(hashtext(name)) % 10000)::text, 4, '0'), '+19995550000', 'ann');
  update public.recruiting_conversations set last_text_at = now() where id = md5(name)::uuid;
  insert into public.recruiting_messages (conversation_id, direction, sender_type, created_at)
  select md5(name)::uuid, direction, sender, begun + after
  from (values ('inbound', 'recruit', interval '0'), ('outbound', 'bot', bot_after), ('outbound', 'agent', agent_after)) m
    (direction, sender, after)
  where after is not null;
end
$$;
select pg_temp.talk('fast', '5 minutes'), pg_temp.talk('with bot', '20 minutes', '1 minute'), pg_temp.talk('slow', '3 hours'),
  pg_temp.talk('never', null, '1 minute'), pg_temp.talk('old', '1 minute', asked => now() - interval '60 days');
select is(
  pg_temp.figures(days => 14) -> 'first_response', '{"recruits": 4, "answered": 3, "median": 20, "ninety": 180}',
  'an agent''s first text counts, from the recruit''s first one on; the bot''s does not');

-- Who waits, opt-outs, failures
update public.recruiting_conversations set waiting_since = now() - interval '1 hour' where id in (md5('fast')::uuid, md5('slow')::uuid);
update public.recruiting_conversations set snoozed_until = now() + interval '1 day' where id = md5('slow')::uuid;
select is(
  pg_temp.figures() -> 'waiting' -> 'recruits', '1', 'who waits counts, and not whose answer is put off');
select public.receive_sms(c.recruit_phone, c.service_phone, 'SM stop', 'STOP', '[]') from public.recruiting_conversations c where c.id = md5('never')::uuid;
select is(pg_temp.figures() -> 'opt_outs', '1', 'an opt-out counts');
select pg_temp.add_text('lost', 'fast', state => 'failed');
update public.recruiting_messages set status = 'failed' where id = md5('lost')::uuid;
select is(pg_temp.figures() -> 'failed', '1', 'and a text that failed');
select is(pg_temp.figures('otto') - 'vendors' - 'first_day', pg_temp.figures('otto', 3) - 'vendors' - 'first_day', 'another agency sees none of it');
select is(pg_temp.figures('otto') -> 'failed', '0', 'not one');

select throws_ok(format('select pg_temp.figures(%L, %L)', who, days), code, message, message)
from (values
  ('ann', 3, '42501', 'only a manager reads the figures of an agency'), ('visitor', 3, '42501', 'only a manager reads the figures of an agency'),
  ('mia', 0, '22023', 'days: must be from 1 to 90'), ('mia', 91, '22023', 'days: must be from 1 to 90')
) c (who, days, code, message);

select * from finish();
rollback;
