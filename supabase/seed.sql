-- A small agency to try everything on. For local use only: it runs once, on an empty database, never on a hosted
-- project. Every sign-in has the password `lead-intake-local`.

insert into public.agencies (id, name, timezone) values
  ('a0000001-0000-4000-8000-000000000001', 'Lakeshore Insurance Group', 'America/Chicago'),
  ('a0000002-0000-4000-8000-000000000002', 'Summit Life Partners', 'America/Denver');

-- The empty strings are what the hosted auth service expects where there is no token. The hashes are weak: making a
-- strong one of a password that everybody knows would only take time.
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
    extensions.crypt('lead-intake-local', extensions.gen_salt('bf', 4)), now(),
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

-- Maria has Nadia, and James the others. No order brought them.
insert into public.recruiting_leads (id, vendor_id, vendor_lead_id, first_name, agency_id, agent_id, vendor_metadata,
  distributed_at, created_at)
select
  ('3000000' || n || '-0000-4000-8000-00000000000' || n)::uuid, vendor_id::uuid, 'seed-' || n, first_name,
  'a0000001-0000-4000-8000-000000000001', agent_id::uuid,
  jsonb_build_object('phone', '+1312555012' || n) || metadata::jsonb, now() - minutes * interval '1 minute',
  now() - minutes * interval '1 minute'
from (values
  (1, 'd0000001-0000-4000-8000-000000000001', 'b0000002-0000-4000-8000-000000000002', 1320, 'Nadia', '{"last_name": "Petrov", "email": "nadia.petrov@example.com", "city": "Chicago", "state": "IL"}'),
  (2, 'd0000002-0000-4000-8000-000000000002', 'b0000003-0000-4000-8000-000000000003', 2900, 'Marcus', '{"last_name": "Bell", "email": "marcus.bell@example.com", "city": "Gary", "state": "IN", "answers": [{"question": "Do you hold a life insurance license?", "answer": "Yes"}], "vendor_fields": {"job_title": "Life insurance agent", "experience": "3 years in retail sales"}}'),
  (3, 'd0000002-0000-4000-8000-000000000002', 'b0000003-0000-4000-8000-000000000003', 17280, 'Grace', '{"last_name": "Whitcombe", "city": "Aurora", "state": "IL"}'),
  (4, 'd0000002-0000-4000-8000-000000000002', 'b0000003-0000-4000-8000-000000000003', 45, 'Ruth', '{"last_name": "Lindqvist", "city": "Joliet", "state": "IL"}'),
  (5, 'd0000002-0000-4000-8000-000000000002', 'b0000003-0000-4000-8000-000000000003', 1800, 'Tomás', '{"last_name": "Rivera", "city": "Hammond", "state": "IN"}')
) l (n, vendor_id, agent_id, minutes, first_name, metadata);

insert into public.screening_answers (lead_id, question, value, said, answered_at) values
  ('30000002-0000-4000-8000-000000000002', 'licensed', '"yes"', 'Yes, life and health', now() - interval '2880 minutes'),
  ('30000002-0000-4000-8000-000000000002', 'states', '["IL", "IN"]', 'Indiana and Illinois', now() - interval '2870 minutes'),
  ('30000005-0000-4000-8000-000000000005', 'licensed', '"no"', 'Not yet, I have just done the course', now() - interval '1788 minutes'),
  ('30000005-0000-4000-8000-000000000005', 'hours', '"full_time"', 'Full time. I want to leave retail', now() - interval '1780 minutes');

-- How far each has come. The first stage the bot has set, upon the first answer.
insert into public.recruit_stages (recruiting_lead_id, agency_id, agent_id, stage, created_at, ended_at)
select l.id, l.agency_id, case t.stage when 'contacted' then null else l.agent_id end, t.stage,
  now() - t.begun * interval '1 minute', now() - t.ended * interval '1 minute'
from (values
  ('Nadia', 'contacted', 1200, null),
  ('Marcus', 'contacted', 2880, 178), ('Marcus', 'interview', 178, null),
  ('Grace', 'contacted', 17274, 15800), ('Grace', 'interview', 15800, 75), ('Grace', 'licensed', 75, 68),
  ('Grace', 'hired', 68, null),
  ('Tomás', 'contacted', 1788, null)
) t (name, stage, begun, ended)
join public.recruiting_leads l on l.first_name = t.name;

insert into public.recruit_notes (recruiting_lead_id, agent_id, body, created_at)
select l.id, l.agent_id, t.body, now() - t.minutes * interval '1 minute'
from (values
  ('Marcus', 175, 'Three years in retail, asks good questions. Bring the compensation sheet to the interview.'),
  ('Grace', 67, 'Starts on Monday at nine. The laptop is ordered.'),
  ('Tomás', 1490, 'Has done the course, takes the exam next week. Prefers calls to texts.')
) t (name, minutes, body)
join public.recruiting_leads l on l.first_name = t.name;

insert into public.service_numbers (phone, agency_id) values ('+13125550100', 'a0000001-0000-4000-8000-000000000001');

-- The last words of those who wait are a moment old, so that nobody has waited too long. Nadia does not wait, and has
-- written more than 12 hours ago, so that quiet hours may hold a text to her.
insert into public.recruiting_conversations (id, recruiting_lead_id, agency_id, recruit_phone, service_phone, status,
  assigned_agent_id, created_at, last_message_at, last_text_at, waiting_since)
