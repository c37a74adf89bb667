set local check_function_bodies = off;

alter table "public"."recruiting_conversations"
  drop constraint "recruiting_conversations_recruit_phone_check";

alter table "public"."recruiting_conversations"
  drop constraint "recruiting_conversations_service_phone_check";

create table "public"."recruiting_lead_duplicates" (
  "id" uuid not null default gen_random_uuid(),
  "lead_id" uuid not null,
  "vendor_id" uuid not null,
  "request_id" text,
  "received_at" timestamp with time zone not null default clock_timestamp(),
  constraint "recruiting_lead_duplicates_pkey" primary key (id)
);

alter table "public"."recruiting_lead_duplicates"
  enable row level security;

create table "public"."rejected_deliveries" (
  "id" uuid not null default gen_random_uuid(),
  "request_id" text not null,
  "route" text not null,
  "vendor_id" uuid,
  "vendor_lead_id" text,
  "row" integer,
  "code" text not null,
  "reason" text not null,
  "payload" jsonb,
  "payload_text" text,
  "payload_bytes" integer not null,
  "context" jsonb not null default '{}'::jsonb,
  "status" text not null default 'open'::text,
  "lead_id" uuid,
  "received_at" timestamp with time zone not null default clock_timestamp(),
  "resolved_at" timestamp with time zone,
  constraint "rejected_deliveries_check" check (((status <> 'replayed'::text) OR (lead_id IS NOT NULL))),
  constraint "rejected_deliveries_context_check" check ((jsonb_typeof(context) = 'object'::text)),
  constraint "rejected_deliveries_payload_bytes_check" check ((payload_bytes >= 0)),
  constraint "rejected_deliveries_pkey" primary key (id),
  constraint "rejected_deliveries_row_check" check (("row" >= 0)),
  constraint "rejected_deliveries_status_check"
    check ((status = ANY (ARRAY['open'::text, 'replayed'::text, 'dismissed'::text]))),
  constraint "rejected_deliveries_vendor_lead_id_check" check ((length(vendor_lead_id) <= 512))
);

alter table "public"."rejected_deliveries"
  enable row level security;

create table "public"."unmatched_texts" (
  "id" uuid not null default gen_random_uuid(),
  "message_sid" text,
  "recruit_phone" text,
  "service_phone" text,
  "body" text,
  "media" jsonb not null default '[]'::jsonb,
  "received_at" timestamp with time zone not null default clock_timestamp(),
  constraint "unmatched_texts_media_check" check ((jsonb_typeof(media) = 'array'::text)),
  constraint "unmatched_texts_message_sid_check" check ((length(message_sid) <= 512)),
  constraint "unmatched_texts_message_sid_key" unique (message_sid),
  constraint "unmatched_texts_pkey" primary key (id)
);

alter table "public"."unmatched_texts"
  enable row level security;

alter table "public"."recruiting_leads"
  add column "request_id" text;

alter table "public"."recruiting_leads"
  add column "received_via" text;

create or replace function private.conversation_of (
  recruit_phone text,
  service_phone text
)
  returns uuid
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return (
    select c.id
    from public.recruiting_conversations c
    where c.recruit_phone = conversation_of.recruit_phone and c.service_phone = conversation_of.service_phone
  );
end
$function$;

