-- The queries that run for every lead, message and signed-in reader can use an index. Sequential scans are switched
-- off, because with only a few rows the planner would choose one.
begin;
select plan(23);

set local enable_seqscan = off;

create function pg_temp.plan_of(query text) returns text language plpgsql as $$
declare
  line text;
  lines text := '';
begin
  for line in execute 'explain (costs off) ' || query loop
    lines := lines || line || E'\n';
  end loop;
  return lines;
end
$$;

select matches(pg_temp.plan_of(query), index, description)
from (values
  ('the vendor of a key', 'vendor_api_keys_key_hash_key',
    $$select from public.vendor_api_keys where key_hash = 'x'$$),
  ('the vendor of a webhook', 'vendors_slug_key', $$select from public.vendors where slug = 'x'$$),
  ('the secrets of a webhook', 'vendor_webhook_secrets_vendor_id_created_at_idx',
    $$select from private.vendor_webhook_secrets where vendor_id = md5('')::uuid$$),
  ('expired Idempotency-Keys and ids of deliveries', 'idempotency_keys_retention_created_at_idx',
    $$select from private.idempotency_keys where retention = '7 days' and created_at <= now() order by created_at limit 10$$),
  ('a duplicate by vendor_lead_id', 'recruiting_leads_vendor_id_vendor_lead_id_key',
    $$select from public.recruiting_leads where vendor_id = gen_random_uuid() and vendor_lead_id = 'x'$$),
  ('the open orders, by priority', 'Index (Only )?Scan using recruiting_orders_open_idx',
    $$select from public.recruiting_orders where status = 'open' order by priority desc limit 1$$),
  ('an order''s leads of the day', 'Index (Only )?Scan using recruiting_leads_order_day_idx',
    $$select count(*) from public.recruiting_leads
      where agency_id = md5('')::uuid and order_id = md5('')::uuid and distributed_at >= now()$$),
  ('an agency''s agents', 'agents_agency_id_idx', $$select from public.agents where agency_id = md5('')::uuid$$),
  ('a duplicate by external_id', 'leads_agency_id_external_id_key',
    $$select from public.leads where agency_id = md5('')::uuid and external_id = md5('')::uuid$$),
  ('the conversation of two numbers', 'recruiting_conversations_recruit_phone_service_phone_key',
    $$select from public.recruiting_conversations where recruit_phone = 'x' and service_phone = 'y'$$),
  ('a message by its MessageSid', 'recruiting_messages_provider_message_id_key',
    $$select from public.recruiting_messages where provider_message_id = 'x'$$),
  ('the callbacks of a MessageSid', 'recruiting_message_events_provider_message_id_received_at_idx',
    $$select from public.recruiting_message_events where provider_message_id = 'x' order by received_at desc limit 1$$),
  ('the leads that wait for an order, oldest first', 'Index (Only )?Scan using recruiting_leads_waiting_idx',
    $$select from public.recruiting_leads where distribution in ('unmatched', 'pending') order by created_at limit 1$$),
  ('the open deliveries of a vendor, oldest first', 'Index Only Scan using rejected_deliveries_open_idx',
    $$select id from public.rejected_deliveries where status = 'open' and vendor_id = md5('')::uuid
      order by received_at, id limit 1$$),
  ('the open deliveries of imports, oldest first', 'Index Only Scan using rejected_deliveries_open_idx',
    $$select id from public.rejected_deliveries where status = 'open' and vendor_id is null
      order by received_at, id limit 1$$),
  ('the deliveries before a time', 'rejected_deliveries_received_at_idx',
    $$select from public.rejected_deliveries where received_at < now()$$),
  ('the times a lead was sent again', 'recruiting_lead_duplicates_lead_id_received_at_idx',
    $$select from public.recruiting_lead_duplicates where lead_id = md5('')::uuid$$),
  ('the texts of a new conversation', 'unmatched_texts_recruit_phone_idx',
    $$select from public.unmatched_texts where recruit_phone = 'x' and service_phone = 'y'$$),
  ('a lead''s activities, latest first', 'lead_activities_lead_id_occurred_at_idx',
    $$select from public.lead_activities where lead_id = md5('')::uuid order by occurred_at desc limit 1$$)
) as queries (description, index, query);

-- Through row level security
grant execute on function pg_temp.plan_of(text) to authenticated;
set local role authenticated;
select matches(
  pg_temp.plan_of('select * from public.leads'), 'BitmapOr.*Bitmap Index Scan on leads_agent_id_agency_id_idx',
  'reading the leads of an agent or an agency uses an index');
select matches(
  pg_temp.plan_of('select * from public.recruiting_leads'),
  'BitmapOr.*Bitmap Index Scan on recruiting_leads_agent_idx',
  'reading the recruits of an agent or an agency uses an index');
select matches(
  pg_temp.plan_of('select * from public.leads'), 'InitPlan', 'who is signed in is looked up once');
select doesnt_match(
  pg_temp.plan_of('select * from public.leads'), 'Filter:.*current_agent_id',
  'who is signed in is not looked up for each row');
reset role;

select * from finish();
rollback;
