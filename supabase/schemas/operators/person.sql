-- A person's right to know what is held, and to be forgotten: npm run admin -- person.
--
-- A person is a phone number or an e-mail address and whatever shares either, in one step: the leads and referrals that
-- have it, and then all that has one of their numbers and addresses. Two people who share an address are one person
-- here, so the operator who erases looks at find_person() first.
--
-- The proof of the person's words about texts stays, because the opt-out must hold: text_consents,
-- text_consent_events, and unmatched texts with a consent in them, which no agency may have recorded yet. A suppression
-- stays as a hash, because it must hold.

create type private.person as (
  phones text[],
  emails text[],
  pattern text,
  recruiting_leads uuid[],
  leads uuid[],
  referrals uuid[],
  deliveries uuid[],
  conversations uuid[]
);

comment on type private.person is
  'A person''s numbers in E.164, addresses in lower case, the pattern of private.contact_pattern() for both, and the ids of '
  'the rows that are the person''s. referrals: the person as others have named them.';

create function public.find_person(contact text)
returns table (kind text, id text, at timestamptz, detail text, stays boolean)
language plpgsql
stable
set search_path = ''
as $$
declare
  person constant private.person := private.person_of(contact);
begin
  return query
  select
    'recruiting_lead', l.id::text, l.created_at,
    concat_ws(', ', concat_ws(' ', l.first_name, l.last_name), l.phone, l.email, 'from ' || v.slug), false
  from public.recruiting_leads l
  join public.vendors v on v.id = l.vendor_id
  where l.id = any (person.recruiting_leads)
  union all
  select
    'lead', l.id::text, l.created_at,
    concat_ws(', ', concat_ws(' ', l.first_name, l.last_name), coalesce(l.phone_e164, l.phone), l.email, 'of ' || a.name), false
  from public.leads l
  join public.agencies a on a.id = l.agency_id
  where l.id = any (person.leads)
  union all
  select
    'referral', r.id::text, r.created_at,
    concat_ws(', ', concat_ws(' ', r.first_name, r.last_name), r.phone, r.email, 'named by a lead'), false
  from public.lead_referrals r
  where r.id = any (person.referrals)
  union all
  select 'delivery', d.id::text, d.received_at, concat_ws(', ', d.status, d.reason), false
  from public.rejected_deliveries d
  where d.id = any (person.deliveries)
  union all
  select
    'conversation', c.id::text, c.created_at,
    format('%s with %s, %s texts', c.recruit_phone, c.service_phone, (
      select count(*) from public.recruiting_messages m where m.conversation_id = c.id
    )), false
  from public.recruiting_conversations c
  where c.id = any (person.conversations)
  union all
  select
    'unmatched_text', t.id::text, t.received_at, concat_ws(' ', 'to', t.service_phone, t.consent), t.consent is not null
  from public.unmatched_texts t
  where t.recruit_phone = any (person.phones)
  union all
  select 'idempotency_key', k.key, k.created_at, 'ends ' || (k.created_at + k.retention)::text, false
  from private.idempotency_keys k
  where private.holds_contact(person, k.key)
  union all
  select 'file', f.bucket || '/' || f.name, f.created_at, null, false
  from private.person_files(person) f
  union all
  select 'suppression', s.value, s.created_at, concat_ws(', ', s.reason, 'from ' || s.source), s.value like 'sha256:%'
  from private.person_suppressions(person) s
  union all
  select 'consent', e.id::text, e.occurred_at, concat_ws(', ', e.phone, e.state, e.source, 'said to ' || a.name), true
  from public.text_consent_events e
  join public.agencies a on a.id = e.agency_id
  where e.phone = any (person.phones);
end
$$;

comment on function public.find_person(text) is
  'The data about the person with this phone in E.164 or e-mail address: kind (recruiting_lead, lead, referral, delivery, '
  'conversation, unmatched_text, idempotency_key, file, suppression, consent), id, when it came, and in words what it is. '
  'stays: erase_person() keeps it. Rows that belong to a lead or a conversation are not listed separately. Reads all leads. '
  'PT400 if it is neither a phone nor an address.';
grant execute on function public.find_person(text) to service_role;

create function public.person_copies(contact text) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  person constant private.person := private.person_of(contact);
begin
  return jsonb_build_object(
    'phones', (
      select coalesce(jsonb_agg(distinct known.phone), '[]')
      from (
        select unnest(person.phones)
        union
        select c.recruit_phone from public.recruiting_conversations c where c.id = any (person.conversations)
      ) known (phone)
    ),
    'service_phones', (
      select coalesce(jsonb_agg(distinct ours.phone), '[]')
      from (
        select n.phone from public.service_numbers n
        union
        select c.service_phone from public.recruiting_conversations c where c.id = any (person.conversations)
        union
        select t.service_phone from public.unmatched_texts t where t.recruit_phone = any (person.phones)
      ) ours (phone)
      where ours.phone is not null
    ),
    'message_sids', (select coalesce(jsonb_agg(s), '[]') from private.person_message_sids(person) s),
    'files', (select coalesce(jsonb_agg(f order by f.bucket, f.name), '[]') from private.person_files(person) f)
  );
end
$$;

comment on function public.person_copies(text) is
  'The data about a person outside the tables, for the caller to delete before erase_person(): {phones, service_phones: '
  'our numbers, message_sids: of the texts that we know at the SMS provider, files: [{bucket, name, created_at}]}. Reads '
  'all leads. PT400 as find_person().';
grant execute on function public.person_copies(text) to service_role;

