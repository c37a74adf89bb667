-- Leads for which a vendor sends only a notice, such as Meta: each is fetched from the vendor, immediately and by the
-- worker.
--
-- | from | by | to |
-- | --- | --- | --- |
-- | a notice has come | add_lead_fetches() | waiting, due; held where the vendor's others are |
-- | waiting, due | claim_lead_fetches() | waiting, leased for a minute |
-- | waiting, its lease is over | the same: its worker is dead | waiting, leased |
-- | waiting, leased | outcome `done` | done; what the vendor has held is due |
-- | waiting, leased | outcome `later`, `missing` | waiting, due after a pause; failed after 7 days, or a day |
-- | waiting, leased | outcome `refused` | held, with all of the vendor; one of them is due each hour |
-- | waiting, leased | outcome `refused`, of a token that is not the newest any more | waiting, due |
-- | waiting, held | an access token or an app's secret is added or changed | waiting, due |
-- | waiting, leased | outcome `failed` | failed |
-- | failed | the notice comes again, or is replayed | waiting, due |

create table private.lead_fetches (
  id uuid primary key default gen_random_uuid(),
  vendor_id uuid not null references public.vendors (id) on delete cascade,
  leadgen_id text not null check (leadgen_id ~ '^[0-9]{1,32}$'),
  page_id text check (page_id ~ '^[0-9]{1,32}$'),
  form_id text check (form_id ~ '^[0-9]{1,32}$'),
  notice jsonb not null,
  request_id text not null,
  state text not null default 'waiting' check (state in ('waiting', 'done', 'failed')),
  due_at timestamptz not null default now(),
  attempt integer not null default 0,
  lease_until timestamptz check (lease_until is null or state = 'waiting'),
  failing_since timestamptz,
  held_since timestamptz check (held_since is null or state = 'waiting'),
  reason text,
  lead_id uuid references public.recruiting_leads (id) on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (vendor_id, leadgen_id),
  check (state <> 'failed' or reason is not null)
);

create index lead_fetches_due_at_idx on private.lead_fetches (due_at, attempt) where state = 'waiting';
create index lead_fetches_waiting_idx on private.lead_fetches (vendor_id) where state = 'waiting';
create index lead_fetches_held_idx on private.lead_fetches (vendor_id, held_since) where held_since is not null;
create index on private.lead_fetches (leadgen_id);
create index on private.lead_fetches (lead_id) where lead_id is not null;

comment on table private.lead_fetches is
  'Leads for which a vendor sends only a notice, and the state of their fetches. The only personal data in a row are '
  'ids.';
comment on column private.lead_fetches.leadgen_id is 'The vendor''s id of the lead.';
comment on column private.lead_fetches.page_id is 'The id of the page with the form; null if the notice has none.';
comment on column private.lead_fetches.form_id is 'The id of the form; null if the notice has none.';
comment on column private.lead_fetches.notice is 'The notice as sent.';
comment on column private.lead_fetches.request_id is 'The request that brought the notice.';
comment on column private.lead_fetches.due_at is
  'When it is fetched; infinity: after another lead of the vendor was fetched, or a token is added.';
comment on column private.lead_fetches.attempt is 'The number of claims. It identifies the claim.';
comment on column private.lead_fetches.lease_until is 'When the claim ends; null if no worker has claimed it.';
comment on column private.lead_fetches.failing_since is
  'The first failure since the last success that a retry may resolve; after `missing`, the first such one since any other '
  'failure. Null if there is none.';
comment on column private.lead_fetches.held_since is
  'Since when it waits for a valid access token; null if it does not wait.';
comment on column private.lead_fetches.reason is
  'Why the last attempt failed: `no_token`, `code <number>` or `code <number>/<subcode>` of the vendor, `HTTP '
  '<status>`, `no_connection`, `lost` (no response), `redirect`, `too_large`, `no_json`, `another_lead`, '
  '`configuration`, `token_changed`, `not_stored`; or why the response is not a lead.';
comment on column private.lead_fetches.lead_id is
  'The lead that was stored, or already existed; null if there is none, or it was deleted.';

create trigger set_updated_at
  before update on private.lead_fetches
  for each row execute function private.set_updated_at();

alter table private.lead_fetches enable row level security;
grant select, insert, update, delete on private.lead_fetches to service_role;

create view private.lead_fetch_tokens with (security_invoker = true) as
select distinct on (s.vendor_id) s.vendor_id, s.id, s.secret
from private.vendor_webhook_secrets s
join public.vendors v on v.id = s.vendor_id
where s.kind = 'access_token' and s.revoked_at is null and (s.expires_at is null or s.expires_at > now())
  and v.is_active and v.webhook_scheme is not null
order by s.vendor_id, s.created_at desc;

comment on view private.lead_fetch_tokens is
  'The access token with which a vendor''s leads are fetched: its newest valid one. Inactive vendors, and vendors '
  'whose webhook is off, have no row.';
grant select on private.lead_fetch_tokens to service_role;

create function private.lock_lead_fetches(vendor_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('lead fetches of ' || vendor_id, 0));
end
$$;

