set local check_function_bodies = off;

create table "public"."service_numbers" (
  "phone" text not null,
  "agency_id" uuid not null,
  "messaging_service_sid" text,
  "segments_per_second" numeric not null default 1,
  "status" text not null default 'active'::text,
  "paused_reason" text,
  "busy_until" timestamp with time zone not null default '-infinity'::timestamp with time zone,
  "created_at" timestamp with time zone not null default now(),
  "updated_at" timestamp with time zone not null default now(),
  constraint "service_numbers_messaging_service_sid_check" check ((messaging_service_sid ~ '^MG[0-9a-f]{32}$'::text)),
  constraint "service_numbers_phone_check" check ((phone ~ '^(\+[1-9][0-9]{1,14}|[0-9]{5,6})$'::text)),
  constraint "service_numbers_pkey" primary key (phone),
  constraint "service_numbers_segments_per_second_check"
    check (((segments_per_second > (0)::numeric) AND (segments_per_second < 'Infinity'::numeric))),
  constraint "service_numbers_status_check" check ((status = ANY (ARRAY['active'::text, 'paused'::text])))
);

alter table "public"."service_numbers"
  enable row level security;

create table "public"."text_outbox" (
  "message_id" uuid not null,
  "kind" text not null,
  "state" text not null default 'pending'::text,
  "due_at" timestamp with time zone not null default now(),
  "attempt" integer not null default 0,
  "lease_until" timestamp with time zone,
  "reason" text,
  "client_message_id" uuid,
  "conversation_id" uuid not null,
  "service_phone" text not null,
  "segments" integer not null,
  "ordinal" bigint generated always as identity not null,
  "claim" integer not null default 0,
  "attempted_at" timestamp with time zone,
  "lookups" integer not null default 0,
  "resends" integer not null default 0,
  "created_at" timestamp with time zone not null default now(),
  "updated_at" timestamp with time zone not null default now(),
  constraint "text_outbox_attempt_check" check ((attempt >= 0)),
  constraint "text_outbox_conversation_id_client_message_id_key" unique (conversation_id, client_message_id),
  constraint "text_outbox_kind_check" check ((kind = ANY (ARRAY['agent'::text, 'bot'::text, 'greeting'::text]))),
  constraint "text_outbox_pkey" primary key (message_id),
  constraint "text_outbox_segments_check" check ((segments > 0)),
  constraint "text_outbox_state_check"
    check
    ((state = ANY (ARRAY['pending'::text, 'sending'::text, 'accepted'::text, 'unconfirmed'::text, 'refused'::text,
    'failed'::text])))
);

alter table "public"."text_outbox"
  enable row level security;

create or replace function private.clear_paused_reason()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  new.paused_reason := null;
  return new;
end
$function$;

create or replace function private.complete_outbox_text()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  select m.conversation_id, c.service_phone, case when m.media = '[]' then private.text_segments(m.body) else 1 end
  into new.conversation_id, new.service_phone, new.segments
  from public.recruiting_messages m
  join public.recruiting_conversations c on c.id = m.conversation_id
  where m.id = new.message_id and m.direction = 'outbound';
  if not found then
    raise exception 'message_id: there is no such outbound message' using errcode = 'foreign_key_violation';
  end if;
  return new;
end
$function$;

create or replace function private.forget_number_paused()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  update public.text_outbox o
  set reason = null
  where o.service_phone = new.phone and o.state = 'pending' and o.reason = 'number_paused';
  return null;
end
$function$;

create or replace function private.move_outbox_texts()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  update public.text_outbox o
  set service_phone = new.service_phone
  where o.conversation_id = new.id and o.state in ('pending', 'sending', 'unconfirmed');
  return null;
end
$function$;

