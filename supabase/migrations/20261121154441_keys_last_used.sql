set local check_function_bodies = off;

alter table "public"."vendor_api_keys"
  add column "last_used_at" timestamp with time zone;

create or replace function private.replay_imported_lead (
  delivery public.rejected_deliveries,
  lead jsonb
)
  returns uuid
  language plpgsql
  set search_path to ''
  AS $function$
declare
  given_agency_id constant uuid := delivery.context ->> 'agency_id';
  given_external_id constant uuid := lead ->> 'external_id';
  lead_id uuid;
begin
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
$function$;

create or replace function public.identify_vendor (
  key_hash text
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  vendor constant jsonb := public.authenticate_vendor(key_hash);
begin
  -- Not in authenticate_vendor(), which each function that writes calls: there one request would wait for another.
  update public.vendor_api_keys k
  set last_used_at = now()
  where k.id = (
    select used.id
    from public.vendor_api_keys used
    where used.key_hash = identify_vendor.key_hash
      and (used.last_used_at is null or used.last_used_at < now() - interval '1 minute')
    for no key update skip locked
  );
  return vendor;
end
$function$;

comment on column "public"."vendor_api_keys"."last_used_at" is 'When a request last came with the key, to about a minute.';

comment on function "public"."identify_vendor"(text) is 'Returns what authenticate_vendor() returns, or its error, and notes at most once a minute that the key was used.';

revoke all on function "public"."identify_vendor"(text) from public;

grant execute on function "public"."identify_vendor"(text) to "postgres", "service_role";
