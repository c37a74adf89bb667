set local check_function_bodies = off;

drop function "public"."log_presentation_activity"(uuid, uuid, text);

create unlogged table "private"."request_counts" (
  "bucket" text not null,
  "window_start" timestamp with time zone not null,
  "requests" integer not null,
  "created_at" timestamp with time zone not null default now(),
  constraint "request_counts_pkey" primary key (bucket)
);

alter table "private"."request_counts"
  enable row level security;

alter table "public"."vendors"
  add column "rate_limit" integer;

create or replace function private.newest_migration()
  returns text
  language plpgsql
  stable
  security definer
  set search_path to ''
  AS $function$
declare
  newest text;
begin
  -- A database that was set up without the Supabase CLI has no such record.
  if to_regclass('supabase_migrations.schema_migrations') is not null then
    execute 'select max(version) from supabase_migrations.schema_migrations' into newest;
  end if;
  return newest;
end
$function$;

create or replace function private.seconds_until_allowed (
  bucket text,
  per_minute integer
)
  returns integer
  language plpgsql
  set search_path to ''
  AS $function$
declare
  moment constant timestamptz := clock_timestamp();
  counted private.request_counts;
begin
  -- The row's lock makes parallel requests count one after the other.
  insert into private.request_counts as r (bucket, window_start, requests)
  values (seconds_until_allowed.bucket, moment, 1)
  on conflict on constraint request_counts_pkey do update
  set
    window_start = case when r.window_start <= moment - interval '1 minute' then moment else r.window_start end,
    requests = case when r.window_start <= moment - interval '1 minute' then 1 else r.requests + 1 end
  returning * into counted;

  -- Whoever begins a minute removes a few rows of callers that have stopped calling.
  if counted.requests = 1 then
    delete from private.request_counts r
    where r.bucket in (
      select old.bucket
      from private.request_counts old
      where old.window_start < moment - interval '1 hour'
      limit 10
      for update skip locked
    );
  end if;

  if counted.requests <= per_minute then
    return null;
  end if;
  return greatest(1, least(60, ceil(extract(epoch from counted.window_start + interval '1 minute' - moment))));
end
$function$;

create or replace function public.authenticate_vendor (
  key_hash text
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  vendor public.vendors;
begin
  select v.* into vendor
  from public.vendor_api_keys k
  join public.vendors v on v.id = k.vendor_id
  where k.key_hash = authenticate_vendor.key_hash
    and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > now())
    and v.is_active;

  -- One message for every reason, so that a stranger learns nothing about keys and vendors.
  if not found then
    raise exception 'invalid API key' using errcode = 'PT401';
  end if;

  return jsonb_build_object(
    'vendor_id', vendor.id,
    'parser', vendor.parser,
    'parser_config', vendor.parser_config,
    'rate_limit', vendor.rate_limit
  );
end
$function$;

create or replace function public.count_request (
  bucket text,
  per_minute integer
)
  returns jsonb
  language plpgsql
  set search_path to ''
  set statement_timeout to '2s'
  AS $function$
begin
  return jsonb_build_object('retry_after', private.seconds_until_allowed(bucket, per_minute));
end
$function$;

create or replace function public.log_presentation_activity (
  lead_id uuid,
  agent_id uuid,
  type text,
  per_minute integer default null::integer
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  retry_after integer;
begin
  if type is null or type not in ('presentation_started', 'presentation_resumed', 'presentation_paused') then
    raise exception 'type: must be presentation_started, presentation_resumed or presentation_paused'
      using errcode = 'PT400';
  end if;

  insert into public.lead_activities (lead_id, agent_id, type)
  select l.id, l.agent_id, log_presentation_activity.type
  from public.leads l
  where l.id = log_presentation_activity.lead_id and l.agent_id = log_presentation_activity.agent_id;

  if not found then
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
  return '{}';
end
$function$;

create or replace function public.service_health()
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  set statement_timeout to '4s'
  AS $function$
begin
  return jsonb_build_object('migrations', private.newest_migration());
end
$function$;

alter table "public"."vendors"
  add constraint "vendors_rate_limit_check" check ((rate_limit > 0));

create index request_counts_window_start_idx on private.request_counts using btree (window_start);

comment on column "private"."request_counts"."bucket" is 'Who is counted, e.g. `vendor <id>` or `import`.';

comment on column "private"."request_counts"."window_start" is 'Time of the first request of the minute. The first request after that minute begins the next one.';

comment on column "public"."vendors"."rate_limit" is 'Requests a minute, over all the vendor''s keys and routes, refused ones included; null: no limit.';

comment on function "private"."newest_migration"() is 'Version of the newest migration that has been applied, or null when the database keeps no record of migrations.';

comment on function "private"."seconds_until_allowed"(text, integer) is 'Counts a request of this bucket. Null when it is within per_minute; else the seconds, 1 to 60, until the next minute begins.';

comment on function "public"."authenticate_vendor"(text) is 'The vendor whose key has this SHA-256 (lower-case hex): {vendor_id, parser|null, parser_config, rate_limit|null}. PT401 when the key is unknown, expired or revoked, or the vendor is inactive.';

comment on function "public"."count_request"(text, integer) is 'Counts a request against a limit of requests a minute, and keeps the count when the request is refused. Returns {retry_after: null} when the request is within the limit, else {retry_after: <seconds>}.';

comment on function "public"."log_presentation_activity"(uuid, uuid, text, integer) is 'Adds an activity to a lead and returns {}. PT404 when the lead does not exist or is not this agent''s, PT400 for an unknown type. per_minute, unless null, is the most activities a minute of one lead: beyond it PT429, whose detail is the seconds to wait.';

comment on function "public"."service_health"() is 'Shows that the database responds. Returns {migrations: <version of the newest migration>|null}.';

comment on table "private"."request_counts" is 'The requests of the present minute, one row for each caller or lead that has a limit.';

revoke all on function "private"."newest_migration"() from public;

grant execute on function "private"."newest_migration"() to "postgres", "service_role";

revoke all on function "private"."seconds_until_allowed"(text, integer) from public;

grant execute on function "private"."seconds_until_allowed"(text, integer) to "postgres", "service_role";

revoke all on function "public"."count_request"(text, integer) from public;

grant execute on function "public"."count_request"(text, integer) to "postgres", "service_role";

revoke all on function "public"."log_presentation_activity"(uuid, uuid, text, integer) from public;

grant execute on function "public"."log_presentation_activity"(uuid, uuid, text, integer) to "postgres", "service_role";

revoke all on function "public"."service_health"() from public;

grant execute on function "public"."service_health"() to "postgres", "service_role";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "private"."request_counts"
  to "postgres";

grant delete, insert, select, update on table "private"."request_counts" to "service_role";
