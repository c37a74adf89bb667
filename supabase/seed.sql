-- A small agency to try everything on. For local use only: it runs once, on an empty database, never on a hosted
-- project. Every sign-in has the password `lead-intake-local`.

insert into public.agencies (id, name, timezone) values
  ('a0000001-0000-4000-8000-000000000001', 'Lakeshore Insurance Group', 'America/Chicago'),
  ('a0000002-0000-4000-8000-000000000002', 'Summit Life Partners', 'America/Denver');

-- The empty strings are what the hosted auth service expects where there is no token.
with people (id, email) as (
  values
    ('c0000001-0000-4000-8000-000000000001'::uuid, 'dana.whitfield@example.com'),
    ('c0000002-0000-4000-8000-000000000002', 'maria.alvarez@example.com'),
    ('c0000003-0000-4000-8000-000000000003', 'james.okafor@example.com'),
    ('c0000004-0000-4000-8000-000000000004', 'priya.raman@example.com'),
    ('c0000005-0000-4000-8000-000000000005', 'tom.becker@example.com'),
    ('c0000006-0000-4000-8000-000000000006', 'olivia.park@example.com')
), users as (
  insert into auth.users (
    id, aud, role, email, encrypted_password, email_confirmed_at, raw_app_meta_data, raw_user_meta_data, created_at,
    updated_at, confirmation_token, recovery_token, email_change, email_change_token_new, email_change_token_current,
    phone_change, phone_change_token, reauthentication_token
  )
  select
    id, 'authenticated', 'authenticated', email,
    extensions.crypt('lead-intake-local', extensions.gen_salt('bf', 10)), now(),
    '{"provider": "email", "providers": ["email"]}', '{}', now(), now(), '', '', '', '', '', '', '', ''
  from people
  returning id, email
)
insert into auth.identities (id, provider, provider_id, user_id, identity_data, created_at, updated_at)
select
  gen_random_uuid(), 'email', id::text, id,
  jsonb_build_object('sub', id, 'email', email, 'email_verified', true), now(), now()
from users;

-- The hosted auth service finds a user only with its instance; the local one has no such column.
do $$
begin
  if exists (
    select from pg_attribute
    where attrelid = 'auth.users'::regclass and attname = 'instance_id' and not attisdropped
  ) then
    execute 'update auth.users set instance_id = ''00000000-0000-0000-0000-000000000000'' where instance_id is null';
  end if;
end
$$;

-- James gets the first lead, then Maria, then Priya: npm start prints a request with a lead, and James's login.
insert into public.agents (id, agency_id, user_id, first_name, last_name, email, phone, role, last_assigned_at) values
  ('b0000001-0000-4000-8000-000000000001', 'a0000001-0000-4000-8000-000000000001', 'c0000001-0000-4000-8000-000000000001', 'Dana', 'Whitfield', 'dana.whitfield@example.com', '+13125550101', 'manager', null),
  ('b0000002-0000-4000-8000-000000000002', 'a0000001-0000-4000-8000-000000000001', 'c0000002-0000-4000-8000-000000000002', 'Maria', 'Alvarez', 'maria.alvarez@example.com', '+13125550102', 'agent', now() - interval '22 hours'),
  ('b0000003-0000-4000-8000-000000000003', 'a0000001-0000-4000-8000-000000000001', 'c0000003-0000-4000-8000-000000000003', 'James', 'Okafor', 'james.okafor@example.com', '+13125550103', 'agent', now() - interval '23 hours'),
  ('b0000004-0000-4000-8000-000000000004', 'a0000001-0000-4000-8000-000000000001', 'c0000004-0000-4000-8000-000000000004', 'Priya', 'Raman', 'priya.raman@example.com', '+13125550104', 'agent', now() - interval '21 hours'),
  ('b0000005-0000-4000-8000-000000000005', 'a0000002-0000-4000-8000-000000000002', 'c0000005-0000-4000-8000-000000000005', 'Tom', 'Becker', 'tom.becker@example.com', '+17205550105', 'agent', null);

