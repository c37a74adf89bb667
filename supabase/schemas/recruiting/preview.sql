-- POST /recruiting/ingest?dry_run=true: what would happen to a lead.

create function public.preview_recruiting_lead(key_hash text, lead jsonb, webhook jsonb default null) returns jsonb
language plpgsql
stable
set search_path = ''
set statement_timeout = '2s'
set lock_timeout = '250ms'
as $$
declare
  sender_id constant uuid := public.authenticate_vendor(key_hash, webhook) ->> 'vendor_id';
  indexed_id constant text := private.stored_lead_id(sender_id, lead ->> 'vendor_lead_id');
  is_test constant boolean := lead #> '{vendor_metadata,is_test}' is not distinct from 'true';
  known constant jsonb := private.lead_key(sender_id, webhook, null);
  existing_id uuid := (
    select k.result ->> 'id'
    from private.idempotency_keys k
    where k.scope = known ->> 'scope'
      and k.key = known #>> '{idempotency,key}'
      and k.part = (known #>> '{idempotency,part}')::integer
      and k.created_at > now() - k.retention
  );
  repeated private.repeated_lead;
  status text;
  matched public.recruiting_orders;
  agent_id uuid;
begin
  if private.lead_problem(lead) is not null then
    raise exception '%', private.quoted(private.lead_problem(lead)) using errcode = 'PT400';
  end if;

  if existing_id is null then
    select l.id into existing_id
    from public.recruiting_leads l
    where l.vendor_id = sender_id and l.vendor_lead_id = indexed_id;
  end if;

  status := case when existing_id is null then 'created' else 'duplicate' end;
  if existing_id is null and not is_test then
    if private.is_suppressed(lead #>> '{vendor_metadata,phone}', lead #>> '{vendor_metadata,email}') then
      return jsonb_build_object('status', status, 'id', null, 'distributed_to', null);
    end if;
    repeated := (private.find_repeats(private.lead_contacts(array[
      row(1, gen_random_uuid(), sender_id, indexed_id, null, 'unmatched', lead, null, null)::private.sent_lead
    ])))[1];
    if repeated.action is not null and not coalesce(repeated.action = 'same_agent' and repeated.is_pending, false) then
      return jsonb_build_object(
        'status', case repeated.action when 'duplicate' then 'duplicate' else status end,
        'id', case when repeated.action = 'duplicate' and repeated.vendor_id = sender_id then repeated.earlier_id end,
        'distributed_to', case when repeated.action = 'same_agent'
          then jsonb_build_object('agency_id', repeated.agency_id, 'agent_id', repeated.agent_id) end);
    end if;
    begin
      matched := private.best_order(sender_id, private.lead_state(lead -> 'vendor_metadata'), now());
      agent_id := private.next_agent(matched.agency_id, matched.agent_id);
    exception when lock_not_available then
      -- A table is locked, so the lead would wait.
      matched := null;
    end;
  end if;

  return jsonb_build_object(
    'status', status,
    'id', existing_id,
    'distributed_to', case when matched.agency_id is not null
      then jsonb_build_object('agency_id', matched.agency_id, 'agent_id', agent_id) end
  );
end
$$;

comment on function public.preview_recruiting_lead(text, jsonb, jsonb) is
  'Returns the result that ingest_recruiting_leads() would return for this lead now; changes nothing. Returns '
  '{status: created|duplicate, id|null of the stored lead (null if it is another vendor''s), distributed_to|null}. Raises '
  'the same errors.';
grant execute on function public.preview_recruiting_lead(text, jsonb, jsonb) to service_role;

-- POST /recruiting/ingest/bulk?dry_run=true: what would happen to many leads.

create function public.preview_recruiting_lead_batch(key_hash text, leads jsonb) returns jsonb
language plpgsql
stable
set search_path = ''
set statement_timeout = '60s'
-- A plan made while a table was small would scan it completely for each row.
set enable_seqscan = off
as $$
declare
  sender_id constant uuid := public.authenticate_vendor(key_hash) ->> 'vendor_id';
  sent private.sent_lead[] := array(
    select row(
      s.ordinal, gen_random_uuid(), sender_id, s.indexed_id, null, 'not_requested', s.lead, null,
      case when l.id is not null or s.place > 1 and s.indexed_id is not null
        then jsonb_build_object('status', 'duplicate', 'id', l.id) end
    )::private.sent_lead
    from (
      select given.*, row_number() over (partition by given.indexed_id order by given.ordinal) as place
      from (
        select g.ordinal, g.lead, private.stored_lead_id(sender_id, g.lead ->> 'vendor_lead_id') as indexed_id
        from jsonb_array_elements(leads) with ordinality as g (lead, ordinal)
        offset 0
      ) given
    ) s
    left join lateral (
      select stored.id
      from public.recruiting_leads stored
      where stored.vendor_id = sender_id and stored.vendor_lead_id = s.indexed_id
      offset 0
    ) l on true
    order by s.ordinal
  );
  repeated private.repeated_lead[] := '{}';
begin
  if exists (select from public.repeat_rules) then
    repeated := private.find_repeats(private.lead_contacts(private.mark_suppressed(sent)));
  end if;
  return (
    select coalesce(
      jsonb_agg(
        coalesce(s.result, jsonb_build_object(
          'status', case when r.ordinal is null then 'created' else 'duplicate' end,
          'id', (select l.id from public.recruiting_leads l where l.id = r.earlier_id and l.vendor_id = sender_id)
        )) order by s.ordinal
      ),
      '[]'
    )
    from unnest(sent) s
    left join unnest(repeated) r on r.ordinal = s.ordinal and r.action = 'duplicate'
  );
end
$$;

comment on function public.preview_recruiting_lead_batch(text, jsonb) is
  'Returns the result that ingest_recruiting_lead_batch() would return for these leads; changes nothing. leads: an array with '
  '{vendor_lead_id|null, vendor_metadata: {phone, email, is_test}} for each. Returns an array with {status: created|duplicate, '
  'id|null} for each, in order: id is that of the vendor''s stored lead; a repetition within the list is a duplicate without an id. '
  'PT401 as in authenticate_vendor().';
grant execute on function public.preview_recruiting_lead_batch(text, jsonb) to service_role;
