-- One person, several leads: what becomes of a lead whose person has an earlier lead, of whatever vendor. Without a rule
-- nothing here runs.

create table public.repeat_rules (
  id uuid primary key default gen_random_uuid(),
  vendor_id uuid references public.vendors (id) on delete cascade,
  agency_id uuid references public.agencies (id) on delete cascade,
  match text[] not null check (match <@ '{phone,email}' and cardinality(match) > 0),
  within interval not null check (within > interval '0'),
  action text not null check (action in ('hold', 'same_agent', 'duplicate')),
  rank integer not null generated always as (
    case when vendor_id is null then 0 else 2 end + case when agency_id is null then 0 else 1 end
  ) stored,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint repeat_rules_scope_key unique nulls not distinct (vendor_id, agency_id)
);

create index on public.repeat_rules (agency_id);

comment on table public.repeat_rules is
  'What becomes of a new lead whose person has an earlier lead. Of the rules that fit, the most specific decides: vendor and '
  'agency, then vendor, then agency, then neither. The earlier lead is the newest other lead of the person, without '
  'tests, returned leads, suppressed leads and held repeats.';
comment on column public.repeat_rules.vendor_id is 'Only new leads of this vendor; null: of any.';
comment on column public.repeat_rules.agency_id is 'Only where this agency has the earlier lead; null: any agency, or none.';
comment on column public.repeat_rules.match is
  'What makes two leads one person''s: the same `phone`, the same `email`, or, with both, one of them.';
comment on column public.repeat_rules.within is 'How old the earlier lead is at most.';
comment on column public.repeat_rules.action is
  '`hold`: the lead is stored as a `repeat` and goes to no agency. `same_agent`: it goes to the agency and the agent who have '
  'the earlier lead, without an order; to the agency alone while the agent is away; if nobody has it, the lead is treated '
  'like any other. `duplicate`: it is not stored, and the vendor gets the response for a duplicate.';

comment on column public.repeat_rules.rank is 'Of the rules that fit, the one with the highest rank decides.';

create trigger set_updated_at
  before update on public.repeat_rules
  for each row execute function private.set_updated_at();

alter table public.repeat_rules enable row level security;
grant select, insert, update, delete on public.repeat_rules to service_role;

create table private.lead_repeats (
  lead_id uuid primary key references public.recruiting_leads (id) on delete cascade,
  -- Not a foreign key, because storing a lead would wait for a transaction that has locked the earlier one.
  earlier_id uuid not null,
  action text not null check (action in ('hold', 'same_agent')),
  created_at timestamptz not null default now()
);

comment on table private.lead_repeats is
  'Stored leads to which a repeat rule applied, with the earlier lead of the person, which may have been deleted since. A '
  'pending lead with `same_agent` waits for its earlier lead, and follows it.';

alter table private.lead_repeats enable row level security;
grant select, insert, update, delete on private.lead_repeats to service_role;

create unlogged table private.person_locks (person bigint primary key);

comment on table private.person_locks is
  'Always empty. A transaction that stores a lead under a repeat rule inserts and deletes a row for its person. Another '
  'one that inserts the same row waits until the first transaction has ended. Advisory locks would not do: a bulk of '
  '10,000 leads would need more of them than the server has.';

alter table private.person_locks enable row level security;
grant select, insert, delete on private.person_locks to service_role;

create view private.first_leads with (security_invoker = true) as
select l.id, l.vendor_id, l.agency_id, l.agent_id, l.distribution, l.phone, l.email, l.created_at
from public.recruiting_leads l
where l.distribution not in ('repeat', 'suppressed', 'returned')
  and l.vendor_metadata -> 'is_test' is distinct from 'true';

comment on view private.first_leads is
  'The leads that can be the earlier lead of a person. Held repeats are not included: otherwise a person who applies every '
  'week would be held for ever. An erased lead has no phone and no email.';
grant select on private.first_leads to service_role;

create function private.lead_contacts(sent private.sent_lead[]) returns private.lead_contact[]
language plpgsql
set search_path = ''
as $$
begin
  return array(
    select row(
      s.ordinal, s.id, s.vendor_id, s.distribution,
      case when m.data ->> 'phone' ~ '^\+[1-9]\d{1,14}$' then m.data ->> 'phone' end,
      case when length(m.data ->> 'email') <= 320 then lower(m.data ->> 'email') end
    )::private.lead_contact
    from unnest(sent) s
    cross join lateral (select s.lead -> 'vendor_metadata' as data) m
    where s.result is null and s.distribution <> 'suppressed' and m.data -> 'is_test' is distinct from 'true'
  );
end
$$;

comment on function private.lead_contacts(private.sent_lead[]) is
  'Returns the new leads among these, without tests and suppressed ones, with what identifies their persons.';

create function private.mark_suppressed(sent private.sent_lead[]) returns private.sent_lead[]
language plpgsql
set search_path = ''
as $$
begin
  return array(
    select row(
      s.ordinal, s.id, s.vendor_id, s.vendor_lead_id, s.state,
      case when private.is_suppressed(c.phone, c.email) then 'suppressed' else s.distribution end, s.lead, s.key, s.result
    )::private.sent_lead
    from unnest(sent) s
    left join unnest(private.lead_contacts(sent)) c on c.ordinal = s.ordinal
    order by s.ordinal
  );
end
$$;

