set local check_function_bodies = off;

drop function "public"."import_leads"(uuid, uuid, uuid, json);

drop function "public"."ingest_recruiting_lead"(text, jsonb);

drop function "public"."ingest_recruiting_leads"(text, jsonb);

drop function "public"."log_presentation_activity"(uuid, uuid, text, integer);

create table "private"."idempotency_keys" (
  "scope" text not null,
  "key" text not null,
  "part" integer not null,
  "request_hash" text not null,
  "result" jsonb not null,
  "created_at" timestamp with time zone not null default now(),
  constraint "idempotency_keys_key_check" check ((key ~ '^[\x21-\x7e]{1,255}$'::text)),
  constraint "idempotency_keys_pkey" primary key (scope, key, part)
);

alter table "private"."idempotency_keys"
  enable row level security;

create or replace function private.keep_result (
  scope text,
  idempotency jsonb,
  result jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  if idempotency is null then
    return result;
  end if;

  insert into private.idempotency_keys (scope, key, part, request_hash, result)
  values (
    keep_result.scope,
    idempotency ->> 'key',
    (idempotency ->> 'part')::integer,
    idempotency ->> 'request_hash',
    keep_result.result
  )
  -- Only an expired one can be in the way.
  on conflict on constraint idempotency_keys_pkey do update
  set request_hash = excluded.request_hash, result = excluded.result, created_at = excluded.created_at;

  delete from private.idempotency_keys k
  where (k.scope, k.key, k.part) in (
    select expired.scope, expired.key, expired.part
    from private.idempotency_keys expired
    where expired.created_at <= now() - interval '24 hours'
    order by expired.created_at
    limit 10
    for update skip locked
  );
  return result;
end
$function$;

create or replace function private.kept_result (
  scope text,
  idempotency jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
begin
  if idempotency is null then
    return null;
  end if;

  -- Held until the transaction ends. So of two requests at once only one goes on, and the other does not wait.
  if not pg_try_advisory_xact_lock(
    hashtextextended(format('idempotency %s %s %s', scope, idempotency ->> 'part', idempotency ->> 'key'), 0)
  ) then
    raise exception 'Idempotency-Key: the first request with this key is still at work' using errcode = 'PT409';
  end if;

  -- Another body may have other parts, so all parts are compared.
  if exists (
    select
    from private.idempotency_keys k
    where k.scope = kept_result.scope
      and k.key = idempotency ->> 'key'
      and k.request_hash <> idempotency ->> 'request_hash'
      and k.created_at > now() - interval '24 hours'
  ) then
    raise exception 'Idempotency-Key: the key came before with another body' using errcode = 'PT422';
  end if;

  return (
    select k.result
    from private.idempotency_keys k
    where k.scope = kept_result.scope
      and k.key = idempotency ->> 'key'
      and k.part = (idempotency ->> 'part')::integer
      and k.created_at > now() - interval '24 hours'
  );
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
  -- A call may be delayed on its way. By now the vendor may have been told that it failed, and the resume been removed.
  if (lead ->> 'not_after')::timestamptz < clock_timestamp() then
    raise exception 'the call comes too late';
  end if;

  loop
    insert into public.recruiting_leads (
      id, vendor_id, vendor_lead_id, first_name, vendor_metadata, resume_path, distribution
    )
    values (
      lead_id, store_recruiting_lead.vendor_id, indexed_id, lead ->> 'first_name', metadata, lead ->> 'resume_path',
      case when is_test then 'not_requested' else 'unmatched' end
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
      return jsonb_build_object('id', stored.id, 'status', 'duplicate');
    end if;
  end loop;
end
$function$;

create or replace function public.import_leads (
  agency_id uuid,
  agent_id uuid,
  distribution_id uuid,
  leads json,
  idempotency jsonb default null::jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  set statement_timeout to '60s'
  AS $function$
declare
  agent_is_active boolean;
  kept constant jsonb := private.kept_result('import', idempotency);
  imported jsonb := '[]';
  duplicates jsonb := '[]';
  failed jsonb := '[]';
  lead json;
begin
  if kept is not null then
    return kept;
  end if;

  if not exists (select from public.agencies a where a.id = agency_id) then
    raise exception 'agency_id: no such agency' using errcode = 'PT400';
  end if;
  select a.is_active into agent_is_active
  from public.agents a
  where a.id = agent_id and a.agency_id = import_leads.agency_id;
  if not found then
    raise exception 'agent_id: no such agent in this agency' using errcode = 'PT400';
  elsif not agent_is_active then
    raise exception 'agent_id: the agent is deactivated' using errcode = 'PT400';
  end if;

  begin
    imported := private.insert_leads(agency_id, agent_id, distribution_id, leads);
  exception when others then
    if not private.is_row_error(sqlstate) then
      raise;
    end if;
    -- One bad row makes the whole statement fail. Row by row costs about three times as much, so it is done only here.
    for lead in
      select l from json_array_elements(leads) l order by l ->> 'external_id', (l ->> 'index')::integer
    loop
      begin
        imported := imported
          || private.insert_leads(agency_id, agent_id, distribution_id, json_build_array(lead));
      exception when others then
        if not private.is_row_error(sqlstate) then
          raise;
        end if;
        failed := failed || jsonb_build_object('index', lead -> 'index', 'reason', private.row_error_reason(sqlstate));
      end;
    end loop;
  end;

  -- All other leads are duplicates. Another import may have committed them after ours began, so only a new statement
  -- can see them.
  if jsonb_array_length(imported) + jsonb_array_length(failed) < json_array_length(leads) then
    select jsonb_agg(jsonb_build_object('index', r.index, 'id', l.id)) into duplicates
    from json_to_recordset(leads) as r (index integer, external_id uuid)
    join public.leads l on l.agency_id = import_leads.agency_id and l.external_id = r.external_id
    where r.index not in (
      select done.index from jsonb_to_recordset(imported || failed) as done (index integer)
    );
  end if;

  return private.keep_result('import', idempotency, jsonb_build_object(
    'imported', imported, 'duplicates', coalesce(duplicates, '[]'), 'failed', failed));
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
  return coalesce(
    private.kept_result(scope, idempotency),
    private.keep_result(scope, idempotency, private.store_recruiting_lead(key_vendor_id, lead))
  );
end
$function$;

create or replace function public.ingest_recruiting_leads (
  key_hash text,
  leads jsonb,
  idempotency jsonb default null::jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  set statement_timeout to '60s'
  AS $function$
declare
  key_vendor_id constant uuid := public.authenticate_vendor(key_hash) ->> 'vendor_id';
  scope constant text := 'bulk ' || key_vendor_id;
  kept constant jsonb := private.kept_result(scope, idempotency);
  created integer := 0;
  errors jsonb[] := '{}';
  lead jsonb;
begin
  if kept is not null then
    return kept;
  end if;

  begin
    created := private.insert_recruiting_leads(key_vendor_id, leads);
  exception when others then
    if not private.is_row_error(sqlstate) then
      raise;
    end if;
    -- One bad row makes the whole statement fail. Row by row costs about three times as much, so it is done only here.
    for lead in
      select l from jsonb_array_elements(leads) l
      order by private.indexable_id(l ->> 'vendor_lead_id'), (l ->> 'row')::integer
    loop
      begin
        created := created + private.insert_recruiting_leads(key_vendor_id, jsonb_build_array(lead));
      exception when others then
        if not private.is_row_error(sqlstate) then
          raise;
        end if;
        errors := array_append(
          errors, jsonb_build_object('row', lead -> 'row', 'reason', private.row_error_reason(sqlstate)));
      end;
    end loop;
  end;

  return private.keep_result(scope, idempotency, jsonb_build_object(
    'created', created,
    'duplicates', jsonb_array_length(leads) - created - cardinality(errors),
    'errors', (select coalesce(jsonb_agg(e order by (e ->> 'row')::integer), '[]') from unnest(errors) e)
  ));
end
$function$;

create or replace function public.log_presentation_activity (
  lead_id uuid,
  agent_id uuid,
  type text,
  per_minute integer default null::integer,
  idempotency jsonb default null::jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  kept constant jsonb := private.kept_result('log', idempotency);
  retry_after integer;
begin
  if kept is not null then
    return kept;
  end if;
  if type is null or type not in ('presentation_started', 'presentation_resumed', 'presentation_paused') then
    raise exception 'type: must be presentation_started, presentation_resumed or presentation_paused'
      using errcode = 'PT400';
  end if;

  insert into public.lead_activities (lead_id, agent_id, type)
  select l.id, l.agent_id, log_presentation_activity.type
  from public.leads l
  join public.agents a on a.id = l.agent_id
  where l.id = log_presentation_activity.lead_id and a.id = log_presentation_activity.agent_id and a.is_active;

  if not found and exists (
    select
    from public.leads l
    where l.id = log_presentation_activity.lead_id and l.agent_id = log_presentation_activity.agent_id
  ) then
    raise exception 'agent_id: the agent is deactivated' using errcode = 'PT400';
  elsif not found then
    raise exception 'lead_id: no such lead of this agent' using errcode = 'PT404';
  end if;

  -- The exception undoes the activity, and its count with it.
  if per_minute is not null then
    retry_after := private.seconds_until_allowed('lead ' || lead_id, per_minute);
    if retry_after is not null then
      raise exception 'the lead has more than % activities a minute', per_minute
        using errcode = 'PT429', detail = retry_after;
    end if;
  end if;
  return private.keep_result('log', idempotency, '{}');
end
$function$;

create index idempotency_keys_created_at_idx on private.idempotency_keys using btree (created_at);

comment on column "private"."idempotency_keys"."part" is 'Which part of the request, from 0: an import is stored in several transactions, and each of them keeps its own result.';

comment on column "private"."idempotency_keys"."request_hash" is 'SHA-256 of the bytes of the request''s body, in hex.';

comment on column "private"."idempotency_keys"."result" is 'What the SQL function returned the first time.';

comment on column "private"."idempotency_keys"."scope" is 'Route and caller, e.g. `ingest <vendor id>`. The same key of another caller or route is another key.';

comment on function "private"."keep_result"(text, jsonb, jsonb) is 'Keeps the result of a request with an Idempotency-Key, in the transaction of its work, and returns it. Without a key it only returns it. Removes a few expired keys.';

comment on function "private"."kept_result"(text, jsonb) is 'The kept result of a request that came before, or null. idempotency: {key, part, request_hash}, or null for a request without a key. PT409 while another transaction works on the same key; PT422 when the key came with another body.';

comment on function "private"."store_recruiting_lead"(uuid, jsonb) is 'Stores a lead of a vendor and distributes it. Arguments and result: see public.ingest_recruiting_lead().';

comment on function "public"."import_leads"(uuid, uuid, uuid, json, jsonb) is 'Stores sales leads for an agent of an agency. leads: [{index, external_id, first_name, last_name, phone, phone_e164, email, address, city, state, zip, language, type}], at most about 2,000; send more in several calls at the same time. Returns {imported: [{index, id}], duplicates: [{index, id}] with the id of the lead that has this external_id, failed: [{index, reason}] for rows that the database refused}. PT400 for an unknown agency, an agent of another agency or a deactivated agent, also when leads is empty.';

comment on function "public"."ingest_recruiting_lead"(text, jsonb, jsonb) is 'Stores one lead of the key''s vendor and distributes it, unless vendor_metadata.is_test is true. lead: {id, first_name, vendor_lead_id|null, vendor_metadata, resume_path|null, not_after?}. The caller makes the id; a repeated call with the same id returns the first result and stores nothing. After the time not_after nothing is stored (P0001). Returns {id, status: created, distributed_to: {agency_id, agent_id|null}|null}, or {id, status: duplicate} with the id of the lead that has this vendor_lead_id. PT401 as authenticate_vendor(), PT400 without a first_name. idempotency and its errors: see private.kept_result().';

comment on function "public"."ingest_recruiting_leads"(text, jsonb, jsonb) is 'Stores many leads of the key''s vendor; none is distributed. leads: [{row, first_name, vendor_lead_id|null, vendor_metadata}]. Returns {created, duplicates, errors: [{row, reason}]}. A duplicate has the vendor_lead_id of a stored lead or of an earlier row; an error is a row that the database refused. PT401 as authenticate_vendor(). idempotency and its errors: see private.kept_result().';

comment on function "public"."log_presentation_activity"(uuid, uuid, text, integer, jsonb) is 'Adds an activity to a lead and returns {}. PT404 when the lead does not exist or is not this agent''s, PT400 for an unknown type or a deactivated agent. per_minute, unless null, is the most activities a minute of one lead: beyond it PT429, whose detail is the seconds to wait. idempotency and its errors: see private.kept_result().';

comment on table "private"."idempotency_keys" is 'What a request with an Idempotency-Key came to, kept for 24 hours. Errors are not kept.';

revoke all on function "private"."keep_result"(text, jsonb, jsonb) from public;

grant execute on function "private"."keep_result"(text, jsonb, jsonb) to "postgres", "service_role";

revoke all on function "private"."kept_result"(text, jsonb) from public;

grant execute on function "private"."kept_result"(text, jsonb) to "postgres", "service_role";

revoke all on function "private"."store_recruiting_lead"(uuid, jsonb) from public;

grant execute on function "private"."store_recruiting_lead"(uuid, jsonb) to "postgres", "service_role";

revoke all on function "public"."import_leads"(uuid, uuid, uuid, json, jsonb) from public;

grant execute on function "public"."import_leads"(uuid, uuid, uuid, json, jsonb) to "postgres", "service_role";

revoke all on function "public"."ingest_recruiting_lead"(text, jsonb, jsonb) from public;

grant execute on function "public"."ingest_recruiting_lead"(text, jsonb, jsonb) to "postgres", "service_role";

revoke all on function "public"."ingest_recruiting_leads"(text, jsonb, jsonb) from public;

grant execute on function "public"."ingest_recruiting_leads"(text, jsonb, jsonb) to "postgres", "service_role";

revoke all on function "public"."log_presentation_activity"(uuid, uuid, text, integer, jsonb) from public;

grant execute
  on function "public"."log_presentation_activity"(uuid, uuid, text, integer, jsonb)
  to "postgres", "service_role";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."idempotency_keys"
  to "postgres";

grant delete, insert, select, update on table "private"."idempotency_keys" to "service_role";
