-- The alerts about vendors: when each of them is open, and what ends it.
begin;
select plan(67);
\ir ../helpers.psql

-- Rows of other tests and of the seed must not matter.
delete from public.alerts;
delete from private.job_runs where job = 'check alerts';
update public.alert_rules set is_on = kind in ('leads_waiting', 'deliveries_rejected', 'vendor_silent', 'key_expires', 'fetch_refused');
update public.vendors set is_active = false;
select pg_temp.create_vendor('acme'), pg_temp.create_vendor('other');
update public.vendors set created_at = now() - interval '2 years';

-- Leads at these times before now.
create function pg_temp.arrive(distribution text, variadic ago interval[]) returns void language plpgsql as $$
begin
  insert into public.recruiting_leads (vendor_id, first_name, distribution, created_at)
  select md5('acme')::uuid, 'Ada', arrive.distribution, now() - a from unnest(ago) a;
end
$$;
create function pg_temp.reject(deliveries integer, ago interval, status text default 'open') returns void language plpgsql as $$
begin
  insert into public.rejected_deliveries (request_id, route, code, reason, payload_bytes, vendor_id, received_at, status, lead_id)
  select 'r', '/', 'BAD_REQUEST', 'no name of Ada', 1, md5('acme')::uuid, now() - ago, reject.status, md5('lead')::uuid
  from generate_series(1, deliveries);
end
$$;
create function pg_temp.accept(deliveries integer, ago interval, vendor text default 'acme') returns void language plpgsql as $$
begin
  insert into public.recruiting_leads (vendor_id, first_name, created_at)
  select md5(vendor)::uuid, 'Ada', now() - ago from generate_series(1, deliveries);
end
$$;
create function pg_temp.send_again(deliveries integer, ago interval) returns void language plpgsql as $$
begin
  insert into public.recruiting_leads (id, vendor_id, first_name, created_at)
  values (md5('lead')::uuid, md5('acme')::uuid, 'Ada', now() - interval '20 days');
  insert into public.recruiting_lead_duplicates (lead_id, vendor_id, received_at)
  select md5('lead')::uuid, md5('acme')::uuid, now() - ago from generate_series(1, deliveries);
end
$$;
-- Leads in the hour that began so many whole hours before the last whole one, in each of these weeks before.
create function pg_temp.send_weekly(leads integer, hours integer default 0, weeks integer[] default '{1,2,3,4}')
returns void language plpgsql as $$
begin
  insert into public.recruiting_leads (vendor_id, first_name, created_at)
  select md5('acme')::uuid, 'Ada',
    date_trunc('hour', now(), 'UTC') - interval '1 hour' * (1 + hours + 168 * week) + interval '59 minutes'
  from unnest(weeks) week, generate_series(1, leads);
end
$$;
create function pg_temp.give_notice(variadic ids text[]) returns void language plpgsql as $$
begin
  perform public.add_lead_fetches(
    md5('acme')::uuid, 'request', (select jsonb_agg(jsonb_build_object('leadgen_id', id, 'notice', '{}'::jsonb)) from unnest(ids) id));
end
$$;
create function pg_temp.open_silent(seen interval) returns void language plpgsql as $$
begin
  insert into public.alerts (kind, subject, opened_at, seen_at)
  values ('vendor_silent', 'test-acme', now() - interval '9 days', now() - seen);
end
$$;
create function pg_temp.add_key(expires interval, made interval default '1 year', revoked boolean default false)
returns void language plpgsql as $$
begin
  insert into public.vendor_api_keys (vendor_id, key_hash, key_prefix, label, expires_at, created_at, revoked_at)
  values (md5('acme')::uuid, pg_temp.key_of(made::text), 'lik_test', 'Ada''s key', now() + expires, now() - made,
    case when revoked then now() end);
end
$$;
create function pg_temp.add_secret(kind text, expires interval, made interval default '1 year') returns void language plpgsql as $$
begin
  update public.vendors set webhook_scheme = 'meta' where slug = 'test-acme';
  insert into private.vendor_webhook_secrets (vendor_id, kind, secret, label, expires_at, created_at)
  values (md5('acme')::uuid, add_secret.kind, md5(made::text), 'Ada''s secret', now() + expires, now() - made);
end
$$;

