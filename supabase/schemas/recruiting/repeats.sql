-- Repeated leads: with the same vendor_lead_id, Idempotency-Key or webhook delivery, or by a repeated call.

create function private.note_duplicates(
  sent private.sent_lead[],
  results jsonb,
  repeated private.repeated_lead[]
) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  -- A lead that another transaction has committed since the look-up, or that occurs twice in the call, has no result
  -- yet.
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
  insert into public.recruiting_lead_duplicates (id, lead_id, vendor_id, request_id, reason)
  select
    case
      when r.ordinal is not null then private.refused_id(s.vendor_id, coalesce(s.vendor_lead_id, s.id::text))
      -- A repeated call has the same id, and is the same duplicate.
      else coalesce((s.lead ->> 'id')::uuid, private.time_ordered_id())
    end,
    l.id, s.vendor_id, s.lead ->> 'request_id', case when r.ordinal is null then 'same_lead' else 'same_person' end
  from unnest(sent) s
  left join unnest(repeated) r on r.ordinal = s.ordinal and r.action = 'duplicate'
  -- A delivery may be repeated after its lead has been deleted.
  join public.recruiting_leads l on l.id = coalesce(r.earlier_id, (noted -> (s.ordinal - 1) ->> 'id')::uuid)
  where noted -> (s.ordinal - 1) ->> 'status' = 'duplicate'
    and (r.ordinal is not null or s.lead ->> 'received_via' is distinct from 'replay')
  order by 1
  on conflict (id) do nothing;
  return noted;
exception
  when serialization_failure then
    raise;
  when others then
    -- The lead is a duplicate anyway, possibly of a lead that is not on disk yet.
    perform pg_logical_emit_message(true, 'recruiting leads', '');
    return (
      select jsonb_agg(r || case when r ->> 'status' = 'duplicate'
        then jsonb_build_object('record_error', sqlstate) else '{}' end order by ordinal)
      from jsonb_array_elements(noted) with ordinality as result (r, ordinal)
    );
end
$$;

comment on function private.note_duplicates(private.sent_lead[], jsonb, private.repeated_lead[]) is
  'Sets the results of leads that were not stored, records each duplicate, and returns the results. 40001 if a '
  'conflicting lead has been deleted since: the caller must repeat the call.';

-- A request with an Idempotency-Key, or a webhook delivery with an id, gets the first result again.

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
        -- Senders may use any text as an id, and a key is at most 255 visible ASCII characters.
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
  'Returns the keys besides vendor_lead_id by which a repeated lead is recognized: {scope, idempotency, retention} as '
  'private.find_idempotent_result() and private.save_idempotent_result() take them; null if there are none.';

create function private.kept_lead(key jsonb, lead_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  kept jsonb;
begin
  kept := private.find_idempotent_result(key ->> 'scope', key -> 'idempotency');
  return case
    -- A repeated delivery is a duplicate; a repeated call has the same id.
    when key ->> 'scope' like 'delivery %' and kept ->> 'id' <> lead_id::text
      then jsonb_build_object('id', kept -> 'id', 'status', 'duplicate')
    else kept
  end;
exception when sqlstate 'PT409' or sqlstate 'PT422' then
  return private.lead_error(sqlstate, sqlerrm);
end
$$;

comment on function private.kept_lead(jsonb, uuid) is
  'Returns the first result of the request or delivery with this key, or the {error} of '
  'private.find_idempotent_result(); null if it is the first.';

-- A slow call may begin after the function has given it up. Before the function responds that a lead was not stored, it
-- therefore abandons the lead's id: a later call with that id stores nothing.

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

  -- The transaction that stored a lead may not have waited for the disk. If this transaction writes nothing, its commit
  -- would not wait either.
  perform pg_logical_emit_message(true, 'recruiting leads', '');
  return (
    select coalesce(jsonb_object_agg(given.id, case when l.id is not null then private.created_lead(l) end), '{}')
    from unnest(lead_ids) as given (id)
    left join public.recruiting_leads l on l.id = given.id
  );
end
$$;

comment on function public.abandon_recruiting_leads(uuid[]) is
  'Decides the outcome of leads whose call of ingest_recruiting_leads() got no response. Returns {<id>: result} with '
  'the result of that function if the lead is stored and on disk, otherwise null: it will then never be stored.';
grant execute on function public.abandon_recruiting_leads(uuid[]) to service_role;
