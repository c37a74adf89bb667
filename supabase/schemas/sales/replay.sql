-- Taking in what was refused, after the parser, the mapping or the database has been put right.

create function public.replay_delivery(delivery_id uuid, lead jsonb) returns jsonb
language plpgsql
set search_path = ''
set statement_timeout = '20s'
set lock_timeout = '5s'
as $$
declare
  delivery public.rejected_deliveries;
begin
  -- A second operator waits here, and then finds it replayed.
  select * into delivery from public.rejected_deliveries d where d.id = delivery_id for update;
  if not found then
    raise exception 'delivery_id: no such delivery' using errcode = 'PT404';
  elsif delivery.status = 'dismissed' then
    raise exception 'the delivery has been dismissed' using errcode = 'PT409';
  elsif delivery.status = 'replayed' then
    return private.replayed(delivery);
  elsif coalesce(jsonb_typeof(lead), 'null') <> 'object' then
    raise exception 'lead: must be an object' using errcode = 'PT400';
  end if;

  update public.rejected_deliveries d
  set
    status = 'replayed',
    lead_id = case
      when delivery.vendor_id is null then private.replay_imported_lead(delivery, lead)
      else private.replay_recruiting_lead(delivery, lead)
    end
  where d.id = delivery.id
  returning * into delivery;
  return private.replayed(delivery);
end
$$;

comment on function public.replay_delivery(uuid, jsonb) is
  'Stores the lead of a rejected delivery, once however often it is called, and sets the delivery to replayed. lead, for '
  'a recruiting vendor: {first_name, vendor_lead_id|null, vendor_metadata} as the vendor''s parser returns it; it is '
  'distributed as by POST /recruiting/ingest. For an import: the lead object, with phone_e164 where it can be read. '
  'Returns the result of ingest_recruiting_leads(): {id, status: created, distributed_to: {agency_id, '
  'agent_id|null}|null}, or {id, status: duplicate} with the lead that had come meanwhile. For an import there is no '
  'distributed_to. A repeated call returns the same. PT404 for an unknown delivery, PT409 for a dismissed one. A lead '
  'that cannot be stored is an error (PT400, or that of the constraint), and the delivery stays open.';
grant execute on function public.replay_delivery(uuid, jsonb) to service_role;

create function private.replay_recruiting_lead(delivery public.rejected_deliveries, lead jsonb) returns uuid
language plpgsql
set search_path = ''
as $$
declare
  result constant jsonb := private.store_recruiting_leads(
    jsonb_build_array(jsonb_build_object(
      'webhook', delivery.context -> 'webhook',
      'lead', lead || jsonb_build_object(
        'id', delivery.id, 'resume_path', null, 'request_id', delivery.request_id, 'received_via', 'replay'))),
    delivery.vendor_id) -> 0;
begin
  if result ? 'error' then
    raise exception '%', private.quoted(result #>> '{error,message}') using errcode = result #>> '{error,code}';
  end if;
  return result ->> 'id';
end
$$;

comment on function private.replay_recruiting_lead(public.rejected_deliveries, jsonb) is
  'Stores the lead of a delivery under the delivery''s id and distributes it. Returns its id, or that of a stored lead: '
  'with this vendor_lead_id, or from the same delivery of a webhook within 7 days. PT409 while that is at work.';

create function private.replay_imported_lead(delivery public.rejected_deliveries, lead jsonb) returns uuid
language plpgsql
set search_path = ''
as $$
declare
  given_agency_id constant uuid := delivery.context ->> 'agency_id';
  given_external_id constant uuid := lead ->> 'external_id';
  lead_id uuid;
begin
  -- So that the agent does not leave meanwhile.
  perform private.lock_active_agent((delivery.context ->> 'agent_id')::uuid);
  if given_agency_id is null then
    raise exception 'the delivery is a whole request: its leads must be sent again' using errcode = 'PT400';
  elsif given_external_id is null then
    raise exception 'external_id is missing' using errcode = 'PT400';
  elsif exists (
    select from public.agents a where a.id = (delivery.context ->> 'agent_id')::uuid and not a.is_active
  ) then
    raise exception 'agent_id: the agent is deactivated' using errcode = 'PT400';
  end if;

  loop
    select l.id into lead_id
    from public.leads l
    where l.agency_id = given_agency_id and l.external_id = given_external_id;
    exit when found;

    insert into public.leads (
      id, external_id, agency_id, agent_id, distribution_id, first_name, last_name, phone, phone_e164, email, address,
      city, state, zip, language, type
    )
    values (
      delivery.id, given_external_id, given_agency_id, (delivery.context ->> 'agent_id')::uuid,
      (delivery.context ->> 'distribution_id')::uuid, lead ->> 'first_name', lead ->> 'last_name', lead ->> 'phone',
      lead ->> 'phone_e164', lead ->> 'email', lead ->> 'address', lead ->> 'city', lead ->> 'state', lead ->> 'zip',
      lead ->> 'language', lead ->> 'type'
    )
    on conflict on constraint leads_agency_id_external_id_key do nothing
    returning id into lead_id;
    exit when found;
  end loop;
  return lead_id;
end
$$;

comment on function private.replay_imported_lead(public.rejected_deliveries, jsonb) is
  'Stores the sales lead of a delivery under the delivery''s id, for the agency and agent of its context. Returns its '
  'id, or the id of the lead that has this external_id.';

create function private.replayed(delivery public.rejected_deliveries) returns jsonb
language plpgsql
stable
set search_path = ''
as $$
declare
  lead public.recruiting_leads;
begin
  if delivery.lead_id <> delivery.id then
    return jsonb_build_object('id', delivery.lead_id, 'status', 'duplicate');
  end if;

  select * into lead from public.recruiting_leads l where l.id = delivery.lead_id;
  if not found then
    return jsonb_build_object('id', delivery.lead_id, 'status', 'created');
  end if;
  return private.created_lead(lead);
end
$$;

comment on function private.replayed(public.rejected_deliveries) is
  'The result of replay_delivery() for a delivery that has been replayed.';