-- The alerts that are open after these statements and a check. All of it is undone.
create function pg_temp.opened(statements text, in_words boolean default false) returns text language plpgsql as $$
declare
  opened text;
begin
  begin
    execute statements;
    perform private.check_alerts();
    select string_agg(
      case when in_words then concat_ws(': ', a.subject_name, a.problem, a.command, a.link) else concat_ws(' ', a.kind, a.subject, a.details) end,
      E'\n' order by a.kind) into opened
    from public.alerts a where a.state = 'open';
    raise exception using errcode = 'UNDO0';
  exception when sqlstate 'UNDO0' then
    null;
  end;
  return regexp_replace(opened, '"\d{4}-\d\d-\d\dT[^"]+Z"|[A-Z][a-z]+ \d+, \d{4}, \d+:\d\d [AP]M UTC', '<time>', 'g');
end
$$;

select is(private.check_alerts(), '{"open": 0, "opened": 0, "resolved": 0}', 'vendors without anything are no alert');

-- What ends an alert. That it stays until then, and ends once, is proved in check.test.sql.
select is(pg_temp.opened(beginning || '; ' || mending), null, format('%s is no alert after %s', beginning, mending))
from (values
  ($$select pg_temp.arrive('pending', '16 minutes'), pg_temp.arrive('unmatched', '2 days')$$,
    $$update public.vendors set is_active = false$$),
  ($$select pg_temp.reject(10, '59 minutes')$$,
    $$update public.rejected_deliveries set received_at = now() - interval '61 minutes'$$),
  ($$select pg_temp.accept(30, '2 hours'), pg_temp.reject(10, '3 hours')$$, $$select pg_temp.accept(20, '1 minute')$$),
  ($$select pg_temp.reject(10, '59 minutes')$$, $$update public.vendors set is_active = false$$),
  ($$update public.vendors set silent_after = '2 hours' where slug = 'test-acme'; select pg_temp.arrive('not_requested', '3 hours')$$,
    $$update public.vendors set silent_after = '1 day' where slug = 'test-acme'$$),
  ($$select pg_temp.send_weekly(5)$$, $$select pg_temp.arrive('not_requested', '0')$$),
  ($$select pg_temp.send_weekly(5)$$, $$update public.vendors set is_active = false$$),
  ($$select pg_temp.add_key('6 days')$$, $$update public.vendor_api_keys set revoked_at = now()$$),
  ($$select pg_temp.add_key('6 days')$$, $$select pg_temp.add_key(null, '1 minute')$$),
  ($$select pg_temp.add_secret('secret', '6 days')$$, $$update public.vendors set webhook_scheme = null$$),
  ($$select pg_temp.add_key('6 days')$$, $$update public.vendors set is_active = false$$)
) c (beginning, mending);