insert into public.operators (user_id) values ('c0000006-0000-4000-8000-000000000006');

insert into public.vendors (id, slug, name, parser) values
  ('d0000001-0000-4000-8000-000000000001', 'generic', 'Generic JSON', 'generic'),
  ('d0000002-0000-4000-8000-000000000002', 'indeed', 'Indeed Apply', 'indeed'),
  ('d0000003-0000-4000-8000-000000000003', 'no-parser', 'A vendor still to be set up', null),
  ('d0000004-0000-4000-8000-000000000004', 'ziprecruiter', 'ZipRecruiter', 'ziprecruiter'),
  ('d0000005-0000-4000-8000-000000000005', 'linkedin', 'LinkedIn Apply Connect', 'linkedin'),
  ('d0000006-0000-4000-8000-000000000006', 'google_ads', 'Google Ads lead forms', 'google_ads'),
  ('d0000007-0000-4000-8000-000000000007', 'meta', 'Meta lead ads', 'meta'),
  ('d0000008-0000-4000-8000-000000000008', 'monster', 'Monster', 'monster'),
  ('d0000009-0000-4000-8000-000000000009', 'talroo', 'Talroo', 'talroo'),
  ('d000000a-0000-4000-8000-00000000000a', 'cleverconnect', 'CleverConnect', 'cleverconnect'),
  ('d000000b-0000-4000-8000-00000000000b', 'greenhouse', 'Greenhouse', 'greenhouse'),
  ('d000000c-0000-4000-8000-00000000000c', 'tiktok', 'TikTok lead generation', 'tiktok'),
  ('d000000d-0000-4000-8000-00000000000d', 'jazzhr', 'JazzHR', 'jazzhr'),
  ('d000000e-0000-4000-8000-00000000000e', 'workable', 'Workable', 'workable'),
  ('d000000f-0000-4000-8000-00000000000f', 'typeform', 'Typeform', 'typeform');

-- Of one vendor alone, so that an order for another vendor gets its leads. Room for a day of trying things out.
insert into public.recruiting_orders (id, agency_id, vendor_id, quantity) values
  ('e0000001-0000-4000-8000-000000000001', 'a0000001-0000-4000-8000-000000000001',
    'd0000001-0000-4000-8000-000000000001', 1000000);

insert into public.leads (id, external_id, agency_id, agent_id, first_name, last_name, phone, phone_e164,
  email, city, state, zip, language, type) values
  ('10000001-0000-4000-8000-000000000001', '20000001-0000-4000-8000-000000000001', 'a0000001-0000-4000-8000-000000000001', 'b0000002-0000-4000-8000-000000000002', 'Walter', 'Nguyen', '(773) 555-0111', '+17735550111', 'walter.nguyen@example.com', 'Chicago', 'IL', '60614', 'en', 'fe'),
  ('10000002-0000-4000-8000-000000000002', '20000002-0000-4000-8000-000000000002', 'a0000001-0000-4000-8000-000000000001', 'b0000002-0000-4000-8000-000000000002', 'Rosa', 'Delgado', '773-555-0112', '+17735550112', null, 'Cicero', 'IL', '60804', 'es', 'union'),
  ('10000003-0000-4000-8000-000000000003', '20000003-0000-4000-8000-000000000003', 'a0000001-0000-4000-8000-000000000001', 'b0000003-0000-4000-8000-000000000003', 'Helen', 'Kowalski', '847.555.0113', '+18475550113', 'helen.kowalski@example.com', 'Evanston', 'IL', '60201', 'en', 'globe'),
  ('10000004-0000-4000-8000-000000000004', '20000004-0000-4000-8000-000000000004', 'a0000002-0000-4000-8000-000000000002', 'b0000005-0000-4000-8000-000000000005', 'Greg', 'Sandoval', '720 555 0114', '+17205550114', null, 'Boulder', 'CO', '80301', 'en', 'br');

