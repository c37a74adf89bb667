-- The consent in a recruit's text: for which agency it holds, and from when on.

create function private.record_consents_in_texts(agency_id uuid, phone text, received public.unmatched_texts[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  decisive record;
begin
  -- A sender without such a number cannot have a conversation either.
  if agency_id is null or phone is null or not pg_input_is_valid(phone, 'public.e164')
    or not exists (select from unnest(received) r where r.consent is not null)
  then
    return;
  end if;

  perform private.lock_consent(agency_id, phone);
  for decisive in
    with said as (
      select r.id, r.body, s.state, s.source, s.words, coalesce(r.received_at, clock_timestamp()) as said_at,
        lag(s.state, 1, case when private.is_opted_out(agency_id, phone) then 'opted_out' end)
          over (order by r.received_at nulls last, r.id) as state_before
      from unnest(received) r
      cross join lateral private.consent_in_text(r.body, r.opt_out_type) s
      where r.consent is not null
    ), stored as (
      insert into public.text_consent_events (agency_id, phone, state, source, words, message_id, occurred_at)
      select record_consents_in_texts.agency_id, record_consents_in_texts.phone, s.state, s.source, s.body, s.id, s.said_at
      from said s
      where s.words is distinct from 'yes' or s.state_before = 'opted_out'
      on conflict on constraint text_consent_events_agency_id_message_id_key do nothing
      returning text_consent_events as event
    ), latest as (
      select distinct on ((s.event).state) s.event
      from stored s
      order by (s.event).state, (s.event).occurred_at desc
    )
    -- Those before them would change nothing: the last one decides, or an opt-out shortly before what is known.
    select l.event from latest l order by (l.event).occurred_at
  loop
    perform private.apply_consent(decisive.event);
  end loop;
end
$$;

comment on function private.record_consents_in_texts(uuid, text, public.unmatched_texts[]) is
  'Records for an agency the consents that a recruit''s texts give or withdraw. agency_id null: nothing is recorded. '
  'received_at null: now.';

-- A service number may be added after a text to it arrived. The transaction that stores a text with a consent and the one
-- that adds the number both first lock the number, and then look for what the other one stored. Texts share the lock.

create function private.service_number_lock(phone text) returns bigint
language plpgsql
immutable
set search_path = ''
as $$
begin
  return hashtextextended('service number ' || phone, 0);
end
$$;

comment on function private.service_number_lock(text) is
  'Returns the key of the advisory lock of one of our numbers. Its texts share the lock; a transaction that gives the number '
  'to an agency holds it alone.';

create function private.agency_of_numbers(recruit_phone text, service_phone text) returns uuid
language plpgsql
stable
set search_path = ''
as $$
begin
  return coalesce(
    (
      select c.agency_id
      from public.recruiting_conversations c
      where c.recruit_phone = agency_of_numbers.recruit_phone and c.service_phone = agency_of_numbers.service_phone
    ),
    (select n.agency_id from public.service_numbers n where n.phone = agency_of_numbers.service_phone)
  );
end
$$;

comment on function private.agency_of_numbers(text, text) is
  'The agency of a text from the recruit to our number: that of their conversation, else the number''s, else null.';

create function private.read_unmatched_consents() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  unmatched record;
begin
  perform pg_advisory_xact_lock(private.service_number_lock(new.phone));
  for unmatched in
    select t.recruit_phone, array_agg(t) as texts
    from public.unmatched_texts t
    where t.service_phone = new.phone and t.consent is not null
    group by t.recruit_phone
    order by private.consent_lock(new.agency_id, t.recruit_phone)
  loop
    perform private.record_consents_in_texts(new.agency_id, unmatched.recruit_phone, unmatched.texts);
  end loop;
  return null;
end
$$;

comment on function private.read_unmatched_consents() is
  'Trigger: consents that recruits texted to a number before an agency had it take effect for the agency.';

create trigger read_unmatched_consents
  after insert or update of agency_id, phone on public.service_numbers
  for each row execute function private.read_unmatched_consents();