select is(pg_temp.opened(statements), opened, statements)
from (values
  -- Leads that wait
  ($$select pg_temp.arrive('unmatched', '15 minutes', '14 minutes'), pg_temp.arrive('pending', '1 day')$$,
    'leads_waiting test-acme {"leads": 2, "since": <time>}'),
  ($$select pg_temp.arrive('unmatched', '14 minutes 59 seconds'), pg_temp.arrive('pending', '1 minute')$$, null),
  ($$select pg_temp.arrive('not_requested', '1 day')$$, null),
  -- Ten rejected deliveries in an hour
  ($$select pg_temp.reject(10, '59 minutes')$$,
    'deliveries_rejected test-acme {"since": <time>, "deliveries": 10}'),
  ($$select pg_temp.reject(9, '59 minutes'), pg_temp.reject(1, '1 hour')$$, null),
  ($$select pg_temp.reject(9, '1 minute'), pg_temp.reject(9, '1 minute', 'dismissed'), pg_temp.reject(9, '1 minute', 'replayed')$$, null),
  ($$select pg_temp.reject(9, '1 minute');
    update public.alert_rules set threshold = threshold || '{"per_hour": 9}' where kind = 'deliveries_rejected'$$,
    'deliveries_rejected test-acme {"since": <time>, "deliveries": 9}'),
  ($$select pg_temp.reject(10, '1 minute'); update public.rejected_deliveries set vendor_id = null$$,
    'deliveries_rejected import {"since": <time>, "deliveries": 10}'),
  -- A fifth of the last deliveries
  ($$select pg_temp.reject(4, '2 days'), pg_temp.accept(16, '1 day')$$,
    'deliveries_rejected test-acme {"of": 20, "since": <time>, "deliveries": 4}'),
  ($$select pg_temp.reject(4, '2 days'), pg_temp.accept(15, '1 day')$$, null),
  ($$select pg_temp.reject(3, '2 hours'), pg_temp.accept(3, '1 hour')$$, null),
  ($$select pg_temp.reject(10, '2 hours'), pg_temp.accept(41, '90 minutes')$$, null),
  ($$select pg_temp.accept(100, '2 days'), pg_temp.reject(10, '3 hours')$$,
    'deliveries_rejected test-acme {"of": 50, "since": <time>, "deliveries": 10}'),
  ($$select pg_temp.reject(10, '2 hours'), pg_temp.send_again(41, '90 minutes')$$, null),
  ($$select pg_temp.reject(4, '2 days'), pg_temp.accept(16, '8 days')$$, null),
  -- A time of silence that is set
  ($$update public.vendors set silent_after = '2 hours' where slug = 'test-acme'; select pg_temp.arrive('not_requested', '2 hours')$$,
    'vendor_silent test-acme {"since": <time>}'),
  ($$update public.vendors set silent_after = '2 hours' where slug = 'test-acme'; select pg_temp.arrive('not_requested', '1 hour 59 minutes 59 seconds', '1 day')$$,
    null),
  ($$update public.vendors set silent_after = '2 hours', created_at = now() where slug = 'test-acme'$$, null),
  ($$update public.vendors set silent_after = '2 days', created_at = now() - interval '2 days' where slug = 'test-acme'$$,
    'vendor_silent test-acme {}'),
  -- Silence in a usual hour
  ($$select pg_temp.send_weekly(5)$$, 'vendor_silent test-acme {"since": <time>}'),
  ($$select pg_temp.send_weekly(4)$$, null),
  ($$select pg_temp.send_weekly(9, weeks => '{1,2,3}'), pg_temp.send_weekly(4, weeks => '{4}')$$, null),
  ($$select pg_temp.send_weekly(9, weeks => '{2,3,4}'), pg_temp.send_weekly(9, weeks => '{5}')$$, null),
  ($$select pg_temp.send_weekly(5), pg_temp.send_weekly(1, 0, '{0}')$$, null),
  ($$select pg_temp.send_weekly(5), pg_temp.send_weekly(1, 1, '{0}')$$, 'vendor_silent test-acme {"since": <time>}'),
  -- The hour of now is not over.
  ($$select pg_temp.send_weekly(5, -1)$$, null),
  -- An alert that is open outlasts the hour.
  ($$select pg_temp.open_silent('1 minute')$$, 'vendor_silent test-acme {}'),
  ($$select pg_temp.open_silent('3 days')$$, 'vendor_silent test-acme {}'),
  ($$select pg_temp.open_silent('1 minute'), pg_temp.arrive('not_requested', '60 minutes')$$, null),
  ($$select pg_temp.open_silent('1 minute'), pg_temp.arrive('not_requested', '61 minutes')$$, 'vendor_silent test-acme {}'),
  -- Leads that have to be fetched
  ($$select pg_temp.give_notice('9', '1')$$, null),
  ($$select pg_temp.give_notice('9', '1'), private.hold_lead_fetches(md5('acme')::uuid, 'code 190')$$,
    'fetch_refused test-acme {"leads": 2, "since": <time>, "reason": "code 190"}'),
  ($$select pg_temp.give_notice('9'), private.hold_lead_fetches(md5('acme')::uuid, 'code 190'), pg_temp.give_notice('1')$$,
    'fetch_refused test-acme {"leads": 2, "since": <time>, "reason": "code 190"}'),
  ($$select pg_temp.give_notice('9'), private.hold_lead_fetches(md5('acme')::uuid, 'no_token'),
    private.release_lead_fetches(md5('acme')::uuid)$$, null),
  ($$select pg_temp.give_notice('9'), private.hold_lead_fetches(md5('acme')::uuid, 'no_token');
    update public.vendors set is_active = false where slug = 'test-acme'$$, null),
  -- Keys and secrets
  ($$select pg_temp.add_key('7 days 1 second'), pg_temp.add_secret('secret', null)$$, null),
  ($$select pg_temp.add_key('6 days'), pg_temp.add_key('5 days', '1 day'), pg_temp.add_secret('secret', '1 hour'),
    pg_temp.add_secret('verify_token', '2 hours', '2 years')$$,
    'key_expires test-acme {"what": "webhook secret", "expires_at": <time>}'),
  ($$select pg_temp.add_secret('verify_token', '6 days'), pg_temp.add_key(null)$$,
    'key_expires test-acme {"what": "verify token", "expires_at": <time>}'),
  ($$select pg_temp.add_secret('access_token', '6 days')$$,
    'key_expires test-acme {"what": "access token", "expires_at": <time>}'),
  ($$select pg_temp.add_key('6 days'), pg_temp.add_secret('secret', null, '1 day')$$,
    'key_expires test-acme {"what": "api key", "prefix": "lik_test", "expires_at": <time>}'),
  ($$select pg_temp.add_key('6 days'), pg_temp.add_key(null, '1 day', true)$$,
    'key_expires test-acme {"what": "api key", "prefix": "lik_test", "expires_at": <time>}'),
  ($$select pg_temp.add_key('-1 day')$$,
    'key_expires test-acme {"what": "api key", "prefix": "lik_test", "expires_at": <time>}'),
  ($$select pg_temp.add_key('-7 days')$$, null),
  ($$select pg_temp.add_key('-1 day', '2 years'), pg_temp.add_key('-1 second')$$,
    'key_expires test-acme {"what": "api key", "prefix": "lik_test", "expires_at": <time>}')
) c (statements, opened);