select
  ('4000000' || right(l.vendor_lead_id, 1) || '-0000-4000-8000-00000000000' || right(l.vendor_lead_id, 1))::uuid, l.id,
  l.agency_id, l.phone, '+13125550100', t.status, case t.status when 'escalated' then l.agent_id end, l.created_at,
  now() - wrote * interval '1 minute', now() - latest * interval '1 minute', now() - waits * interval '1 minute'
from (values
  ('Nadia', 'bot', 1200, 1199, null),
  ('Grace', 'escalated', 74, 70, null),
  ('Marcus', 'escalated', 5, 5, 5),
  ('Ruth', 'escalated', 4, 4, 4),
  ('Tomás', 'escalated', 2, 2, 2)
) t (name, status, wrote, latest, waits)
join public.recruiting_leads l on l.first_name = t.name;

insert into public.recruiting_messages (id, conversation_id, direction, sender_type, sent_by, provider_message_id, body,
  status, sent_at, created_at)
select
  ('500000' || lpad(n::text, 2, '0') || '-0000-4000-8000-0000000000' || lpad(n::text, 2, '0'))::uuid, c.id,
  case sender when 'recruit' then 'inbound' else 'outbound' end, sender,
  case sender when 'agent' then c.assigned_agent_id end, 'SM' || case n when 1 then '0' else '5' end || lpad(n::text, 31, '0'),
  t.body, t.status, case when sender <> 'recruit' then now() - minutes * interval '1 minute' end,
  now() - minutes * interval '1 minute'
from (values
  (1, 'Nadia', 'bot', 1260, 'sent', 'Hi Nadia, thanks for applying! When could we talk?'),
  (2, 'Nadia', 'recruit', 1200, null, 'Any day after 5 pm.'),
  (3, 'Nadia', 'bot', 1199, 'delivered', 'Thank you, Nadia. Maria will call you.'),
  (4, 'Grace', 'bot', 17279, 'delivered', 'Hi Grace, this is the assistant of Lakeshore Insurance Group. Do you hold a life insurance license? Reply STOP to opt out.'),
  (5, 'Grace', 'recruit', 17274, null, 'Not yet'),
  (6, 'Grace', 'bot', 17273, 'delivered', 'No problem, Grace. James will text you soon.'),
  (7, 'Grace', 'agent', 16100, 'delivered', 'Hi Grace, James here. We pay for the course. Can you come in on Thursday at 2?'),
  (8, 'Grace', 'recruit', 16080, null, 'Thursday at 2 is perfect'),
  (9, 'Grace', 'recruit', 74, null, 'I passed the exam! When do I start?'),
  (10, 'Grace', 'agent', 70, 'delivered', 'Congratulations, and welcome aboard, Grace. See you Monday. James'),
  (11, 'Marcus', 'bot', 2890, 'delivered', 'Hi Marcus, this is the assistant of Lakeshore Insurance Group. Do you hold a life insurance license? Reply STOP to opt out.'),
  (12, 'Marcus', 'recruit', 2880, null, 'Yes, life and health'),
  (13, 'Marcus', 'bot', 2879, 'delivered', 'Great. In which states?'),
  (14, 'Marcus', 'recruit', 2870, null, 'Indiana and Illinois'),
  (15, 'Marcus', 'bot', 2869, 'delivered', 'Thank you, Marcus. James will text you soon.'),
  (16, 'Marcus', 'agent', 180, 'delivered', 'Hi Marcus, James here. You have what we look for. Does Tuesday work for an interview?'),
  (17, 'Marcus', 'recruit', 5, null, 'Tuesday at 10 is fine. Should I bring anything?'),
  (18, 'Ruth', 'recruit', 4, null, 'Is the position remote?'),
  (19, 'Tomás', 'bot', 1795, 'delivered', 'Hi Tomás, this is the assistant of Lakeshore Insurance Group. Do you hold a life insurance license? Reply STOP to opt out.'),
  (20, 'Tomás', 'recruit', 1788, null, 'Not yet, I have just done the course'),
  (21, 'Tomás', 'bot', 1787, 'delivered', 'Good to know. Are you looking for full or part time?'),
  (22, 'Tomás', 'recruit', 1780, null, 'Full time. I want to leave retail'),
  (23, 'Tomás', 'bot', 1779, 'delivered', 'Thank you, Tomás. James will text you soon.'),
  (24, 'Tomás', 'agent', 1500, 'delivered', 'Hi Tomás, James here. The exam is no reason to wait. When could we talk?'),
  (25, 'Tomás', 'recruit', 1440, null, 'Tomorrow would be best'),
  (26, 'Tomás', 'agent', 25, 'delivered', 'Hi Tomás. Is now a good time for a call?'),
  (27, 'Tomás', 'recruit', 2, null, 'Sorry, was driving. Call me any time now')
) t (n, name, sender, minutes, status, body)
join public.recruiting_leads l on l.first_name = t.name
join public.recruiting_conversations c on c.recruiting_lead_id = l.id;

insert into public.agent_notifications (agent_id, conversation_id, message_id, kind, created_at)
select c.assigned_agent_id, c.id, m.id, 'text', m.created_at
from public.recruiting_conversations c
join public.recruiting_messages m on m.conversation_id = c.id and m.created_at = c.waiting_since;

-- What James has answered he has read.
insert into public.conversation_reads (conversation_id, agent_id, read_up_to)
select c.id, c.assigned_agent_id, c.last_text_at
from public.recruiting_conversations c
where c.assigned_agent_id is not null and c.waiting_since is null;
