-- Stores recruiting leads: those of POST /recruiting/ingest and of webhooks, which share a call if they arrive
-- together; those of POST /recruiting/ingest/bulk; and those of replays.

create function public.ingest_recruiting_leads(leads jsonb) returns jsonb
language plpgsql
set search_path = ''
set statement_timeout = '2s'
set lock_timeout = '100ms'
-- Plans are cached. A plan made while a table was small would scan all of it after it has grown.
set enable_seqscan = off
-- Otherwise, statements with arrays are planned at each call, which takes longer than running them.
set plan_cache_mode = force_generic_plan
as $$
begin
  -- Until the transaction ends, nobody can abandon these leads. In a fixed order, so that two calls never deadlock.
  perform pg_advisory_xact_lock(hashtextextended('recruiting lead ' || (sent.id #>> '{}'), 0))
  from (select id from jsonb_path_query(leads, '$[*].lead.id') as ids (id) order by 1) sent;
  return private.store_recruiting_leads(leads);
end
$$;

comment on function public.ingest_recruiting_leads(jsonb) is
  'Stores leads of any vendors and distributes them, unless vendor_metadata.is_test is true. leads: [{key_hash|null, '
  'webhook|null, lead: {id, first_name, vendor_lead_id|null, vendor_metadata, resume_path|null, request_id|null, '
  'received_via|null}, idempotency|null}]. key_hash: SHA-256 of the vendor''s API key in lower-case hex; webhook: '
  '{secret_id, delivery_id|null, part} in place of a key. idempotency: see private.find_idempotent_result(). The caller '
  'makes the id; a repeated call with the same ids gives the first results and stores nothing. Returns an array with one '
  'result for each lead, in their order: {id, status: created, distributed_to: {agency_id, agent_id|null}|null}, with '
  'distribution: pending while it is not known where the lead goes, or whether it is on disk: then '
  'distribute_pending_leads() must be asked, because a crash of the server within a second may take such a lead away. Or '
  '{id, status: duplicate} with the id of the lead that has this vendor_lead_id, or that the same delivery_id and part '
  'stored within 7 days. It has record_error, a SQLSTATE, where the repeat could not be recorded. Or {error: {code, '
  'message}}: PT401 as authenticate_vendor(), PT400 without a first_name, 55000 for an id that was abandoned, PT409 and '
  'PT422 as private.find_idempotent_result(). An exception concerns the call as a whole, which has then stored nothing: '
  'one lead that the database refuses, or that waits too long for another transaction (55P03), makes all fail.';
grant execute on function public.ingest_recruiting_leads(jsonb) to service_role;

create type private.sent_lead as (
  ordinal integer,
  id uuid,
  vendor_id uuid,
  vendor_lead_id text,
  state text,
  distribution text,
  lead jsonb,
  key jsonb,
  result jsonb
);

comment on type private.sent_lead is
  'A lead of a call. ordinal: its position in the call, from 1. vendor_id: null without a valid credential. '
  'vendor_lead_id, state: as stored. distribution: its state until it is distributed. lead: as sent. key: identifies '
  'a repetition, see private.lead_key(). result: for a repeated lead, or an error; null for a new lead.';

create type private.lead_contact as (ordinal integer, id uuid, vendor_id uuid, distribution text, phone text, email text);

comment on type private.lead_contact is
  'A new lead of a call, with what identifies its person. phone: null unless it is in E.164. email: in lower case.';

create type private.repeated_lead as (
  ordinal integer,
  rank integer,
  action text,
  earlier_id uuid,
  vendor_id uuid,
  agency_id uuid,
  agent_id uuid,
  is_pending boolean
);

comment on type private.repeated_lead is
  'A lead of a call to which a rule of public.repeat_rules applies. vendor_id and what follows it: of the earlier lead.';

create function private.store_recruiting_leads(
  leads jsonb,
  of_vendor uuid default null,
  are_distributed boolean default true
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  sent private.sent_lead[] := private.find_known_leads(private.read_leads(leads, of_vendor, are_distributed));
  repeated private.repeated_lead[] := '{}';
  placed private.placed_lead[];
  results jsonb;
begin
  if exists (select from public.suppressions) then
    sent := private.mark_suppressed(sent);
  end if;
  if exists (select from public.repeat_rules) then
    repeated := private.lock_and_find_repeats(sent);
  end if;
  if repeated <> '{}' then
    sent := private.mark_repeats(sent, repeated);
  end if;

  begin
    if are_distributed then
      placed := private.distribute_new_leads(array(
        select row(s.id, s.vendor_id, s.state)::private.pending_lead
        from unnest(sent) s
        where s.result is null and s.distribution = 'pending'
          and (repeated = '{}' or s.ordinal <> all (array(select r.ordinal from unnest(repeated) r)))
      ));
    end if;
    if repeated <> '{}' then
      placed := placed || private.place_repeats(sent, repeated);
    end if;
    results := private.insert_sent_leads(sent, placed);
  exception when lock_not_available then
    results := private.insert_pending_leads(sent);
  end;

  if results @? '$[*] ? (@ == null || @.status == "duplicate")' then
    results := private.note_duplicates(sent, results, repeated);
  end if;
  if repeated <> '{}' then
    perform private.note_repeats(sent, repeated, results);
  end if;
  -- If all leads are pending, their distribution waits for the disk, and so does a request that asks about them.
  if not results @? '$[*] ? (!exists (@.distribution))' then
    perform set_config('synchronous_commit', 'off', true);
  end if;
  if leads @? '$[*] ? (@.webhook != null || @.idempotency != null)' then
    perform private.save_idempotent_result(
      s.key ->> 'scope', s.key -> 'idempotency', results -> (s.ordinal - 1), (s.key ->> 'retention')::interval)
    from unnest(sent) s
    where s.key is not null and not results -> (s.ordinal - 1) ? 'error';
  end if;
  return results;
end
$$;

comment on function private.store_recruiting_leads(jsonb, uuid, boolean) is
  'Stores the new leads of a call, once, with their orders and agents unless are_distributed is false. For leads and '
  'the result, see public.ingest_recruiting_leads(). of_vendor: the vendor of all leads, whose proof the caller has '
  'verified; a lead then needs no id.';

create function private.read_leads(leads jsonb, of_vendor uuid, are_distributed boolean) returns private.sent_lead[]
language plpgsql
set search_path = ''
as $$
begin
  return (
    select array_agg(row(
      r.ordinal, coalesce((r.lead ->> 'id')::uuid, gen_random_uuid()), r.vendor_id,
      -- Most vendors have no such lead, and the index that shows it is small.
      case when exists (
        select from public.recruiting_leads e where e.vendor_id = r.vendor_id and e.vendor_lead_id like 'sha256:%'
      ) then private.stored_lead_id(r.vendor_id, r.lead ->> 'vendor_lead_id')
      else private.indexable_id(r.lead ->> 'vendor_lead_id') end,
      r.state,
      case
        when not are_distributed or r.lead #> '{vendor_metadata,is_test}' is not distinct from 'true' then 'not_requested'
        -- Dates and daily caps may still exclude it; its distribution checks them.
        when exists (
          select
          from private.recruiting_order_choices c
          where c.vendor_id in ('00000000-0000-0000-0000-000000000000', r.vendor_id) and c.state in ('', r.state)
        ) then 'pending'
        else 'unmatched'
      end,
      r.lead,
      case when r.webhook is not null or r.idempotency is not null
        then private.lead_key(r.vendor_id, r.webhook, r.idempotency) end,
      case when r.vendor_id is null then private.lead_error(
        'PT401', case when r.webhook is null then 'invalid API key' else 'invalid webhook secret' end) end
    )::private.sent_lead)
    from (
      select
        given.*,
        private.lead_state(given.lead -> 'vendor_metadata') as state,
        coalesce(of_vendor, case when given.webhook is null
          then (select k.vendor_id from private.valid_api_keys k where k.key_hash = given.key_hash)
          else private.proved_vendor(null, given.webhook) end) as vendor_id
      from rows from (
        jsonb_to_recordset(leads) as (key_hash text, webhook jsonb, lead jsonb, idempotency jsonb)
      ) with ordinality as given (key_hash, webhook, lead, idempotency, ordinal)
      -- Otherwise, each of these expressions is evaluated at every use.
      offset 0
    ) r
  );
end
$$;

comment on function private.read_leads(jsonb, uuid, boolean) is
  'Returns the leads of a call of private.store_recruiting_leads(), in order, with their vendors. A lead without a '
  'valid credential has the result {error}.';

create function private.find_known_leads(sent private.sent_lead[]) returns private.sent_lead[]
language plpgsql
set search_path = ''
as $$
begin
  return (
    select array_agg(row(
      s.ordinal, s.id, s.vendor_id, s.vendor_lead_id, s.state, s.distribution, s.lead, s.key,
      coalesce(
        s.result,
        (select private.lead_error('55000', 'the lead was abandoned') from private.abandoned_leads a where a.lead_id = s.id),
        case when s.key is not null then private.kept_lead(s.key, s.id) end,
        (
          select case when l.vendor_id = s.vendor_id
            then private.created_lead(l)
            else private.lead_error('23505', 'the id belongs to a lead of another vendor') end
          from public.recruiting_leads l
          where l.id = s.id
        ),
        (
          select jsonb_build_object('id', l.id, 'status', 'duplicate')
          from public.recruiting_leads l
          where l.vendor_id = s.vendor_id and l.vendor_lead_id = s.vendor_lead_id
        ),
        private.lead_error('PT400', private.lead_problem(s.lead))
      )
    )::private.sent_lead)
    from unnest(sent) s
  );
end
$$;

comment on function private.find_known_leads(private.sent_lead[]) is
  'Returns the same leads, with a result for each that is repeated, was abandoned, or has no first name.';

create function private.insert_sent_leads(sent private.sent_lead[], placed private.placed_lead[]) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  results jsonb;
  left_over bigint;
begin
  with inserted as (
    insert into public.recruiting_leads as l (
      id, vendor_id, vendor_lead_id, first_name, vendor_metadata, resume_path, request_id, received_via, distribution,
      order_id, agency_id, agent_id, distributed_at, created_at
    )
    select
      s.id, s.vendor_id, s.vendor_lead_id, s.lead ->> 'first_name',
      coalesce(nullif(s.lead -> 'vendor_metadata', 'null'), '{}'), s.lead ->> 'resume_path', s.lead ->> 'request_id',
      s.lead ->> 'received_via', coalesce(p.distribution, s.distribution), p.order_id, p.agency_id, p.agent_id,
      -- Pending leads are distributed in this order.
      p.distributed_at, now() + s.ordinal * interval '1 microsecond'
    from unnest(sent) s
    left join unnest(placed) p on p.id = s.id
    where s.result is null
    -- Two calls with the same leads wait for each other and never deadlock. If two leads of a call have the same
    -- vendor_lead_id, the first is stored.
    order by s.vendor_id, s.vendor_lead_id, s.ordinal
    on conflict do nothing
    returning l.id, jsonb_build_object('id', l.id, 'status', 'created', 'distributed_to',
      -- Same as private.created_lead(), but takes a twentieth of the time of a large call.
      case when l.agency_id is not null then jsonb_build_object('agency_id', l.agency_id, 'agent_id', l.agent_id) end
    ) || case when l.distribution = 'pending' then '{"distribution": "pending"}' else '{}' end::jsonb as result
  )
  select
    jsonb_agg(coalesce(s.result, i.result) order by s.ordinal),
    count(*) filter (where coalesce(s.result, i.result) is null)
  into results, left_over
  from unnest(sent) s
  left join inserted i on i.id = s.id;
  -- An order has counted each of them.
  if left_over > 0 and placed <> '{}' then
    raise lock_not_available using message = 'another transaction has stored one of these leads meanwhile';
  end if;
  return results;
end
$$;

comment on function private.insert_sent_leads(private.sent_lead[], private.placed_lead[]) is
  'Inserts the leads without a result, with their places if they have any. Returns an array with the result of each '
  'lead, in order. It is null if the vendor_lead_id is taken: another transaction has committed it since the look-up, '
  'or it occurs twice in the call. 55P03 for such a lead in a call with places.';

create function private.insert_pending_leads(sent private.sent_lead[]) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  results jsonb;
begin
  -- The check of a foreign key waits for the table that it refers to, even where the key is null. A deferred check
  -- leaves out a version of the row that the same transaction has replaced, and an update to a key that is null.
  set constraints all deferred;
  results := private.insert_sent_leads(sent, null);
  update public.recruiting_leads l
  set distribution = l.distribution
  where l.id = any (array(select s.id from unnest(sent) s));
  return results;
end
$$;

comment on function private.insert_pending_leads(private.sent_lead[]) is
  'Inserts leads while another transaction has locked a table that they refer to, or stores one of them: see '
  'private.insert_sent_leads(). A lead that an order accepts is pending.';

create function private.stored_lead_id(vendor_id uuid, given_id text) returns text
language plpgsql
stable
set search_path = ''
as $$
declare
  id constant text := private.indexable_id(given_id);
  erased_id constant text := private.erased_id(vendor_id, id);
begin
  return case
    when exists (
      select from public.recruiting_leads l where l.vendor_id = stored_lead_id.vendor_id and l.vendor_lead_id = erased_id
    ) then erased_id
    else id
  end;
end
$$;

comment on function private.stored_lead_id(uuid, text) is
  'Returns the vendor_lead_id under which a lead with this vendor id is or would be stored: as '
  'private.indexable_id(), or private.erased_id() if its person was erased. Null if blank.';

-- Each lead calls one of these, so they are not SQL functions, which would be planned at each call.

create function private.lead_problem(lead jsonb) returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return case
    when coalesce(btrim(lead ->> 'first_name'), '') = '' then 'missing first_name'
    when jsonb_typeof(lead -> 'vendor_metadata') not in ('object', 'null') then 'vendor_metadata must be an object'
  end;
end
$$;

comment on function private.lead_problem(jsonb) is 'Returns why this cannot be a recruiting lead; null if it can.';

create function private.lead_error(code text, message text) returns jsonb
language plpgsql
immutable
strict
set search_path = ''
as $$
begin
  return jsonb_build_object('error', jsonb_build_object('code', code, 'message', message));
end
$$;

comment on function private.lead_error(text, text) is
  'Returns the result of a lead that cannot be stored; null without a message.';

create function private.created_lead(lead public.recruiting_leads) returns jsonb
language plpgsql
immutable
set search_path = ''
as $$
begin
  return jsonb_build_object(
    'id', lead.id, 'status', 'created', 'distributed_to',
    case when lead.agency_id is not null
      then jsonb_build_object('agency_id', lead.agency_id, 'agent_id', lead.agent_id) end
  ) || case when lead.distribution = 'pending' then '{"distribution": "pending"}' else '{}' end::jsonb;
end
$$;

comment on function private.created_lead(public.recruiting_leads) is 'Returns the result of a stored lead.';
