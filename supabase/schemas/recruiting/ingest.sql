-- Storing recruiting leads: those of POST /recruiting/ingest and of webhooks, which go together in one call when they come
-- together; those of POST /recruiting/ingest/bulk; and those of replays.

create function public.ingest_recruiting_leads(leads jsonb) returns jsonb
language plpgsql
set search_path = ''
set statement_timeout = '2s'
set lock_timeout = '100ms'
-- Plans are kept. One that was made while a table was small would read all of it when it has grown.
set enable_seqscan = off
-- Without it, statements with arrays are planned at each call, which takes longer than to run them.
set plan_cache_mode = force_generic_plan
as $$
begin
  -- Until the transaction ends nobody abandons these leads. In one order, so that two calls never wait for each other.
  perform pg_advisory_xact_lock(hashtextextended('recruiting lead ' || (sent.id #>> '{}'), 0))
  from (select id from jsonb_path_query(leads, '$[*].lead.id') as ids (id) order by 1) sent;
  return private.store_recruiting_leads(leads);
end
$$;

comment on function public.ingest_recruiting_leads(jsonb) is
  'Stores leads of any vendors and distributes them, unless vendor_metadata.is_test is true. leads: [{key_hash|null, '
  'webhook|null, lead: {id, first_name, vendor_lead_id|null, vendor_metadata, resume_path|null, request_id|null, '
  'received_via|null}, idempotency|null}]. key_hash: SHA-256 of the vendor''s API key in lower-case hex; webhook: '
  '{secret_id, delivery_id|null, part} in place of a key. idempotency: see private.kept_result(). The caller makes the '
  'id; a repeated call with the same ids gives the first results and stores nothing. Returns an array with one result for '
  'each lead, in their order: {id, status: created, distributed_to: {agency_id, agent_id|null}|null}, with distribution: '
  'pending while it is not known where the lead goes, or whether it is on disk: then distribute_pending_leads() must be '
  'asked, because a crash of the server within a second may take such a lead away. Or {id, status: duplicate} with the id '
  'of the lead that has this vendor_lead_id, or that the same delivery_id and part stored within 7 days. It has '
  'record_error, a SQLSTATE, where the repeat could not be recorded. Or {error: {code, message}}: PT401 as '
  'authenticate_vendor(), PT400 without a first_name, 55000 for an id that was abandoned, PT409 and PT422 as '
  'private.kept_result(). An exception concerns the call as a whole, which has then stored nothing: one lead that the '
  'database refuses, or that waits too long for another transaction (55P03), makes all fail.';
grant execute on function public.ingest_recruiting_leads(jsonb) to service_role;

create type private.sent_lead as (
  ordinal integer,
  id uuid,
  vendor_id uuid,
  vendor_lead_id text,
  key jsonb,
  result jsonb,
  distribution text,
  lead jsonb
);

comment on type private.sent_lead is
  'A lead of a call: which one, with its vendor and vendor_lead_id as they are stored; by what a repeat is known, see '
  'private.lead_key(); and its result when it came before or has an error. Else result is null, and distribution says what '
  'it is before anybody hands it out.';

create function private.store_recruiting_leads(
  leads jsonb,
  of_vendor uuid default null,
  are_distributed boolean default true
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  sent private.sent_lead[];
  is_repeated boolean;
  has_key boolean;
  fresh integer;
  are_others_waiting boolean;
  waiting private.waiting_lead[];
  placed private.placed_lead[];
  stored jsonb;
  stored_count integer;
  results jsonb;
  are_pending boolean;
begin
  select
    array_agg(row(k.ordinal, k.id, k.vendor_id, k.vendor_lead_id, k.key, k.result, w.distribution, k.lead)::private.sent_lead),
    array_agg(row(k.id, k.vendor_id, k.state)::private.waiting_lead) filter (where w.distribution = 'pending'),
    bool_or(k.result ->> 'status' = 'duplicate'),
    bool_or(k.key is not null),
    count(*) filter (where k.result is null),
    exists (select from public.recruiting_leads l where l.distribution = 'pending')
  into sent, waiting, is_repeated, has_key, fresh, are_others_waiting
  from (
    -- What is known of each lead before it is stored: an error, or the result of a lead that came before.
    select r.*, case
      when r.vendor_id is null then private.lead_error(
        'PT401', case when r.webhook is null then 'invalid API key' else 'invalid webhook secret' end)
      when r.lead ->> 'id' is not null and exists (select from private.abandoned_leads a where a.lead_id = r.id)
        then private.lead_error('55000', 'the lead was abandoned')
      else coalesce(
        case when r.key is not null then private.kept_lead(r.key, r.id) end,
        case when r.lead ->> 'id' is not null then (
          select case when l.vendor_id = r.vendor_id
            then private.created_lead(l)
            else private.lead_error('23505', 'the id belongs to a lead of another vendor') end
          from public.recruiting_leads l
          where l.id = r.id
        ) end,
        (
          select jsonb_build_object('id', l.id, 'status', 'duplicate')
          from public.recruiting_leads l
          where l.vendor_id = r.vendor_id and l.vendor_lead_id = r.vendor_lead_id
        ),
        private.lead_error('PT400', private.lead_problem(r.lead))
      )
    end as result
    from (
      select
        g.ordinal, g.vendor_id, g.webhook, g.lead,
        coalesce((g.lead ->> 'id')::uuid, gen_random_uuid()) as id,
        -- Most vendors have no such lead, and the index that says so is small.
        case when exists (
          select from public.recruiting_leads e where e.vendor_id = g.vendor_id and e.vendor_lead_id like 'sha256:%'
        ) then private.stored_lead_id(g.vendor_id, g.lead ->> 'vendor_lead_id')
        else private.indexable_id(g.lead ->> 'vendor_lead_id') end as vendor_lead_id,
        private.lead_state(g.lead -> 'vendor_metadata') as state,
        not are_distributed or g.lead #> '{vendor_metadata,is_test}' is not distinct from 'true' as is_kept,
        case when g.webhook is not null or g.idempotency is not null
          then private.lead_key(g.vendor_id, g.webhook, g.idempotency) end as key
      from (
        select given.*, coalesce(of_vendor, case when given.webhook is null
          then (select k.vendor_id from private.valid_api_keys k where k.key_hash = given.key_hash)
          else private.proved_vendor(null, given.webhook) end) as vendor_id
        from rows from (
          jsonb_to_recordset(leads) as (key_hash text, webhook jsonb, lead jsonb, idempotency jsonb)
        ) with ordinality as given (key_hash, webhook, lead, idempotency, ordinal)
        -- Without it each of these is worked out as often as it is used.
        offset 0
      ) g
      offset 0
    ) r
    offset 0
  ) k
  cross join lateral (
    select case
      when k.is_kept then 'not_requested'
      -- By dates and daily caps it may be unwanted after all; whoever hands it out looks.
      when k.result is null and exists (
        select
        from private.recruiting_order_choices c
        where c.vendor_id in ('00000000-0000-0000-0000-000000000000', k.vendor_id) and c.state in ('', k.state)
      ) then 'pending'
      else 'unmatched'
    end as distribution
    offset 0
  ) w;

  for attempt in 1..2 loop
    begin
      if attempt = 1 and are_distributed and (waiting is not null or are_others_waiting) then
        placed := private.hand_out(coalesce(waiting, '{}'), are_others_waiting);
      end if;

      with inserted as (
        insert into public.recruiting_leads as l (
          id, vendor_id, vendor_lead_id, first_name, vendor_metadata, resume_path, request_id, received_via, distribution,
          order_id, agency_id, agent_id, distributed_at, created_at
        )
        select
          s.id, s.vendor_id, s.vendor_lead_id, s.lead ->> 'first_name',
          coalesce(nullif(s.lead -> 'vendor_metadata', 'null'), '{}'), s.lead ->> 'resume_path', s.lead ->> 'request_id',
          s.lead ->> 'received_via', coalesce(p.distribution, s.distribution), p.order_id, p.agency_id, p.agent_id,
          -- In this order leads that wait are handed out.
          p.distributed_at, now() + s.ordinal * interval '1 microsecond'
        from unnest(sent) s
        left join unnest(placed) p on p.id = s.id
        where s.result is null
        -- So that two calls with the same leads wait for each other and never deadlock. Where two leads of one call have
        -- the same vendor_lead_id, the first is stored.
        order by s.vendor_id, s.vendor_lead_id, s.ordinal
        on conflict do nothing
        returning l.id, jsonb_build_object('id', l.id, 'status', 'created', 'distributed_to',
          -- As private.created_lead(), which takes a twentieth of the time of a large call.
          case when l.agency_id is not null then jsonb_build_object('agency_id', l.agency_id, 'agent_id', l.agent_id) end
        ) || case when l.distribution = 'pending' then '{"distribution": "pending"}' else '{}' end::jsonb as result
      )
      select coalesce(jsonb_object_agg(i.id, i.result), '{}'), count(*) into stored, stored_count from inserted i;

      if stored_count < fresh and placed <> '{}' then
        raise lock_not_available using message = 'another transaction has stored one of these leads meanwhile';
      elsif attempt = 2 then
        -- A deferred check leaves out a version of the row that the same transaction has replaced, and an update to a key
        -- that is null.
        update public.recruiting_leads l
        set distribution = l.distribution
        where l.id = any (array(select s.id from unnest(sent) s));
      end if;
      exit;
    exception when lock_not_available then
      -- Somebody has locked a table that a foreign key refers to: its check waits even where the key is null. Or somebody is
      -- storing the same lead, and the second attempt waits longer.
      if attempt = 2 then
        raise;
      end if;
      placed := null;
      set constraints all deferred;
    end;
  end loop;

  select jsonb_agg(r.result), coalesce(bool_and(r.result ? 'distribution'), false)
  into results, are_pending
  from (select coalesce(s.result, stored -> s.id::text) as result from unnest(sent) s) r;
  if is_repeated or stored_count < fresh then
    results := private.note_duplicates(sent, results);
  end if;
  -- Whoever hands them out waits for the disk, as does whoever asks about them.
  if are_pending then
    perform set_config('synchronous_commit', 'off', true);
  end if;
  if has_key then
    perform private.keep_result(
      s.key ->> 'scope', s.key -> 'idempotency', results -> (s.ordinal - 1), (s.key ->> 'retention')::interval)
    from unnest(sent) s
    where s.key is not null and not results -> (s.ordinal - 1) ? 'error';
  end if;
  return results;
end
$$;

comment on function private.store_recruiting_leads(jsonb, uuid, boolean) is
  'Looks up what is known of each lead, and stores those of which nothing is known, once. They get their order and agent, '
  'unless are_distributed is false. leads and result: see public.ingest_recruiting_leads(). of_vendor: the vendor of them '
  'all, whose proof the caller has checked; then a lead needs no id.';
grant execute on function private.store_recruiting_leads(jsonb, uuid, boolean) to service_role;

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
  'The vendor_lead_id under which a lead with this id of the vendor is stored, or would be: as private.indexable_id(), or '
  'private.erased_id() where its person was erased. Null when blank.';
grant execute on function private.stored_lead_id(uuid, text) to service_role;

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

comment on function private.lead_problem(jsonb) is 'Why this cannot be a recruiting lead; null when it can.';
grant execute on function private.lead_problem(jsonb) to service_role;

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

comment on function private.lead_error(text, text) is 'The result of one lead that cannot be stored; null without a message.';
grant execute on function private.lead_error(text, text) to service_role;

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

comment on function private.created_lead(public.recruiting_leads) is 'The result of a lead that is stored.';
grant execute on function private.created_lead(public.recruiting_leads) to service_role;

create function private.note_duplicates(sent private.sent_lead[], results jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  -- What another transaction has committed since the look-up, or what stands twice in the call, has no result yet.
  noted constant jsonb := (
    select jsonb_agg(coalesce(nullif(results -> (s.ordinal - 1), 'null'), (
      select jsonb_build_object('id', l.id, 'status', 'duplicate')
      from public.recruiting_leads l
      where l.vendor_id = s.vendor_id and l.vendor_lead_id = s.vendor_lead_id
    )))
    from unnest(sent) s
  );
begin
  if noted @> '[null]' then
    raise exception 'a lead with the same vendor_lead_id was deleted meanwhile' using errcode = 'serialization_failure';
  end if;

  perform set_config('lock_timeout', '100ms', true);
  insert into public.recruiting_lead_duplicates (id, lead_id, vendor_id, request_id)
  select
    -- A repeated call has the same id, and is the same duplicate.
    coalesce((s.lead ->> 'id')::uuid, private.time_ordered_id()),
    (noted -> (s.ordinal - 1) ->> 'id')::uuid, s.vendor_id, s.lead ->> 'request_id'
  from unnest(sent) s
  where noted -> (s.ordinal - 1) ->> 'status' = 'duplicate'
    and s.lead ->> 'received_via' is distinct from 'replay'
    -- A delivery may come again when its lead has been deleted.
    and exists (select from public.recruiting_leads l where l.id = (noted -> (s.ordinal - 1) ->> 'id')::uuid)
  order by 1
  on conflict (id) do nothing;
  return noted;
exception
  when serialization_failure then
    raise;
  when others then
    -- It is a duplicate all the same, of a lead that may not be on disk yet.
    perform pg_logical_emit_message(true, 'recruiting leads', '');
    return (
      select jsonb_agg(r || case when r ->> 'status' = 'duplicate'
        then jsonb_build_object('record_error', sqlstate) else '{}' end order by ordinal)
      from jsonb_array_elements(noted) with ordinality as result (r, ordinal)
    );
end
$$;

comment on function private.note_duplicates(private.sent_lead[], jsonb) is
  'Gives the leads that were not stored their result, records each duplicate, and returns the results. 40001 when a lead was '
  'in the way that has been deleted since: the call is to be repeated.';
grant execute on function private.note_duplicates(private.sent_lead[], jsonb) to service_role;

-- A request with an Idempotency-Key, or a delivery of a webhook with an id, gets the first result again.

create function private.lead_key(vendor_id uuid, webhook jsonb, idempotency jsonb) returns jsonb
language plpgsql
immutable
set search_path = ''
as $$
begin
  if coalesce(btrim(webhook ->> 'delivery_id'), '') <> '' then
    return jsonb_build_object(
      'scope', 'delivery ' || vendor_id,
      'idempotency', jsonb_build_object(
        -- Senders put anything into an id, and a key is at most 255 visible ASCII characters.
        'key', encode(sha256(convert_to(webhook ->> 'delivery_id', 'UTF8')), 'hex'),
        'part', coalesce((webhook ->> 'part')::integer, 0),
        'request_hash', null
      ),
      'retention', '7 days'
    );
  elsif idempotency is not null then
    return jsonb_build_object(
      'scope', case when webhook is null then 'ingest ' else 'webhook ' end || vendor_id,
      'idempotency', idempotency,
      'retention', '24 hours'
    );
  end if;
  return null;
end
$$;

comment on function private.lead_key(uuid, jsonb, jsonb) is
  'By what a lead that comes again is known besides its vendor_lead_id: {scope, idempotency, retention} as '
  'private.kept_result() and private.keep_result() take them; null: by nothing.';
grant execute on function private.lead_key(uuid, jsonb, jsonb) to service_role;

create function private.kept_lead(key jsonb, lead_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  kept jsonb;
begin
  kept := private.kept_result(key ->> 'scope', key -> 'idempotency');
  return case
    -- A delivery that comes again is a duplicate; a call that is repeated has the same id.
    when key ->> 'scope' like 'delivery %' and kept ->> 'id' <> lead_id::text
      then jsonb_build_object('id', kept -> 'id', 'status', 'duplicate')
    else kept
  end;
exception when sqlstate 'PT409' or sqlstate 'PT422' then
  return private.lead_error(sqlstate, sqlerrm);
end
$$;

comment on function private.kept_lead(jsonb, uuid) is
  'The result of the request or delivery with this key that came before, or the {error} of private.kept_result(); null: it '
  'is the first.';
grant execute on function private.kept_lead(jsonb, uuid) to service_role;

-- A call may be slow on its way to the database and begin after the function has given it up. So before the function says
-- that a lead was not stored, it abandons the lead's id: a later call with that id stores nothing.

create function public.abandon_recruiting_leads(lead_ids uuid[]) returns jsonb
language plpgsql
set search_path = ''
set statement_timeout = '4s'
as $$
begin
  -- As ingest_recruiting_leads() does.
  perform pg_advisory_xact_lock(hashtextextended('recruiting lead ' || given.id, 0))
  from (select id from unnest(lead_ids) as ids (id) order by 1) given;

  insert into private.abandoned_leads (lead_id)
  select given.id
  from unnest(lead_ids) as given (id)
  where not exists (select from public.recruiting_leads l where l.id = given.id)
  on conflict do nothing;

  delete from private.abandoned_leads a
  where a.lead_id in (
    select old.lead_id
    from private.abandoned_leads old
    where old.abandoned_at < now() - interval '1 hour'
    limit 100
    for update skip locked
  );

  -- Whoever stored a lead may not have waited for the disk. Without anything written this commit would not either.
  perform pg_logical_emit_message(true, 'recruiting leads', '');
  return (
    select coalesce(jsonb_object_agg(given.id, case when l.id is not null then private.created_lead(l) end), '{}')
    from unnest(lead_ids) as given (id)
    left join public.recruiting_leads l on l.id = given.id
  );
end
$$;

comment on function public.abandon_recruiting_leads(uuid[]) is
  'Decides what became of leads whose call of ingest_recruiting_leads() got no response. Returns {<id>: result} with the '
  'result of that function for a lead that is stored, and on disk, and else null: then it will never be stored.';
grant execute on function public.abandon_recruiting_leads(uuid[]) to service_role;
