-- Which new leads have an earlier lead of their person, to which a repeat rule applies.

create function private.lock_and_find_repeats(sent private.sent_lead[]) returns private.repeated_lead[]
language plpgsql
set search_path = ''
as $$
declare
  contacts constant private.lead_contact[] := private.lead_contacts(sent);
begin
  perform private.lock_people(contacts);
  -- A statement of its own, which sees what the transactions that held the locks have stored.
  return private.find_repeats(contacts);
end
$$;

comment on function private.lock_and_find_repeats(private.sent_lead[]) is
  'Returns the new leads to which a repeat rule applies. Until the transaction ends, no other one stores leads of their '
  'persons.';

create function private.lock_people(contacts private.lead_contact[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  people constant bigint[] := array(
    select distinct hashtextextended(k.value, 0) as person
    from unnest(contacts) c
    cross join lateral (values ('phone', c.phone), ('email', c.email)) k (kind, value)
    where k.value is not null
      and exists (
        select from public.repeat_rules r
        where (r.vendor_id is null or r.vendor_id = c.vendor_id) and k.kind = any (r.match)
      )
    order by person
  );
begin
  insert into private.person_locks (person) select unnest(people) on conflict do nothing;
  -- Until the transaction ends, the index keeps the row, and others wait for it.
  delete from private.person_locks p where p.person = any (people);
end
$$;

comment on function private.lock_people(private.lead_contact[]) is
  'Waits until no other transaction stores leads of these persons, for leads under a rule. In a fixed order, so that two '
  'calls do not deadlock.';

create function private.find_repeats(contacts private.lead_contact[]) returns private.repeated_lead[]
language plpgsql
set search_path = ''
-- By the indexes, also with a plan that was made while the table was small.
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  repeated constant private.repeated_lead[] := array(
    select row(
      c.ordinal, m.rank, m.action, m.id, m.vendor_id, m.agency_id,
      case when m.action = 'same_agent' then private.remaining_agent(m.agent_id) end, m.distribution = 'pending'
    )::private.repeated_lead
    from unnest(contacts) c
    cross join lateral (
      select r.rank, r.action, e.*
      from public.repeat_rules r
      cross join lateral (
        select f.*
        from (
          (
            select l.* from private.first_leads l
            where 'phone' = any (r.match) and l.phone = c.phone and length(l.phone) <= 16
              and l.created_at > now() - r.within and l.id <> c.id
              and (r.agency_id is null or l.agency_id = r.agency_id)
              and private.is_decided(r.action, l.agency_id, l.distribution = 'pending', c.distribution)
            order by l.created_at desc limit 1
          )
          union all
          (
            select l.* from private.first_leads l
            where 'email' = any (r.match) and l.email = c.email and length(l.email) <= 320
              and l.created_at > now() - r.within and l.id <> c.id
              and (r.agency_id is null or l.agency_id = r.agency_id)
              and private.is_decided(r.action, l.agency_id, l.distribution = 'pending', c.distribution)
            order by l.created_at desc limit 1
          )
        ) f
        order by f.created_at desc limit 1
      ) e
      where r.vendor_id is null or r.vendor_id = c.vendor_id
      order by r.rank desc limit 1
    ) m
  );
begin
  -- Few calls have two leads of one person.
  if (
    select count(k.value) > count(distinct k.value)
    from unnest(contacts) c
    cross join lateral (values (c.phone), (c.email)) k (value)
  ) then
    return private.find_repeats_together(contacts, repeated);
  end if;
  return repeated;
end
$$;

comment on function private.find_repeats(private.lead_contact[]) is
  'Returns the leads to which a repeat rule applies, with what the rule does. The caller has called lock_people(), unless it '
  'stores nothing.';

create function private.is_decided(action text, agency_id uuid, is_pending boolean, distribution text) returns boolean
language plpgsql
immutable
set search_path = ''
as $$
begin
  return action <> 'same_agent' or agency_id is not null or is_pending and distribution <> 'not_requested';
end
$$;

comment on function private.is_decided(text, uuid, boolean, text) is
  'Whether an action applies with this earlier lead: there is an agency to follow, or there may be one as soon as the earlier lead, which is '
  'pending, is distributed. A lead in bulk does not wait for that.';

create function private.find_repeats_together(contacts private.lead_contact[], known private.repeated_lead[])
returns private.repeated_lead[]
language plpgsql
set search_path = ''
as $$
declare
  twin record;
  decision private.repeated_lead;
  decisions private.repeated_lead[] := '{}';
  -- By ordinal: what a lead that follows this one gets.
  heads private.repeated_lead[] := '{}';
  -- By number of the phone or email: the ordinal of its newest lead so far.
  of_phone integer[] := '{}';
  of_email integer[] := '{}';
  ordinals integer[] := '{}';
begin
  for twin in
    select t.*, f.rank, f as known
    from (
      select
        c.*,
        case when c.phone is not null and count(*) over (partition by c.phone) > 1
          then dense_rank() over (order by c.phone) end as phone_number,
        case when c.email is not null and count(*) over (partition by c.email) > 1
          then dense_rank() over (order by c.email) end as email_number
      from unnest(contacts) c
    ) t
    left join unnest(known) f on f.ordinal = t.ordinal
    where t.phone_number is not null or t.email_number is not null
    order by t.ordinal
  loop
    ordinals := ordinals || twin.ordinal;
    select twin.ordinal, r.rank, r.action, (h.lead).earlier_id, (h.lead).vendor_id, (h.lead).agency_id, (h.lead).agent_id,
      (h.lead).is_pending
    into decision
    from public.repeat_rules r
    cross join lateral (
      select heads[greatest(
        case when 'phone' = any (r.match) then of_phone[twin.phone_number] end,
        case when 'email' = any (r.match) then of_email[twin.email_number] end
      )] as lead
    ) h
    where (h.lead).earlier_id is not null
      and (r.vendor_id is null or r.vendor_id = twin.vendor_id)
      and (r.agency_id is null or r.agency_id = (h.lead).agency_id)
    order by r.rank desc limit 1;

    if decision.rank is null or decision.rank < twin.rank
      or not private.is_decided(decision.action, decision.agency_id, decision.is_pending, twin.distribution)
    then
      decision := twin.known;
    end if;
    if decision.action is not null then
      decisions := decisions || decision;
    end if;
    continue when decision.action in ('hold', 'duplicate');

    heads[twin.ordinal] := row(
      twin.ordinal, null, null, twin.id, twin.vendor_id, decision.agency_id, decision.agent_id,
      coalesce(decision.is_pending, twin.distribution = 'pending'));
    if twin.phone_number is not null then
      of_phone[twin.phone_number] := twin.ordinal;
    end if;
    if twin.email_number is not null then
      of_email[twin.email_number] := twin.ordinal;
    end if;
  end loop;
  return decisions || array(select f from unnest(known) f where f.ordinal <> all (ordinals));
end
$$;

comment on function private.find_repeats_together(private.lead_contact[], private.repeated_lead[]) is
  'Returns the same leads, and those that repeat an earlier lead of the same call. known: the leads that repeat a stored one.';