comment on function private.lock_lead_fetches(uuid) is
  'Locks the fetches of this vendor until the transaction ends, so that no other transaction adds, holds or releases '
  'them.';

create function public.add_lead_fetches(vendor_id uuid, request_id text, notices jsonb) returns jsonb
language plpgsql
set search_path = ''
set lock_timeout = '5s'
as $$
declare
  held_at timestamptz;
  added integer;
begin
  perform private.lock_lead_fetches(vendor_id);
  select min(f.held_since) into held_at
  from private.lead_fetches f
  where f.vendor_id = add_lead_fetches.vendor_id and f.held_since is not null;

  insert into private.lead_fetches as f (
    vendor_id, leadgen_id, page_id, form_id, notice, request_id, due_at, held_since
  )
  select
    add_lead_fetches.vendor_id, n.leadgen_id, n.page_id, n.form_id, n.notice, add_lead_fetches.request_id,
    case when held_at is null then now() else 'infinity' end, held_at
  from (
    select distinct on (n.leadgen_id) n.*
    from jsonb_to_recordset(notices) as n (leadgen_id text, page_id text, form_id text, notice jsonb)
    order by n.leadgen_id
  ) n
  where not exists (
    select from public.recruiting_leads l
    where l.vendor_id = add_lead_fetches.vendor_id and l.vendor_lead_id = n.leadgen_id
  ) and not exists (
    -- A conflict below locks its row, and a claim would then skip it.
    select from private.lead_fetches o
    where o.leadgen_id = n.leadgen_id and (o.vendor_id <> add_lead_fetches.vendor_id or o.state <> 'failed')
  )
  on conflict on constraint lead_fetches_vendor_id_leadgen_id_key do update
  set state = 'waiting', due_at = excluded.due_at, held_since = excluded.held_since, failing_since = null;
  get diagnostics added = row_count;

  return jsonb_build_object('added', added, 'of_others', (
    select coalesce(jsonb_agg(distinct o.leadgen_id), '[]')
    from jsonb_to_recordset(notices) as n (leadgen_id text)
    join private.lead_fetches o on o.leadgen_id = n.leadgen_id and o.vendor_id <> add_lead_fetches.vendor_id
  ));
end
$$;

comment on function public.add_lead_fetches(uuid, text, jsonb) is
  'Stores notices of leads that must be fetched: [{leadgen_id, page_id|null, form_id|null, notice}]; ids consist of '
  'digits. A known notice changes nothing, unless its fetch failed: it is then due again. A stored lead is not '
  'fetched. Returns {added, of_others: [leadgen_id]}: how many fetches are due now or later, and the ids that belong '
  'to notices of another vendor, which are not stored. 55P03 after 5 seconds if the vendor''s fetches are locked.';

create function private.hold_lead_fetches(vendor_id uuid, reason text) returns void
language plpgsql
set search_path = ''
as $$
declare
  probe_id constant uuid := (
    select f.id
    from private.lead_fetches f
    where f.vendor_id = hold_lead_fetches.vendor_id and f.state = 'waiting'
    -- A lead that only its own page refuses must not block the others forever.
    order by f.attempt, f.created_at, f.leadgen_id
    limit 1
  );
begin
  update private.lead_fetches f
  set
    due_at = case when f.id = probe_id then now() + interval '1 hour' else 'infinity' end,
    held_since = coalesce(f.held_since, now()),
    lease_until = null,
    failing_since = null,
    reason = hold_lead_fetches.reason
  where f.vendor_id = hold_lead_fetches.vendor_id and f.state = 'waiting';
end
$$;

comment on function private.hold_lead_fetches(uuid, text) is
  'Holds all fetches of a vendor until it has a valid access token. One of them is tried each hour: among those with '
  'the fewest attempts, the oldest.';

create function private.release_lead_fetches(vendor_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  update private.lead_fetches f
  set due_at = now(), held_since = null
  where f.vendor_id = release_lead_fetches.vendor_id and f.held_since is not null;
end
$$;

comment on function private.release_lead_fetches(uuid) is
  'Releases the fetches of this vendor that wait for an access token.';

create function private.release_by_secret() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform private.lock_lead_fetches(new.vendor_id);
  perform private.release_lead_fetches(new.vendor_id);
  return null;
end
$$;

comment on function private.release_by_secret() is
  'Trigger: releases the vendor''s fetches when an access token or an app secret, which signs the requests, is added '
  'or changed.';

create trigger release_lead_fetches
  after insert or update on private.vendor_webhook_secrets
  for each row when (new.kind in ('access_token', 'secret')) execute function private.release_by_secret();

create function private.is_fetch_due() returns boolean
language plpgsql
stable
set search_path = ''
-- Uses the index of waiting fetches even before the planner knows how few there are.
set enable_seqscan = off
as $$
begin
  return exists (select from private.lead_fetches f where f.state = 'waiting' and f.due_at <= now());
end
$$;

comment on function private.is_fetch_due() is 'Returns whether a lead fetch is due.';