insert into public.recruiting_leads (id, vendor_id, vendor_lead_id, first_name, vendor_metadata,
  agency_id, agent_id, distributed_at, created_at) values
  ('30000001-0000-4000-8000-000000000001', 'd0000001-0000-4000-8000-000000000001', 'seed-1', 'Nadia', '{"last_name": "Petrov", "email": "nadia.petrov@example.com", "phone": "+13125550121", "city": "Chicago", "state": "IL"}', 'a0000001-0000-4000-8000-000000000001', 'b0000002-0000-4000-8000-000000000002', now() - interval '22 hours', now() - interval '22 hours'),
  ('30000002-0000-4000-8000-000000000002', 'd0000002-0000-4000-8000-000000000002', 'seed-2', 'Marcus', '{"last_name": "Bell", "phone": "+13125550122", "city": "Gary", "state": "IN"}', 'a0000001-0000-4000-8000-000000000001', 'b0000003-0000-4000-8000-000000000003', now() - interval '23 hours', now() - interval '23 hours');

insert into public.service_numbers (phone, agency_id) values ('+13125550100', 'a0000001-0000-4000-8000-000000000001');

-- Marcus waits for an answer. Nadia does not, and has written more than 12 hours ago, so that quiet hours may hold a
-- text to her.
insert into public.recruiting_conversations (id, recruiting_lead_id, agency_id, recruit_phone, service_phone,
  status, assigned_agent_id, last_message_at, last_text_at, waiting_since) values
  ('40000001-0000-4000-8000-000000000001', '30000001-0000-4000-8000-000000000001', 'a0000001-0000-4000-8000-000000000001', '+13125550121', '+13125550100', 'bot', null, now() - interval '20 hours', now() - interval '1199 minutes', null),
  ('40000002-0000-4000-8000-000000000002', '30000002-0000-4000-8000-000000000002', 'a0000001-0000-4000-8000-000000000001', '+13125550122', '+13125550100', 'escalated', 'b0000003-0000-4000-8000-000000000003', now() - interval '3 minutes', now() - interval '3 minutes', now() - interval '3 minutes');

insert into public.recruiting_messages (id, conversation_id, direction, sender_type, sent_by, provider_message_id,
  body, status, sent_at, created_at) values
  ('50000001-0000-4000-8000-000000000001', '40000001-0000-4000-8000-000000000001', 'outbound', 'bot', null, 'SM00000000000000000000000000000001', 'Hi Nadia, thanks for applying! When could we talk?', 'sent', now() - interval '21 hours', now() - interval '21 hours'),
  ('50000002-0000-4000-8000-000000000002', '40000001-0000-4000-8000-000000000001', 'inbound', 'recruit', null, 'SM00000000000000000000000000000003', 'Any day after 5 pm.', null, null, now() - interval '20 hours'),
  ('50000005-0000-4000-8000-000000000005', '40000001-0000-4000-8000-000000000001', 'outbound', 'bot', null, 'SM00000000000000000000000000000005', 'Thank you, Nadia. Maria will call you.', 'sent', now() - interval '1199 minutes', now() - interval '1199 minutes'),
  ('50000003-0000-4000-8000-000000000003', '40000002-0000-4000-8000-000000000002', 'outbound', 'agent', 'b0000003-0000-4000-8000-000000000003', 'SM00000000000000000000000000000002', 'Hi Marcus, James here. Does Tuesday work?', 'queued', null, now() - interval '20 minutes'),
  ('50000004-0000-4000-8000-000000000004', '40000002-0000-4000-8000-000000000002', 'inbound', 'recruit', null, 'SM00000000000000000000000000000004', 'Tuesday at 10 is fine. Should I bring anything?', null, null, now() - interval '3 minutes');

insert into public.agent_notifications (agent_id, conversation_id, message_id, kind, created_at) values
  ('b0000002-0000-4000-8000-000000000002', '40000001-0000-4000-8000-000000000001', '50000002-0000-4000-8000-000000000002', 'text', now() - interval '20 hours'),
  ('b0000003-0000-4000-8000-000000000003', '40000002-0000-4000-8000-000000000002', '50000004-0000-4000-8000-000000000004', 'text', now() - interval '3 minutes');