-- Their words, commands and links
select is(pg_temp.opened(statements, in_words => true), words, words)
from (values
  ($$select pg_temp.arrive('unmatched', '1 hour'), pg_temp.arrive('pending', '1 day')$$,
    'vendor test-acme: 2 leads without an order, the first since <time>: lead waiting --vendor test-acme: /operator/waiting'),
  ($$select pg_temp.reject(10, '59 minutes')$$,
    'vendor test-acme: 10 rejected deliveries, the first <time>: delivery list --vendor test-acme: /operator/deliveries'),
  ($$select pg_temp.reject(10, '1 minute'); update public.rejected_deliveries set vendor_id = null$$,
    'vendor import: 10 rejected deliveries, the first <time>: delivery list --imports: /operator/deliveries'),
  ($$select pg_temp.send_weekly(5)$$, 'vendor test-acme: has sent no lead since <time>: key list test-acme: /operator/vendors/keys'),
  ($$select pg_temp.open_silent('1 minute')$$, 'vendor test-acme: has never sent a lead: key list test-acme: /operator/vendors/keys'),
  ($$select pg_temp.give_notice('9'), private.hold_lead_fetches(md5('acme')::uuid, 'no_token')$$,
    'vendor test-acme: 1 lead not fetched since <time>: it has no valid access token: vendor webhook check test-acme'),
  ($$select pg_temp.give_notice('9'), private.hold_lead_fetches(md5('acme')::uuid, 'code 190')$$,
    'vendor test-acme: 1 lead not fetched since <time>: Meta refuses its access token (code 190): vendor webhook check test-acme'),
  ($$select pg_temp.add_key('6 days')$$,
    'vendor test-acme: its api key lik_test expires <time>: key rotate test-acme: /operator/vendors/keys'),
  ($$select pg_temp.add_secret('access_token', '6 days')$$,
    'vendor test-acme: its access token expires <time>: webhook show test-acme: /operator/vendors/keys')
) c (statements, words);

select pg_temp.send_weekly(5);
select is(
  (select f.details from private.find_vendor_silent('{"leads": 5}', now()) f),
  jsonb_build_object('since', private.iso_time(date_trunc('hour', now(), 'UTC') - interval '168 hours 1 minute')),
  'a silent hour is named by the last lead before it');
update public.vendors set silent_after = '2 hours' where id = md5('acme')::uuid;
select is(
  (select f.details from private.find_vendor_silent('{"leads": 5}', now()) f),
  jsonb_build_object('since', private.iso_time(date_trunc('hour', now(), 'UTC') - interval '168 hours 1 minute')),
  'and so is a time of silence');

select * from finish();
rollback;