create or replace function private.delete_oldest_rejections (
  vendor_id uuid
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  most constant integer := 10000;
begin
  -- Otherwise two transactions at once would each leave room for their own rows only.
  perform pg_advisory_xact_lock(hashtextextended('rejected deliveries of ' || coalesce(vendor_id::text, 'imports'), 0));

  delete from public.rejected_deliveries d
  where d.id in (
    select old.id
    from public.rejected_deliveries old
    where old.status = 'open'
      and old.id in (
        select o.id
        -- One half is always empty. Written with `or` or `is not distinct from`, it would not use the index.
        from (
          select v.id, v.received_at
          from public.rejected_deliveries v
          where v.status = 'open' and v.vendor_id = delete_oldest_rejections.vendor_id
          union all
          select i.id, i.received_at
          from public.rejected_deliveries i
          where i.status = 'open' and i.vendor_id is null and delete_oldest_rejections.vendor_id is null
        ) o
        order by o.received_at desc, o.id desc
        offset most
      )
    -- An operator may be replaying one of them.
    for update skip locked
  );
end
$function$;

create or replace function private.distribution_lock()
  returns bigint
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  return hashtextextended('recruiting lead distribution', 0);
end
$function$;

create or replace function private.lock_conversation (
  recruit_phone text,
  service_phone text
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform pg_advisory_xact_lock(
    hashtextextended(format('recruiting conversation %s %s', recruit_phone, service_phone), 0));
end
$function$;

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

create or replace function private.replay_recruiting_lead (
  delivery public.rejected_deliveries,
  lead jsonb
)
  returns uuid
  language plpgsql
  set search_path to ''
  AS $function$
declare
  indexed_id constant text := private.indexable_id(lead ->> 'vendor_lead_id');
  is_test constant boolean := lead #> '{vendor_metadata,is_test}' is not distinct from 'true';
  stored public.recruiting_leads;
  existing_id uuid;
begin
  loop
    -- Also for a lead that could not be stored: the vendor may have sent it again in a better form.
    select l.id into existing_id
    from public.recruiting_leads l
    where l.vendor_id = delivery.vendor_id and l.vendor_lead_id = indexed_id;
    if found then
      return existing_id;
    end if;

    perform private.require_recruiting_lead(lead);
    insert into public.recruiting_leads (
      id, vendor_id, vendor_lead_id, first_name, vendor_metadata, distribution, request_id, received_via
    )
    values (
      delivery.id, delivery.vendor_id, indexed_id, lead ->> 'first_name',
      coalesce(nullif(lead -> 'vendor_metadata', 'null'), '{}'),
      case when is_test then 'not_requested' else 'unmatched' end, delivery.request_id, 'replay'
    )
    on conflict on constraint recruiting_leads_vendor_id_vendor_lead_id_key do nothing
    returning * into stored;
    if found then
      if not is_test then
        perform private.distribute_new_lead(stored);
      end if;
      return stored.id;
    end if;
  end loop;
end
$function$;

create or replace function private.replayed (
  delivery public.rejected_deliveries
)
  returns jsonb
  language plpgsql
  stable
  set search_path to ''
  AS $function$
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
$function$;

create or replace function private.set_resolved_at()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  new.resolved_at := case when new.status <> 'open' then coalesce(new.resolved_at, now()) end;
  return new;
end
$function$;

create or replace function private.take_distribution_lock()
  returns boolean
  language plpgsql
  set search_path to ''
  AS $function$
declare
  key constant bigint := private.distribution_lock();
begin
  if pg_try_advisory_xact_lock(key) then
    return true;
  end if;

  -- Whoever waits keeps a connection of the pool, which texts and activities need too. So only three may wait, each with
  -- a lock on its place, and not longer than the lock_timeout.
  for place in 1..3 loop
    if pg_try_advisory_xact_lock(key + place) then
      begin
        perform pg_advisory_xact_lock(key);
        return true;
      exception when lock_not_available then
        return false;
      end;
    end if;
  end loop;
  return false;
end
$function$;

create or replace function private.take_over_texts()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform private.lock_conversation(new.recruit_phone, new.service_phone);

  with texts as (
    delete from public.unmatched_texts t
    where t.recruit_phone = new.recruit_phone and t.service_phone = new.service_phone
    returning t.*
  ), messages as (
    insert into public.recruiting_messages (
      id, conversation_id, direction, sender_type, provider_message_id, body, media, created_at
    )
    select t.id, new.id, 'inbound', 'recruit', t.message_sid, t.body, t.media, t.received_at
    from texts t
    order by t.received_at
    on conflict do nothing
    returning created_at
  ), latest as (
    select max(m.created_at) as created_at from messages m
  )
  update public.recruiting_conversations c
  set last_message_at = greatest(c.last_message_at, l.created_at)
  from latest l
  where c.id = new.id and l.created_at is not null;
  return null;
end
$function$;

create or replace function public.distribute_waiting_leads (
  max integer,
  vendor_id uuid default null::uuid
)
  returns integer
  language plpgsql
  set search_path to ''
  set statement_timeout to '60s'
  set lock_timeout to '5s'
  AS $function$
declare
  handed_out integer := 0;
  waiting record;
  lead public.recruiting_leads;
  -- Vendors and states that no order wants any more, or whose orders are locked.
  passed_over text[] := '{}';
begin
  if max is null or max < 1 then
    raise exception 'max: must be 1 or more' using errcode = 'PT400';
  end if;
  perform pg_advisory_xact_lock(private.distribution_lock());

  for waiting in
    with wanted as materialized (
      select k.vendor_id, k.state
      from (
        select distinct l.vendor_id, l.state
        from public.recruiting_leads l
        where l.distribution in ('unmatched', 'pending')
          and (distribute_waiting_leads.vendor_id is null or l.vendor_id = distribute_waiting_leads.vendor_id)
      ) k
      where exists (select from private.match_recruiting_order(k.vendor_id, k.state, clock_timestamp()))
    )
    select l.id, l.vendor_id || coalesce(l.state, '') as kind
    from public.recruiting_leads l
    join wanted w on w.vendor_id = l.vendor_id and w.state is not distinct from l.state
    where l.distribution in ('unmatched', 'pending')
    order by l.created_at, l.id
  loop
    exit when handed_out = max;
    continue when waiting.kind = any (passed_over);

    -- An operator may have locked, changed or deleted the lead.
    select * into lead
    from public.recruiting_leads l
    where l.id = waiting.id and l.distribution in ('unmatched', 'pending')
    for no key update skip locked;
    continue when not found;

    lead := private.distribute_lead(lead);
    if lead.distribution = 'distributed' then
      handed_out := handed_out + 1;
    else
      passed_over := passed_over || waiting.kind;
    end if;
  end loop;
  return handed_out;
end
$function$;

create or replace function public.prune_deliveries (
  older_than interval
)
  returns integer
  language plpgsql
  set search_path to ''
  set statement_timeout to '60s'
  AS $function$
declare
  deleted integer;
begin
  if older_than is null or older_than < interval '0' then
    raise exception 'older_than: must be an interval from 0 on' using errcode = 'PT400';
  end if;

  delete from public.rejected_deliveries d where d.received_at < now() - older_than;
  get diagnostics deleted = row_count;
  return deleted;
end
$function$;

create or replace function public.receive_sms (
  recruit_phone text,
  service_phone text,
  message_sid text,
  body text,
  media jsonb,
  message_id uuid default gen_random_uuid()
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  conversation_id uuid := private.conversation_of(recruit_phone, service_phone);
  sid constant text := private.indexable_id(message_sid);
  files constant jsonb := coalesce(nullif(media, 'null'), '[]');
begin
  if conversation_id is null then
    perform private.lock_conversation(recruit_phone, service_phone);
    conversation_id := private.conversation_of(recruit_phone, service_phone);
  end if;

  if conversation_id is null then
    insert into public.unmatched_texts (id, message_sid, recruit_phone, service_phone, body, media)
    select message_id, sid, receive_sms.recruit_phone, receive_sms.service_phone, receive_sms.body, files
    -- The message may have been stored in a conversation whose numbers were changed since.
    where not exists (
      select from public.recruiting_messages m where m.provider_message_id = sid or m.id = message_id
    )
    on conflict do nothing;
    return jsonb_build_object('status', 'no_conversation');
  end if;

  insert into public.recruiting_messages (
    id, conversation_id, direction, sender_type, provider_message_id, body, media
  )
  values (message_id, conversation_id, 'inbound', 'recruit', sid, receive_sms.body, files)
  on conflict do nothing;

  if found then
    update public.recruiting_conversations c set last_message_at = now() where c.id = conversation_id;
  end if;
  return jsonb_build_object('status', 'received');
end
$function$;

create or replace function public.record_rejections (
  rejections json
)
  returns integer
  language plpgsql
  set search_path to ''
  set statement_timeout to '2s'
  set lock_timeout to '100ms'
  AS $function$
declare
  recorded integer;
  sender_id uuid;
begin
  -- Somebody who has locked the journal must not hold up connections that leads and texts need.
  lock table public.rejected_deliveries in row exclusive mode nowait;

  insert into public.rejected_deliveries (
    request_id, route, vendor_id, vendor_lead_id, row, code, reason, payload, payload_text, payload_bytes, context
  )
  select
    r.request_id, r.route, r.vendor_id, private.indexable_id(r.vendor_lead_id), r.row, r.code, r.reason, r.payload,
    r.payload_text, r.payload_bytes, coalesce(r.context, '{}')
  from json_to_recordset(rejections) as r (
    request_id text, route text, vendor_id uuid, vendor_lead_id text, "row" integer, code text, reason text,
    payload jsonb, payload_text text, payload_bytes integer, context jsonb
  );
  get diagnostics recorded = row_count;

  for sender_id in
    select distinct r.vendor_id from json_to_recordset(rejections) as r (vendor_id uuid) order by r.vendor_id
  loop
    perform private.delete_oldest_rejections(sender_id);
  end loop;
  return recorded;
end
$function$;

create or replace function public.replay_delivery (
  delivery_id uuid,
  lead jsonb
)
  returns jsonb
  language plpgsql
  set search_path to ''
  set statement_timeout to '20s'
  set lock_timeout to '5s'
  AS $function$
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
$function$;

alter table "public"."recruiting_conversations"
  add constraint "recruiting_conversations_recruit_phone_check" check ((recruit_phone ~ '^\+[1-9][0-9]{1,14}$'::text));

alter table "public"."recruiting_conversations"
  add constraint "recruiting_conversations_service_phone_check"
    check ((service_phone ~ '^(\+[1-9][0-9]{1,14}|[0-9]{5,6})$'::text));

alter table "public"."recruiting_lead_duplicates"
  add constraint "recruiting_lead_duplicates_lead_id_fkey" foreign key (lead_id) references public.recruiting_leads(id)
    on delete cascade;

alter table "public"."recruiting_lead_duplicates"
  add constraint "recruiting_lead_duplicates_vendor_id_fkey" foreign key (vendor_id) references public.vendors(id);

alter table "public"."recruiting_leads"
  add constraint "recruiting_leads_received_via_check"
    check ((received_via = ANY (ARRAY['single'::text, 'bulk'::text, 'webhook'::text, 'replay'::text])));

alter table "public"."rejected_deliveries"
  add constraint "rejected_deliveries_vendor_id_fkey" foreign key (vendor_id) references public.vendors(id)
    on delete cascade;

create index recruiting_lead_duplicates_lead_id_received_at_idx on public.recruiting_lead_duplicates
  using btree (lead_id, received_at);

create index recruiting_lead_duplicates_vendor_id_received_at_idx on public.recruiting_lead_duplicates
  using btree (vendor_id, received_at);

create index recruiting_leads_waiting_idx on public.recruiting_leads using btree (created_at, id)
  where (distribution = ANY (ARRAY['unmatched'::text, 'pending'::text]));

create index rejected_deliveries_lead_id_idx on public.rejected_deliveries using btree (lead_id)
  where (lead_id is not null);

create index rejected_deliveries_open_idx on public.rejected_deliveries using btree (vendor_id, received_at, id)
  where (status = 'open'::text);

create index rejected_deliveries_received_at_idx on public.rejected_deliveries using btree (received_at);

create index rejected_deliveries_vendor_id_received_at_idx on public.rejected_deliveries
  using btree (vendor_id, received_at);

create index rejected_deliveries_vendor_lead_id_idx on public.rejected_deliveries using btree (vendor_lead_id)
  where (vendor_lead_id is not null);

create index unmatched_texts_received_at_idx on public.unmatched_texts using btree (received_at);

create index unmatched_texts_recruit_phone_idx on public.unmatched_texts using hash (recruit_phone);

create trigger take_over_texts_of_changed_numbers
  after update of recruit_phone, service_phone on public.recruiting_conversations
  for each row
  when
    (((new.recruit_phone IS DISTINCT FROM old.recruit_phone) OR (new.service_phone IS DISTINCT FROM old.service_phone)))
  execute function private.take_over_texts();

create trigger take_over_texts
  after insert on public.recruiting_conversations
  for each row
  execute function private.take_over_texts();

create trigger set_resolved_at
  before insert or update of status, resolved_at on public.rejected_deliveries
  for each row
  execute function private.set_resolved_at();

comment on column "public"."recruiting_conversations"."recruit_phone" is 'The recruit''s number, as the SMS provider writes it in From: E.164 (ITU-T).';

comment on column "public"."recruiting_conversations"."service_phone" is 'Our number, as the SMS provider writes it in To: E.164, or a short code of 5 or 6 digits. A text to a messaging service also has a number there.';

comment on column "public"."recruiting_lead_duplicates"."lead_id" is 'The stored lead.';

comment on column "public"."recruiting_lead_duplicates"."request_id" is 'The x-request-id of the request that sent it again.';

comment on column "public"."recruiting_leads"."received_via" is 'How the lead came: `single`, `bulk`, `webhook`, or by `replay` of a rejected delivery; null when entered by hand.';

comment on column "public"."recruiting_leads"."request_id" is 'The x-request-id of the request that brought the lead; null for a lead entered by hand.';

comment on column "public"."rejected_deliveries"."code" is 'The response''s error code. Of a row in bulk: BAD_REQUEST or DATABASE_ERROR; of a row of an import: INVALID or DATABASE_ERROR.';

comment on column "public"."rejected_deliveries"."context" is 'What a replay needs besides the lead. For a row of an import: {agency_id, agent_id, distribution_id|null}.';

comment on column "public"."rejected_deliveries"."lead_id" is 'The lead that the delivery became, or that had come meanwhile: in recruiting_leads, or in leads for an import. No foreign key, because it may be in either table.';

comment on column "public"."rejected_deliveries"."payload" is 'The body, or the row, as sent, so that a replay can parse it. Each file is replaced by {type, bytes}; secrets are left out. Null when it is no JSON or larger than 256 KiB without its files.';

comment on column "public"."rejected_deliveries"."payload_bytes" is 'Size as received, in bytes, with its files.';

comment on column "public"."rejected_deliveries"."payload_text" is 'The beginning, at most 256 KiB, of what is not in payload.';

comment on column "public"."rejected_deliveries"."reason" is 'The message of the response.';

comment on column "public"."rejected_deliveries"."resolved_at" is 'When it was replayed or dismissed. A trigger sets it with the status.';

comment on column "public"."rejected_deliveries"."route" is 'Path of the route, e.g. `/recruiting/ingest`.';

comment on column "public"."rejected_deliveries"."row" is 'Zero-based index of the row in a batch; null: the whole request was refused.';

comment on column "public"."rejected_deliveries"."status" is '`open`: to be looked at; `replayed`: its lead is stored, see lead_id; `dismissed`: an operator needs no lead of it.';

comment on column "public"."rejected_deliveries"."vendor_id" is 'The recruiting vendor; null: an import of sales leads.';

comment on column "public"."rejected_deliveries"."vendor_lead_id" is 'The sender''s own id of the lead (external_id for an import), where it could be read.';

comment on column "public"."unmatched_texts"."body" is 'Exactly as sent; null or empty when the text has only media.';

comment on column "public"."unmatched_texts"."media" is 'Array of {url, content_type}.';

comment on column "public"."unmatched_texts"."message_sid" is 'The SMS provider''s MessageSid; null when there was none.';

comment on column "public"."unmatched_texts"."recruit_phone" is 'From, as received; null when there was none.';

comment on column "public"."unmatched_texts"."service_phone" is 'To, as received; null when there was none.';

comment on function "private"."conversation_of"(text, text) is 'The conversation of these two numbers, or null.';

comment on function "private"."delete_oldest_rejections"(uuid) is 'Leaves the 10,000 newest open deliveries of a vendor; null: of all imports. So a vendor that sends a million wrong rows does not fill the disk.';

comment on function "private"."distribution_lock"() is 'The key of the advisory lock that whoever hands leads out holds.';

comment on function "private"."lock_conversation"(text, text) is 'Makes every other transaction that makes the conversation of these numbers, or finds that there is none, wait until this one ends.';

comment on function "private"."replay_imported_lead"(public.rejected_deliveries, jsonb) is 'Stores the sales lead of a delivery under the delivery''s id, for the agency and agent of its context. Returns its id, or the id of the lead that has this external_id.';

comment on function "private"."replay_recruiting_lead"(public.rejected_deliveries, jsonb) is 'Stores the lead of a delivery under the delivery''s id and distributes it as ingest_recruiting_lead() does. Returns its id, or the id of the lead that has this vendor_lead_id.';

comment on function "private"."replayed"(public.rejected_deliveries) is 'What replay_delivery() returns for a delivery that has been replayed.';

comment on function "private"."set_resolved_at"() is 'Trigger: a delivery has a resolved_at as long as it is replayed or dismissed.';

comment on function "private"."take_over_texts"() is 'Trigger: the unmatched texts of a new conversation become its inbound messages, with the time they were received at.';

comment on function "public"."distribute_waiting_leads"(integer, uuid) is 'Hands out leads that came when no order wanted them (unmatched), and pending ones: oldest first, at most max, of one vendor or of all. Returns how many; 0 when nothing that waits is wanted. For an order that was opened late. Holds the distribution lock, so that other leads wait meanwhile: call it with max of about 100 until it returns 0. 55P03 when others keep the lock for more than 5 s, PT400 for a max below 1.';

comment on function "public"."prune_deliveries"(interval) is 'Deletes the deliveries that were received longer ago than this, open ones too, and returns how many. PT400 for a negative interval.';

comment on function "public"."receive_sms"(text, text, text, text, jsonb, uuid) is 'Stores an inbound message in the conversation of these two numbers, once for each MessageSid and once for each message_id, which the caller makes so that it may repeat the call. media: [{url, content_type}]. Returns {status: received}, also when it was stored before. Without a conversation it stores the text in unmatched_texts in the same way, and returns {status: no_conversation}.';

comment on function "public"."record_rejections"(json) is 'Writes deliveries to the journal and returns how many. rejections: [{request_id, route, vendor_id|null, vendor_lead_id|null, row|null, code, reason, payload|null, payload_text|null, payload_bytes, context|null}], at most about 500. Keeps at most 10,000 open ones of a vendor; all imports count as one. 55P03 at once, or within 100 ms, when somebody has locked the journal.';

comment on function "public"."replay_delivery"(uuid, jsonb) is 'Stores the lead of a rejected delivery, once however often it is called, and sets the delivery to replayed. lead, for a recruiting vendor: {first_name, vendor_lead_id|null, vendor_metadata} as the vendor''s parser returns it; it is distributed as by POST /recruiting/ingest. For an import: the lead object, with phone_e164 where it can be read. Returns the result of ingest_recruiting_lead(): {id, status: created, distributed_to: {agency_id, agent_id|null}|null}, or {id, status: duplicate} with the lead that had come meanwhile. For an import there is no distributed_to. A repeated call returns the same. PT404 for an unknown delivery, PT409 for a dismissed one. A lead that cannot be stored is an error (PT400, or that of the constraint), and the delivery stays open.';

comment on table "public"."recruiting_lead_duplicates" is 'One row each time a vendor sent a lead again that was stored already, with the same vendor_lead_id.';

comment on table "public"."rejected_deliveries" is 'Deliveries of leads, and rows of batches, that were refused after their sender was authenticated. They can be replayed.';

comment on table "public"."unmatched_texts" is 'Inbound texts that were answered `no_conversation`. When the conversation of their two numbers is made, they become its messages and are removed here.';

revoke all on function "private"."conversation_of"(text, text) from public;

grant execute on function "private"."conversation_of"(text, text) to "postgres", "service_role";

revoke all on function "private"."delete_oldest_rejections"(uuid) from public;

grant execute on function "private"."delete_oldest_rejections"(uuid) to "postgres", "service_role";

revoke all on function "private"."distribution_lock"() from public;

grant execute on function "private"."distribution_lock"() to "postgres", "service_role";

revoke all on function "private"."lock_conversation"(text, text) from public;

grant execute on function "private"."lock_conversation"(text, text) to "postgres", "service_role";

revoke all on function "private"."replay_imported_lead"(public.rejected_deliveries, jsonb) from public;

grant execute
  on function "private"."replay_imported_lead"(public.rejected_deliveries, jsonb)
  to "postgres", "service_role";

revoke all on function "private"."replay_recruiting_lead"(public.rejected_deliveries, jsonb) from public;

grant execute
  on function "private"."replay_recruiting_lead"(public.rejected_deliveries, jsonb)
  to "postgres", "service_role";

revoke all on function "private"."replayed"(public.rejected_deliveries) from public;

grant execute on function "private"."replayed"(public.rejected_deliveries) to "postgres", "service_role";

revoke all on function "private"."set_resolved_at"() from public;

grant execute on function "private"."set_resolved_at"() to "postgres";

revoke all on function "private"."take_over_texts"() from public;

grant execute on function "private"."take_over_texts"() to "postgres";

revoke all on function "public"."distribute_waiting_leads"(integer, uuid) from public;

grant execute on function "public"."distribute_waiting_leads"(integer, uuid) to "postgres", "service_role";

revoke all on function "public"."prune_deliveries"(interval) from public;

grant execute on function "public"."prune_deliveries"(interval) to "postgres", "service_role";

revoke all on function "public"."record_rejections"(json) from public;

grant execute on function "public"."record_rejections"(json) to "postgres", "service_role";

revoke all on function "public"."replay_delivery"(uuid, jsonb) from public;

grant execute on function "public"."replay_delivery"(uuid, jsonb) to "postgres", "service_role";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "public"."recruiting_lead_duplicates"
  to "postgres";

grant delete, insert, select, update on table "public"."recruiting_lead_duplicates" to "service_role";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "public"."rejected_deliveries"
  to "postgres";

grant delete, insert, select, update on table "public"."rejected_deliveries" to "service_role";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "public"."unmatched_texts"
  to "postgres";

grant delete, insert, select, update on table "public"."unmatched_texts" to "service_role";

-- Every night where the project has pg_cron. A project without it uses `npm run admin -- delivery prune`.
do $$
begin
  if exists (select from pg_available_extensions e where e.name = 'pg_cron') then
    create extension if not exists pg_cron with schema pg_catalog;
    perform cron.schedule(
      'prune rejected deliveries', '17 3 * * *', $job$select public.prune_deliveries('30 days')$job$);
  end if;
exception when others then
  -- pg_cron works in one database of a server only. Deliveries that stay longer are no reason to stop a deployment.
  raise warning 'rejected deliveries are not pruned by pg_cron: %', sqlerrm;
end
$$;
