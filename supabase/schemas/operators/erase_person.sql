-- Forgetting a person. person.sql says what is a person's, and what stays.

create function public.erase_person(
  contact text,
  deleted_sids text[] default null,
  deleted_files integer default 0,
  never_again boolean default false
) returns jsonb
language plpgsql
set search_path = ''
-- Shorter than deadlock_timeout, so that this function gives up and not a webhook.
set lock_timeout = '500ms'
as $$
declare
  erased_text constant text := '(erased)';
  person constant private.person := private.person_of(contact);
  message_sids text[];
  counts jsonb := jsonb_build_object('file', deleted_files);
  changed integer;
begin
  perform from public.recruiting_leads l where l.id = any (person.recruiting_leads) order by l.id for no key update;
  -- From here on an arriving text waits, and then finds no conversation.
  perform from public.recruiting_conversations c where c.id = any (person.conversations) order by c.id for update;

  -- So that no worker claims a file of the person meanwhile.
  perform
  from public.recruiting_messages m
  join public.media_copies f on f.message_id = m.id
  where m.conversation_id = any (person.conversations)
  order by f.message_id, f.position
  for update of f;

  message_sids := array(select private.person_message_sids(person));
  if exists (
    select
    from public.text_outbox o
    where o.conversation_id = any (person.conversations) and o.state = 'sending' and o.lease_until > now()
  ) then
    raise exception 'a text to this person is being sent: try again in a minute' using errcode = 'PT409';
  elsif exists (
    select
    from public.recruiting_messages m
    join public.media_copies f on f.message_id = m.id
    where m.conversation_id = any (person.conversations) and f.lease_until > now()
  ) then
    raise exception 'a file of this person is being copied: try again in a minute' using errcode = 'PT409';
  elsif not message_sids <@ deleted_sids or exists (select from private.person_files(person)) then
    raise exception 'a text or a file has come meanwhile: try again' using errcode = 'PT409';
  end if;

  update public.recruiting_leads l
  set
    first_name = erased_text,
    -- Reports leave test leads out.
    vendor_metadata = case
      when l.vendor_metadata -> 'is_test' = 'true' then '{"is_test": true}' else '{}'
    end::jsonb,
    vendor_lead_id = case when private.holds_contact(person, l.vendor_lead_id)
      then private.erased_id(l.vendor_id, l.vendor_lead_id) else l.vendor_lead_id end,
    resume_path = null,
    distribution = case
      when l.distribution in ('unmatched', 'pending') then 'not_requested' else l.distribution
    end
  where l.id = any (person.recruiting_leads);
  get diagnostics changed = row_count;
  counts := counts || jsonb_build_object('recruiting_lead', changed);
  update public.lead_returns r set reason = erased_text where r.recruiting_lead_id = any (person.recruiting_leads);
  delete from public.screening_answers a where a.lead_id = any (person.recruiting_leads);
  delete from public.recruit_notes n where n.recruiting_lead_id = any (person.recruiting_leads);
  delete from public.recruit_stages s where s.recruiting_lead_id = any (person.recruiting_leads);
  delete from public.conversation_assignments h where h.recruiting_lead_id = any (person.recruiting_leads);
  delete from public.recruit_calls c where c.recruiting_lead_id = any (person.recruiting_leads);
  update private.lead_fetches f set notice = '{}' where f.lead_id = any (person.recruiting_leads);
  delete from private.waiting_greetings w where w.lead_id = any (person.recruiting_leads);
  perform private.erase_dispatches(person.recruiting_leads);
  delete from public.skipped_greetings s where s.recruiting_lead_id = any (person.recruiting_leads);

  update public.leads l
  set
    first_name = erased_text, last_name = null, phone = erased_text, phone_e164 = null, email = null, address = null,
    city = null, state = erased_text, zip = null, language = null
  where l.id = any (person.leads);
  get diagnostics changed = row_count;
  counts := counts || jsonb_build_object('lead', changed);
  delete from public.lead_demographics d where d.lead_id = any (person.leads);
  -- Product and premium are counted, and name nobody.
  update public.lead_sales s
  set policy_number = null, face_amount = null, effective_date = null
  where s.lead_id = any (person.leads);
  -- The person named by the lead is another person. Only the words about both are removed.
  update public.lead_referrals r set relationship = null, notes = null where r.lead_id = any (person.leads);

  update public.lead_referrals r
  set first_name = erased_text, last_name = null, phone = erased_text, email = null, relationship = null, notes = null
  where r.id = any (person.referrals);
  get diagnostics changed = row_count;
  counts := counts || jsonb_build_object('referral', changed);

  update public.rejected_deliveries d
  set
    payload = null,
    payload_text = null,
    context = '{}',
    vendor_lead_id = case when private.holds_contact(person, d.vendor_lead_id)
      then private.erased_id(d.vendor_id, d.vendor_lead_id) else d.vendor_lead_id end,
    reason = case when private.holds_contact(person, d.reason) then erased_text else d.reason end,
    -- A request of several leads stays open, because the leads of others in it must be sent again.
    status = case
      when d.status = 'open' and (
        d.row is not null
        or d.vendor_id is not null and d.route not like '%/bulk' and jsonb_typeof(d.payload) is distinct from 'array'
      ) then 'dismissed'
      else d.status
    end
  where d.id = any (person.deliveries);
  get diagnostics changed = row_count;
  counts := counts || jsonb_build_object('delivery', changed);

  delete from public.recruiting_message_events e where e.provider_message_id = any (message_sids);
  -- Messages, what is to be sent, and notifications go with it.
  delete from public.recruiting_conversations c where c.id = any (person.conversations);
  get diagnostics changed = row_count;
  counts := counts || jsonb_build_object('conversation', changed);

  delete from public.unmatched_texts t where t.recruit_phone = any (person.phones) and t.consent is null;
  get diagnostics changed = row_count;
  counts := counts || jsonb_build_object('unmatched_text', changed);
  update public.unmatched_texts t set media = '[]' where t.recruit_phone = any (person.phones) and t.media <> '[]';

  delete from private.idempotency_keys k where private.holds_contact(person, k.key);
  get diagnostics changed = row_count;
  counts := counts || jsonb_build_object('idempotency_key', changed);

  with removed as (
    delete from public.suppressions s
    where s.kind = 'phone' and s.value = any (person.phones) or s.kind = 'email' and s.value = any (person.emails)
    returning s.kind, s.value, s.ends_at
  ), hashed as (
    insert into public.suppressions as s (kind, value, reason, source, ends_at)
    select c.kind, private.suppression_hash(c.kind, c.value), erased_text, 'erased', case when not never_again then r.ends_at end
    from (
      select 'phone', p from unnest(person.phones) p
      union all
      select 'email', e from unnest(person.emails) e
    ) c (kind, value)
    left join removed r on r.kind = c.kind and r.value = c.value
    where never_again or r.value is not null
    order by 1, 2
    on conflict (kind, value) do update
    set ends_at = excluded.ends_at
    where coalesce(excluded.ends_at, 'infinity') > coalesce(s.ends_at, 'infinity')
  )
  select count(*) into changed from removed;
  counts := counts || jsonb_build_object('suppression', changed);

  insert into public.erasures (asked_by, erased, provider_copies)
  values (case when contact like '%@%' then 'email' else 'phone' end, counts, cardinality(deleted_sids));
  return counts;
end
$$;

comment on function public.erase_person(text, text[], integer, boolean) is
  'Erases the person with this phone in E.164 or e-mail address, and notes it in erasures. Leads, referrals and rejected '
  'deliveries are emptied and stay, so that counts, turns and duplicates remain correct; conversations with their messages, '
  'unmatched texts and idempotency keys are deleted. Waiting dispatches are cancelled, and destinations that received the '
  'person get `recruit.erased`. Consents, their proof, and unmatched texts with a consent in them stay. Suppressions become '
  'hashes, and hold. deleted_sids: the texts that the caller has deleted at the SMS provider before; null: it was not asked. '
  'deleted_files: how many files the caller has deleted before. never_again: the person''s numbers and addresses are '
  'suppressed for good, as hashes. Returns how many there were of each kind. PT409 if there is a text or a file that the '
  'caller has not deleted, or a text is being sent or a file copied; 55P03 if a row is locked: nothing is erased then, and it '
  'can be called again. PT400 as find_person().';
grant execute on function public.erase_person(text, text[], integer, boolean) to service_role;