create or replace function private.text_segments (
  body text
)
  returns integer
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  gsm constant text :=
    '[]\n\f\r !"#$%&''()*+,./0-9:;<=>?@A-Z[\\^_a-z{|}~¡£¤¥§¿ÄÅÆÉÑÖØÜßàäåæÇèéìñòöøùüΓΔΘΛΞΠΣΦΨΩ€-]';
  -- These need an escape character before them.
  gsm_extension constant text := '[]\f[\\^{|}~€]';
  -- What follows a character and stays with it: accents, variation selectors, skin tones, tags, and what is joined.
  -- Flags are pairs of letters of their own.
  character constant text :=
    '(?:[\U0001F1E6-\U0001F1FF]{2}|.)'
    '(?:[\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20F0\uFE00-\uFE0F\uFE20-\uFE2F\U0001F3FB-\U0001F3FF'
    '\U000E0020-\U000E007F]|\u200D.?)*';
  is_gsm constant boolean := coalesce(body, '') !~ ('[^' || substr(gsm, 2));
  -- Characters of 7 bits, or pairs of octets: of a text in one segment, and of each of several segments.
  single constant integer := case when is_gsm then 160 else 70 end;
  part constant integer := case when is_gsm then 153 else 67 end;
  wide constant text := case when is_gsm then gsm_extension else '[\U00010000-\U0010FFFF]' end;
  segments integer := 1;
  used integer := 0;
  unit text;
  size integer;
begin
  if length(body) + regexp_count(body, wide) <= single then
    return 1;
  end if;
  for unit in
    select m[1] from regexp_matches(body, case when is_gsm then '.' else character end, 'g') m
  loop
    size := length(unit) + regexp_count(unit, wide);
    if used + size > part then
      segments := segments + 1;
      used := 0;
    end if;
    used := used + size;
  end loop;
  return segments;
end
$function$;

alter table "public"."service_numbers"
  add constraint "service_numbers_agency_id_fkey" foreign key (agency_id) references public.agencies(id);

alter table "public"."text_outbox"
  add constraint "text_outbox_conversation_id_fkey" foreign key (conversation_id)
    references public.recruiting_conversations(id) on delete cascade;

alter table "public"."text_outbox"
  add constraint "text_outbox_message_id_fkey" foreign key (message_id) references public.recruiting_messages(id)
    on delete cascade;

create index service_numbers_agency_id_idx on public.service_numbers using btree (agency_id);

create index text_outbox_due_idx on public.text_outbox using btree (due_at)
  where (state = 'pending'::text);

create index text_outbox_open_idx on public.text_outbox using btree (conversation_id, ordinal)
  where (state = ANY (ARRAY['pending'::text, 'sending'::text, 'unconfirmed'::text]));

create index text_outbox_pending_idx on public.text_outbox
  using btree (service_phone, ((kind = 'agent'::text)), due_at, ordinal)
  where (state = 'pending'::text);

create index text_outbox_sending_idx on public.text_outbox using btree (lease_until)
  where (state = 'sending'::text);

create index text_outbox_unconfirmed_idx on public.text_outbox using btree (due_at)
  where (state = 'unconfirmed'::text);

create trigger move_outbox_texts
  after update of service_phone on public.recruiting_conversations
  for each row
  when ((new.service_phone IS DISTINCT FROM old.service_phone))
  execute function private.move_outbox_texts();

create trigger clear_paused_reason
  before insert or update on public.service_numbers
  for each row
  when (((new.status = 'active'::text) AND (new.paused_reason IS NOT NULL)))
  execute function private.clear_paused_reason();

create trigger forget_number_paused
  after update of status on public.service_numbers
  for each row
  when (((new.status = 'active'::text) AND (old.status <> 'active'::text)))
  execute function private.forget_number_paused();

create trigger set_updated_at
  before update on public.service_numbers
  for each row
  execute function private.set_updated_at();

create trigger complete_outbox_text
  before insert on public.text_outbox
  for each row
  execute function private.complete_outbox_text();

create trigger set_updated_at
  before update on public.text_outbox
  for each row
  execute function private.set_updated_at();

create policy "managers read their agency's numbers" on "public"."service_numbers"
  for select
  to "authenticated"
  using ((agency_id = ( select private.managed_agency_id() as managed_agency_id)));

create policy "readers of a conversation read what it waits to send" on "public"."text_outbox"
  for select
  to "authenticated"
  using ((exists ( select
   from public.recruiting_conversations c
  where (c.id = text_outbox.conversation_id))));

comment on column "public"."service_numbers"."busy_until" is 'When what has been claimed for this number is sent, at its rate. Set by claim_texts().';

