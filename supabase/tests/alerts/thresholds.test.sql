-- The thresholds of rules: a number that makes a check fail would end all alerts.
begin;
select plan(7);
\ir ../helpers.psql

delete from public.alerts;
select pg_temp.create_vendor('acme'), pg_temp.create_agency('agency');
-- Something of each kind
insert into public.recruiting_leads (vendor_id, first_name, distribution, created_at)
values (md5('acme')::uuid, 'Ada', 'unmatched', now() - interval '1 hour');
insert into public.rejected_deliveries (request_id, route, vendor_id, code, reason, payload_bytes)
select 'r', '/', md5('acme')::uuid, 'BAD_REQUEST', 'no name', 1 from generate_series(1, 10);
update public.vendors set silent_after = '1000 years' where id = md5('acme')::uuid;
insert into public.vendor_api_keys (vendor_id, key_hash, key_prefix, expires_at)
values (md5('acme')::uuid, pg_temp.key_of('acme'), 'lik_', now() + interval '1 day');

select lives_ok(
  format($$update public.alert_rules set threshold = (
    select coalesce(jsonb_object_agg(t.name, %s), '{}') from jsonb_object_keys(threshold) t (name));
    select private.check_alerts()$$, number),
  format('a check works with %s for each number', number))
from unnest(array['1000000', '1e-300']) number;
select throws_ok(
  format($$update public.alert_rules set threshold = '{"minutes": %s}' where kind = 'leads_waiting'$$, number), '23514', null,
  format('%s is no threshold', number))
from unnest(array['0', '1000001', '1e400', '"5"', 'null']) number;

select * from finish();
rollback;
