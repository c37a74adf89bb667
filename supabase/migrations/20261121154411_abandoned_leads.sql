set local check_function_bodies = off;

create table "private"."abandoned_leads" (
  "lead_id" uuid not null,
  "abandoned_at" timestamp with time zone not null default now(),
  constraint "abandoned_leads_pkey" primary key (lead_id)
);

alter table "private"."abandoned_leads"
  enable row level security;

create or replace function private.lock_lead_id (
  lead_id uuid
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform pg_advisory_xact_lock(hashtextextended('recruiting lead ' || lead_id, 0));
end
$function$;

create or replace function private.store_recruiting_lead (
  vendor_id uuid,
  lead jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  lead_id constant uuid := lead ->> 'id';
  indexed_id constant text := private.indexable_id(lead ->> 'vendor_lead_id');
  is_test constant boolean := lead #> '{vendor_metadata,is_test}' is not distinct from 'true';
  metadata constant jsonb := coalesce(nullif(lead -> 'vendor_metadata', 'null'), '{}');
  stored public.recruiting_leads;
begin
  perform private.require_recruiting_lead(lead);

  loop
    insert into public.recruiting_leads (
      id, vendor_id, vendor_lead_id, first_name, vendor_metadata, resume_path, distribution, request_id, received_via
    )
    values (
      lead_id, store_recruiting_lead.vendor_id, indexed_id, lead ->> 'first_name', metadata, lead ->> 'resume_path',
      case when is_test then 'not_requested' else 'unmatched' end, lead ->> 'request_id', lead ->> 'received_via'
    )
    on conflict do nothing
    returning * into stored;

    if found then
      if not is_test then
        stored := private.distribute_new_lead(stored);
      end if;
      return private.created_lead(stored);
    end if;

    -- The conflicting row may have been committed after the insert began, so only a new statement can see it. If it
    -- has been deleted since, the loop tries the insert again.
    select * into stored
    from public.recruiting_leads l
    where l.id = lead_id
      or (l.vendor_id = store_recruiting_lead.vendor_id and l.vendor_lead_id = indexed_id)
    order by l.id = lead_id desc
    limit 1;

    if stored.vendor_id <> store_recruiting_lead.vendor_id then
      raise exception 'the id belongs to a lead of another vendor' using errcode = 'unique_violation';
    elsif stored.id = lead_id then
      return private.created_lead(stored);
    elsif found then
      -- A repeated call has the same id and is the same duplicate.
      insert into public.recruiting_lead_duplicates (id, lead_id, vendor_id, request_id)
      values (lead_id, stored.id, stored.vendor_id, lead ->> 'request_id')
      on conflict (id) do nothing;
      return jsonb_build_object('id', stored.id, 'status', 'duplicate');
    end if;
  end loop;
end
$function$;

create or replace function public.abandon_recruiting_lead (
  lead_id uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  set statement_timeout to '4s'
  AS $function$
declare
  lead public.recruiting_leads;
begin
  perform private.lock_lead_id(lead_id);
  select * into lead from public.recruiting_leads l where l.id = lead_id;
  if found then
    return private.created_lead(lead);
  end if;

  insert into private.abandoned_leads as a (lead_id) values (abandon_recruiting_lead.lead_id)
  on conflict do nothing;

  delete from private.abandoned_leads a
  where a.lead_id in (
    select old.lead_id
    from private.abandoned_leads old
    where old.abandoned_at < now() - interval '1 hour'
    limit 10
    for update skip locked
  );
  return null;
end
$function$;

create or replace function public.ingest_recruiting_lead (
  key_hash text,
  lead jsonb,
  idempotency jsonb default null::jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  set statement_timeout to '2s'
  set lock_timeout to '250ms'
  AS $function$
declare
  key_vendor_id constant uuid := public.authenticate_vendor(key_hash) ->> 'vendor_id';
  scope constant text := 'ingest ' || key_vendor_id;
begin
  perform private.lock_lead_id((lead ->> 'id')::uuid);
  if exists (select from private.abandoned_leads a where a.lead_id = (lead ->> 'id')::uuid) then
    raise exception 'the lead was abandoned';
  end if;

  return coalesce(
    private.kept_result(scope, idempotency),
    private.keep_result(scope, idempotency, private.store_recruiting_lead(key_vendor_id, lead))
  );
end
$function$;

create or replace function public.preview_recruiting_lead (
  key_hash text,
  lead jsonb
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  set statement_timeout to '2s'
  AS $function$
declare
  key_vendor_id constant uuid := public.authenticate_vendor(key_hash) ->> 'vendor_id';
  indexed_id constant text := private.indexable_id(lead ->> 'vendor_lead_id');
  is_test constant boolean := lead #> '{vendor_metadata,is_test}' is not distinct from 'true';
  existing_id uuid;
  matched public.recruiting_orders;
begin
  perform private.require_recruiting_lead(lead);

  select l.id into existing_id
  from public.recruiting_leads l
  where l.vendor_id = key_vendor_id and l.vendor_lead_id = indexed_id;

  if existing_id is null and not is_test then
    select * into matched
    from private.match_recruiting_order(key_vendor_id, upper(lead #>> '{vendor_metadata,state}'), now());
  end if;

  return jsonb_build_object(
    'status', case when existing_id is null then 'created' else 'duplicate' end,
    'id', existing_id,
    'distributed_to', private.distributed_to(
      matched.agency_id, private.next_agent(matched.agency_id, matched.agent_id))
  );
end
$function$;

create index abandoned_leads_abandoned_at_idx on private.abandoned_leads using btree (abandoned_at);

comment on function "private"."lock_lead_id"(uuid) is 'Until the transaction ends, nobody else stores or abandons the lead with this id.';

comment on function "public"."abandon_recruiting_lead"(uuid) is 'Decides what became of a lead whose call of ingest_recruiting_lead() got no response. Returns the lead as that function does if it is stored, and else null: then it will never be stored.';

comment on function "public"."ingest_recruiting_lead"(text, jsonb, jsonb) is 'Stores one lead of the key''s vendor and distributes it, unless vendor_metadata.is_test is true. lead: {id, first_name, vendor_lead_id|null, vendor_metadata, resume_path|null, request_id|null, received_via|null}. The caller makes the id; a repeated call with the same id returns the first result and stores nothing. P0001 for an id that was abandoned. Returns {id, status: created, distributed_to: {agency_id, agent_id|null}|null}, with distribution: pending while it is not known where the lead goes; or {id, status: duplicate} with the id of the lead that has this vendor_lead_id. PT401 as authenticate_vendor(), PT400 without a first_name. idempotency and its errors: see private.kept_result().';

comment on table "private"."abandoned_leads" is 'Ids of leads that were not stored in time, and must not be stored any more. Kept for an hour; no call is that slow.';

revoke all on function "private"."lock_lead_id"(uuid) from public;

grant execute on function "private"."lock_lead_id"(uuid) to "postgres", "service_role";

revoke all on function "public"."abandon_recruiting_lead"(uuid) from public;

grant execute on function "public"."abandon_recruiting_lead"(uuid) to "postgres", "service_role";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."abandoned_leads"
  to "postgres";

grant delete, insert, select, update on table "private"."abandoned_leads" to "service_role";