comment on column "public"."service_numbers"."messaging_service_sid" is 'The SMS provider''s messaging service that the number is sent through; null: the number alone.';

comment on column "public"."service_numbers"."paused_reason" is 'Why it is paused, such as the provider''s error code; null while it is active.';

comment on column "public"."service_numbers"."phone" is 'E.164, or a short code of 5 or 6 digits.';

comment on column "public"."service_numbers"."segments_per_second" is 'How many segments the number may send in a second. A long text has several.';

comment on column "public"."service_numbers"."status" is 'A `paused` number takes texts and holds them.';

comment on column "public"."text_outbox"."attempt" is 'How often its request to the provider has begun.';

comment on column "public"."text_outbox"."attempted_at" is 'When the last request to the provider began.';

comment on column "public"."text_outbox"."claim" is 'Grows with each claim. A worker reports with the number of its claim, so that a late report changes nothing.';

comment on column "public"."text_outbox"."client_message_id" is 'Made by the agent''s page, so that one text that is sent twice is one text.';

comment on column "public"."text_outbox"."conversation_id" is 'The message''s conversation. A trigger fills in this column, service_phone and segments.';

comment on column "public"."text_outbox"."due_at" is 'pending: not sent before. unconfirmed: when the provider is asked for it; infinity: never again.';

comment on column "public"."text_outbox"."kind" is '`agent`: written by an agent. `bot` and `greeting`: sent by the service itself.';

comment on column "public"."text_outbox"."lease_until" is 'Until then it belongs to the worker that has claimed it. After that the worker is dead.';

comment on column "public"."text_outbox"."lookups" is 'How often the provider did not know it since the last request.';

comment on column "public"."text_outbox"."ordinal" is 'The order in which texts of a conversation are sent.';

comment on column "public"."text_outbox"."reason" is 'Why it waits or was not sent: `quiet_hours`, `number_paused`, `opted_out`, `no_response`, `worker_died`, `resend`, `unconfirmed`, or the provider''s error code.';

comment on column "public"."text_outbox"."resends" is 'How often it was sent again after the provider did not know it.';

comment on column "public"."text_outbox"."segments" is 'What it counts for the number''s rate.';

comment on column "public"."text_outbox"."service_phone" is 'The number of ours that it is sent from: the conversation''s.';

comment on function "private"."clear_paused_reason"() is 'Trigger: an active number has no paused_reason.';

comment on function "private"."complete_outbox_text"() is 'Trigger: fills in the conversation, the number and the segments of a text. One with media counts as one segment.';

comment on function "private"."forget_number_paused"() is 'Trigger: texts do not wait for a paused number any more once it is active.';

comment on function "private"."move_outbox_texts"() is 'Trigger: what waits in a conversation is sent from its new number.';

comment on function "private"."text_segments"(text) is 'The number of segments that the SMS provider sends and charges for this text; 1 for an empty one. As Twilio''s sms-segments-calculator counts, but for rare scripts, where it may be one less.';

comment on table "public"."service_numbers" is 'The numbers that texts are sent from, each with its agency. A text whose number is not here is never sent.';

comment on table "public"."text_outbox" is 'Outbound texts and how far each has come. Only what stands here is ever sent; 58_text_worker.sql has the states.';

revoke all on function "private"."clear_paused_reason"() from public;

grant execute on function "private"."clear_paused_reason"() to "postgres";

revoke all on function "private"."complete_outbox_text"() from public;

grant execute on function "private"."complete_outbox_text"() to "postgres";

revoke all on function "private"."forget_number_paused"() from public;

grant execute on function "private"."forget_number_paused"() to "postgres";

revoke all on function "private"."move_outbox_texts"() from public;

grant execute on function "private"."move_outbox_texts"() to "postgres";

revoke all on function "private"."text_segments"(text) from public;

grant execute on function "private"."text_segments"(text) to "postgres", "service_role";

grant select on table "public"."service_numbers" to "authenticated";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "public"."service_numbers"
  to "postgres";

grant delete, insert, select, update on table "public"."service_numbers" to "service_role";

grant select on table "public"."text_outbox" to "authenticated";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "public"."text_outbox"
  to "postgres";

grant delete, insert, select, update on table "public"."text_outbox" to "service_role";
