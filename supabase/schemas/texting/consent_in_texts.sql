-- What a recruit's text says about further texts: for which agency it holds, and from when on.

create function private.record_consent_in_text(agency_id uuid, received public.unmatched_texts) returns void
language plpgsql
set search_path = ''
as $$
declare
  phone constant text := received.recruit_phone;
  said record;
begin
  -- A sender without such a number cannot have a conversation either.
  if received.consent is null or agency_id is null or phone is null or not pg_input_is_valid(phone, 'public.e164') then
    return;
  end if;

  said := private.consent_in_text(received.body, received.opt_out_type);
  perform private.lock_consent(agency_id, phone);
  if said.words is distinct from 'yes' or private.is_opted_out(agency_id, phone) then
    perform private.record_consent(
      agency_id, phone, said.state, said.source, received.body, received.id, occurred_at => received.received_at);
  end if;
end
$$;

comment on function private.record_consent_in_text(uuid, public.unmatched_texts) is
  'Records for an agency the consent that a recruit''s text gives or takes back, if any. agency_id null: of none yet. '
  'received_at null: now.';
grant execute on function private.record_consent_in_text(uuid, public.unmatched_texts) to service_role;

-- A number of ours may be added after a text came to it. One stores a text that gives or takes back a consent, another adds
-- the number. Both first take a lock on the number and then look for what the other one stored. Texts share the lock.

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
  'The advisory lock of a number of ours: of its texts, shared, and of whoever gives it to an agency.';
grant execute on function private.service_number_lock(text) to service_role;

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
  'The agency that a text from the recruit to our number concerns: that of their conversation, else the number''s, else '
  'null.';
grant execute on function private.agency_of_numbers(text, text) to service_role;

create function private.read_unmatched_consents() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  unmatched public.unmatched_texts;
begin
  perform pg_advisory_xact_lock(private.service_number_lock(new.phone));
  for unmatched in
    select t.*
    from public.unmatched_texts t
    where t.service_phone = new.phone and t.consent is not null
    order by private.consent_lock(new.agency_id, t.recruit_phone), t.received_at
  loop
    perform private.record_consent_in_text(new.agency_id, unmatched);
  end loop;
  return null;
end
$$;

comment on function private.read_unmatched_consents() is
  'Trigger: what recruits have texted to a number before an agency had it holds for the agency.';

create trigger read_unmatched_consents
  after insert or update of agency_id, phone on public.service_numbers
  for each row execute function private.read_unmatched_consents();
