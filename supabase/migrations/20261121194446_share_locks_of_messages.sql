set local check_function_bodies = off;

create or replace function private.apply_early_callbacks()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform private.lock_callbacks(new.provider_message_id);

  select
    coalesce((array_agg(e.status order by e.received_at desc))[1], new.status),
    coalesce(
      (array_agg(e.error_code order by e.received_at desc) filter (where e.error_code is not null))[1],
      new.error_code),
    coalesce(new.sent_at, min(e.received_at) filter (where e.status = 'sent')),
    coalesce(new.delivered_at, min(e.received_at) filter (where e.status = 'delivered')),
    coalesce(new.failed_at, min(e.received_at) filter (where e.status = 'failed'))
  into new.status, new.error_code, new.sent_at, new.delivered_at, new.failed_at
  from public.recruiting_message_events e
  where e.provider_message_id = new.provider_message_id and e.status is not null;

  return new;
end
$function$;

create or replace function private.lock_callbacks (
  provider_message_id text
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform pg_advisory_xact_lock_shared(private.message_lock(provider_message_id));
end
$function$;

create or replace function private.lock_message (
  provider_message_id text
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform pg_advisory_xact_lock(private.message_lock(provider_message_id));
end
$function$;

create or replace function private.message_lock (
  provider_message_id text
)
  returns bigint
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  return hashtextextended('recruiting message ' || (hashtextextended(provider_message_id, 0) & 255), 0);
end
$function$;

comment on function "private"."lock_callbacks"(text) is 'For a message: makes every other transaction that stores a callback of it wait until this one ends.';

comment on function "private"."lock_message"(text) is 'For a callback: makes every other transaction that stores its message or another callback of it wait until this one ends.';

comment on function "private"."message_lock"(text) is 'The advisory lock of this message and its callbacks. Others have it too: there are 256.';

revoke all on function "private"."lock_callbacks"(text) from public;

grant execute on function "private"."lock_callbacks"(text) to "postgres", "service_role";

revoke all on function "private"."message_lock"(text) from public;

grant execute on function "private"."message_lock"(text) to "postgres", "service_role";