comment on function private.mark_suppressed(private.sent_lead[]) is
  'Returns the same leads; those of suppressed people are `suppressed`.';

create function private.remaining_agent(agent_id uuid) returns uuid
language plpgsql
set search_path = ''
as $$
begin
  -- Until the transaction ends, the agent cannot leave. One who is leaving is gone.
  if pg_try_advisory_xact_lock_shared(private.agent_lock(agent_id)) then
    return (select a.id from private.present_agents a where a.id = remaining_agent.agent_id);
  end if;
  return null;
end
$$;

comment on function private.remaining_agent(uuid) is 'Returns the agent, if active and not away; otherwise null.';

create function private.mark_repeats(sent private.sent_lead[], repeated private.repeated_lead[]) returns private.sent_lead[]
language plpgsql
set search_path = ''
as $$
begin
  return array(
    select row(
      s.ordinal, s.id, s.vendor_id, s.vendor_lead_id, s.state,
      case r.action when 'hold' then 'repeat' when 'same_agent' then 'pending' else s.distribution end, s.lead, s.key,
      case when r.action = 'duplicate' then jsonb_build_object('status', 'duplicate', 'id', case
        when r.vendor_id = s.vendor_id then r.earlier_id
        -- The id of another vendor's lead must not be revealed. A repeated request gets the same id.
        else private.refused_id(s.vendor_id, coalesce(s.vendor_lead_id, s.id::text))
      end) else s.result end
    )::private.sent_lead
    from unnest(sent) s
    left join unnest(repeated) r on r.ordinal = s.ordinal
    order by s.ordinal
  );
end
$$;

comment on function private.mark_repeats(private.sent_lead[], private.repeated_lead[]) is
  'Returns the same leads, with the distribution or the result of those to which a repeat rule applies.';

create function private.refused_id(vendor_id uuid, id text) returns uuid
language plpgsql
immutable
set search_path = ''
as $$
begin
  return encode(substring(sha256(convert_to(concat_ws(' ', 'refused', vendor_id, id), 'UTF8')) from 1 for 16), 'hex')::uuid;
end
$$;

comment on function private.refused_id(uuid, text) is
  'Returns the id of the duplicate that is recorded for a lead which a rule refuses, a hash of the vendor and the vendor''s own id of '
  'the lead. It is also the id in the response if the earlier lead is another vendor''s. No lead has this id.';

create function private.note_repeats(
  sent private.sent_lead[],
  repeated private.repeated_lead[],
  results jsonb
) returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into private.lead_repeats (lead_id, earlier_id, action)
  select s.id, r.earlier_id, r.action
  from unnest(repeated) r
  join unnest(sent) s on s.ordinal = r.ordinal
  -- A lead with the same vendor_lead_id may have been stored meanwhile.
  where s.result is null and results -> (s.ordinal - 1) ->> 'status' = 'created'
  order by s.id;
  insert into private.lead_notifications_due (lead_id)
  select s.id
  from unnest(repeated) r
  join unnest(sent) s on s.ordinal = r.ordinal
  where r.action = 'same_agent' and results -> (s.ordinal - 1) -> 'distributed_to' <> 'null'
  order by s.ordinal;
end
$$;

comment on function private.note_repeats(private.sent_lead[], private.repeated_lead[], jsonb) is
  'Records which stored leads are repeats, and queues the notifications of those that have an agency. results: those of the leads.';

create function private.place_repeats(sent private.sent_lead[], repeated private.repeated_lead[])
returns private.placed_lead[]
language plpgsql
set search_path = ''
as $$
begin
  return array(
    select row(s.id, 'distributed', null, r.agency_id, r.agent_id, clock_timestamp())::private.placed_lead
    from unnest(repeated) r
    join unnest(sent) s on s.ordinal = r.ordinal
    where r.action = 'same_agent' and r.agency_id is not null and s.result is null
  );
end
$$;

comment on function private.place_repeats(private.sent_lead[], private.repeated_lead[]) is
  'Returns the places of leads that follow an earlier lead. They need no order, and so not the distribution lock.';

create function private.withhold_leads(pending private.pending_lead[]) returns private.placed_lead[]
language plpgsql
set search_path = ''
as $$
declare
  withheld constant private.placed_lead[] := array(
    select row(
      l.id,
      case when s.is_suppressed then 'suppressed' when e.agency_id is not null then 'distributed' else 'pending' end,
      null, e.agency_id, case when e.agency_id is not null then private.remaining_agent(e.agent_id) end,
      case when e.agency_id is not null then clock_timestamp() end
    )::private.placed_lead
    from unnest(pending) p
    join public.recruiting_leads l on l.id = p.id
    cross join lateral (select private.is_suppressed(l.phone, l.email) as is_suppressed offset 0) s
    left join private.lead_repeats r on r.lead_id = p.id and r.action = 'same_agent' and not s.is_suppressed
    left join public.recruiting_leads e on e.id = r.earlier_id and (e.agency_id is not null or e.distribution = 'pending')
    where s.is_suppressed or e.id is not null
  );
begin
  insert into private.lead_notifications_due (lead_id)
  select w.id from unnest(withheld) w where w.distribution = 'distributed';
  return withheld;
end
$$;

comment on function private.withhold_leads(private.pending_lead[]) is
  'Returns the places of those of the leads that no order gets: `suppressed`; `distributed` to the agency and the agent of '
  'the earlier lead that they follow; or `pending`, while that is pending. The caller writes them.';