create function private.person_of(contact text) returns private.person
language plpgsql
stable
set search_path = ''
as $$
declare
  given constant text := lower(btrim(contact));
  phone_pattern text;
  last_digits text[];
  person private.person;
  found_phones text[];
  found_emails text[];
begin
  case private.contact_kind(given)
    when 'phone' then
      person.phones := array[given];
      person.emails := '{}';
    when 'email' then
      person.phones := '{}';
      person.emails := array[given];
    else
      raise exception 'contact: must be a phone number in E.164 or an e-mail address' using errcode = 'PT400';
  end case;

  -- First who has what was given, and then who has what they have.
  for step in 1..2 loop
    phone_pattern := private.contact_pattern(person.phones, '{}');
    last_digits := array(select '%' || right(p, 2) || '%' from unnest(person.phones) p);
    select
      coalesce(array_agg(m.id) filter (where m.kind = 'recruiting_lead'), '{}'),
      coalesce(array_agg(m.id) filter (where m.kind = 'lead'), '{}'),
      coalesce(array_agg(m.id) filter (where m.kind = 'referral'), '{}'),
      coalesce(array_agg(distinct m.phone) filter (where private.contact_kind(m.phone) = 'phone'), '{}'),
      coalesce(array_agg(distinct lower(m.email)) filter (where private.contact_kind(m.email) = 'email'), '{}')
    into person.recruiting_leads, person.leads, person.referrals, found_phones, found_emails
    from (
      select 'recruiting_lead' as kind, l.id, l.phone, l.email from public.recruiting_leads l
      union all
      select 'lead', l.id, coalesce(l.phone_e164, l.phone), l.email from public.leads l
      union all
      select 'referral', r.id, r.phone, r.email from public.lead_referrals r
    ) m
    where m.phone = any (person.phones)
      or lower(m.email) = any (person.emails)
      -- A number that is not in E.164. Its last digits are looked for first, because a pattern is slow.
      or m.phone like any (last_digits) and m.phone !~ '^\+[0-9]+$' and m.phone ~ phone_pattern;
    exit when step = 2;
    person.phones := array(select distinct p from unnest(person.phones || found_phones) p order by p);
    person.emails := array(select distinct e from unnest(person.emails || found_emails) e order by e);
  end loop;

  person.pattern := private.contact_pattern(person.phones, person.emails);
  person.conversations := array(
    select c.id
    from public.recruiting_conversations c
    where c.recruit_phone = any (person.phones) or c.recruiting_lead_id = any (person.recruiting_leads)
  );
  person.deliveries := array(
    select d.id
    from public.rejected_deliveries d
    where (d.payload is not null or d.payload_text is not null)
      and (
        d.lead_id = any (person.recruiting_leads || person.leads)
        or coalesce(d.payload::text, d.payload_text) ~* person.pattern
        or concat_ws(' ', d.vendor_lead_id, d.reason, d.context) ~* person.pattern
        or exists (
          select
          from public.recruiting_leads l
          where l.id = any (person.recruiting_leads) and l.vendor_id = d.vendor_id and l.vendor_lead_id = d.vendor_lead_id
        )
        or d.vendor_id is null and exists (
          select from public.leads l where l.id = any (person.leads) and l.external_id::text = d.vendor_lead_id
        )
      )
  );
  return person;
end
$$;

comment on function private.person_of(text) is
  'The person with this phone in E.164 or e-mail address. A delivery is the person''s if one of the person''s leads was read '
  'from it, or if it contains a number or an address of the person. PT400 if it is neither.';

create function private.person_files(person private.person)
returns table (bucket text, name text, created_at timestamptz)
language sql
stable
set search_path = ''
as $$
  select o.bucket_id, o.name, o.created_at
  from storage.objects o
  where o.bucket_id = 'resumes' and o.name in (
      select l.resume_path from public.recruiting_leads l where l.id = any (person.recruiting_leads)
    )
    -- As private.conversation_of_file()
    or o.bucket_id = 'text-media' and left(o.name, 36) = any (person.conversations::text[])
$$;

comment on function private.person_files(private.person) is
  'The files of a person in storage: the resumes of the leads, what agents have sent in the conversations, and the copies '
  'of what the recruits have.';

create function private.person_message_sids(person private.person) returns setof text
language sql
stable
set search_path = ''
as $$
  select m.provider_message_id
  from public.recruiting_messages m
  where m.conversation_id = any (person.conversations) and m.provider_message_id is not null
  union
  select t.message_sid
  from public.unmatched_texts t
  where t.recruit_phone = any (person.phones) and t.consent is null and t.message_sid is not null
  order by 1
$$;

comment on function private.person_message_sids(private.person) is
  'The MessageSids of a person''s texts that do not stay, by which the SMS provider knows them.';

create function private.person_suppressions(person private.person) returns setof public.suppressions
language sql
stable
set search_path = ''
as $$
  select s.*
  from unnest(person.phones) p (phone)
  join public.suppressions s on s.kind = 'phone' and s.value in (p.phone, private.suppression_hash('phone', p.phone))
  union all
  select s.*
  from unnest(person.emails) e (email)
  join public.suppressions s on s.kind = 'email' and s.value in (e.email, private.suppression_hash('email', e.email))
$$;

comment on function private.person_suppressions(private.person) is 'The suppressions of a person, also those that are hashes.';

create function private.holds_contact(person private.person, id text) returns boolean
language sql
immutable
set search_path = ''
as $$
  select id ~* person.pattern or exists (select from unnest(person.emails) e (email) where strpos(lower(id), e.email) > 0)
$$;

comment on function private.holds_contact(private.person, text) is
  'Whether an id or a short text holds a number or an address of the person. Here lead-a@b.c contains a@b.c, which in a long '
  'text would be another address.';
