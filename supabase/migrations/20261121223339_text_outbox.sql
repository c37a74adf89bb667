set local check_function_bodies = off;

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

alter table "public"."text_outbox"
  add column "priority" smallint generated always as (
CASE kind
    when 'agent'::text THEN 0
    ELSE 1
end) stored not null;

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
  -- Whoever has locked a text is about to send or refuse it. And one statement may set many numbers to active, so to wait
  -- here could be to wait in a circle.
  with held as (
    select o.message_id
    from public.text_outbox o
    where o.service_phone = new.phone and o.state = 'pending' and o.reason = 'number_paused'
    for update skip locked
  )
  update public.text_outbox o
  set reason = null
  from held h
  where o.message_id = h.message_id;
  return null;
end
$function$;

create or replace function private.move_outbox_texts()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  with open_texts as (
    select o.message_id
    from public.text_outbox o
    where o.conversation_id = new.id and o.state in ('pending', 'sending', 'unconfirmed')
    order by o.ordinal
    for update
  )
  update public.text_outbox o
  set service_phone = new.service_phone
  from open_texts t
  where o.message_id = t.message_id;
  return null;
end
$function$;

create or replace function private.queue_text (
  conversation_id uuid,
  kind text,
  body text,
  media jsonb default '[]'::jsonb,
  client_message_id uuid default null::uuid
)
  returns public.text_outbox
  language plpgsql
  set search_path to ''
  AS $function$
declare
  conversation public.recruiting_conversations;
  opens_at timestamptz;
  new_message_id uuid;
  queued public.text_outbox;
begin
  -- One after another, so that a text with a lower ordinal never appears after a later one was sent.
  select c.* into conversation
  from public.recruiting_conversations c
  where c.id = queue_text.conversation_id
  for no key update;

  insert into public.recruiting_messages (conversation_id, direction, sender_type, body, media)
  values (
    queue_text.conversation_id, 'outbound', case queue_text.kind when 'agent' then 'agent' else 'bot' end,
    queue_text.body, queue_text.media
  )
  returning id into new_message_id;

  opens_at := (private.sending_hours(conversation, queue_text.kind)).opens_at;
  insert into public.text_outbox (message_id, kind, due_at, reason, client_message_id)
  values (
    new_message_id,
    queue_text.kind,
    opens_at,
    case
      when opens_at > now() then 'quiet_hours'
      when exists (
        select from public.service_numbers n where n.phone = conversation.service_phone and n.status = 'paused'
      ) then 'number_paused'
    end,
    queue_text.client_message_id
  )
  returning * into queued;
  return queued;
end
$function$;

create or replace function private.read_media (
  media jsonb,
  conversation_id uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  max_items constant integer := 10;
  files constant jsonb := coalesce(nullif(media, 'null'), '[]');
  item jsonb;
  path text;
  url text;
  content_type text;
  result jsonb := '[]';
begin
  if jsonb_typeof(files) <> 'array' then
    perform private.invalid_field('media', 'must be an array');
  elsif jsonb_array_length(files) > max_items then
    perform private.invalid_field('media', format('must have at most %s items', max_items));
  end if;
  for item in select i from jsonb_array_elements(files) with ordinality e (i, n) order by n loop
    path := format('media[%s]', jsonb_array_length(result));
    perform private.require_fields(item, path, array['url', 'content_type']);
    url := private.text_field(item, path, 'url', is_required => true);
    -- A name that an address could read as a way to another folder must not get to the worker, who may sign any file.
    if url !~ '^https://[^[:space:]/]+(/[^[:space:]]*)?$'
      and url !~ format('^text-media/%s/(?!\.+$)[-A-Za-z0-9!_.*''()&$@=;:+,]{1,200}$', conversation_id)
    then
      perform private.invalid_field(
        path || '.url',
        'must begin with https://, or be text-media/<conversation_id>/<name> with a name of A-Z, a-z, 0-9 and '
          '!-_.*''()&$@=;:+,');
    elsif length(url) > 2000 then
      perform private.invalid_field(path || '.url', 'must have at most 2000 characters');
    end if;
    content_type := private.text_field(item, path, 'content_type', is_required => true);
    if length(content_type) > 255 then
      perform private.invalid_field(path || '.content_type', 'must have at most 255 characters');
    end if;
    result := result || jsonb_build_object('url', url, 'content_type', content_type);
  end loop;
  return result;
end
$function$;

create or replace function private.release_replies (
  conversation_id uuid
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  with held as (
    select o.message_id
    from public.text_outbox o
    where o.conversation_id = release_replies.conversation_id
      and o.state = 'pending'
      and o.kind = 'agent'
      and o.reason = 'quiet_hours'
      and o.due_at > now()
    order by o.ordinal
    for update
  )
  update public.text_outbox o
  set due_at = now(), reason = null
  from held h
  where o.message_id = h.message_id;
end
$function$;

create or replace function private.sending_hours (
  conversation public.recruiting_conversations,
  kind text,
  OUT opens_at timestamp with time zone,
  OUT closes_at timestamp with time zone
)
  returns record
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  -- A minute is left for the request and the provider's queue.
  enough constant interval := '60 seconds';
  state constant text := (select l.state from public.recruiting_leads l where l.id = conversation.recruiting_lead_id);
begin
  if kind = 'agent' and conversation.last_message_at > now() - interval '12 hours' then
    opens_at := now();
    return;
  end if;
  select w.opens_at, w.closes_at into opens_at, closes_at
  from private.text_window(conversation.recruit_phone, state, now()) w;
  if opens_at <= now() and closes_at < now() + enough then
    select w.opens_at, w.closes_at into opens_at, closes_at
    from private.text_window(conversation.recruit_phone, state, closes_at) w;
  end if;
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
    '\U000E0020-\U000E007F]|\u200D[\u2600-\u27BF\U0001F300-\U0001FAFF]?)*';
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

create or replace function public.send_text (
  conversation_id uuid,
  body text,
  client_message_id uuid,
  media jsonb default '[]'::jsonb
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  max_length constant integer := 1600;
  caller constant public.agents := private.current_agent();
  files jsonb;
  conversation public.recruiting_conversations;
  queued public.text_outbox;
  is_duplicate boolean;
begin
  if caller.id is null then
    raise exception 'only an active agent may send a text' using errcode = 'insufficient_privilege';
  end if;
  files := private.read_media(media, conversation_id);
  if coalesce(body, '') !~ '[^[:space:]]' and files = '[]' then
    perform private.invalid_field('body', 'must not be empty');
  elsif length(body) > max_length then
    perform private.invalid_field('body', format('must have at most %s characters', max_length));
  elsif client_message_id is null then
    perform private.invalid_field('client_message_id', 'is required');
  end if;

  -- A repeated call waits here while the first one is still running.
  select c.* into conversation
  from public.recruiting_conversations c
  where c.id = send_text.conversation_id
    and c.agency_id = caller.agency_id
    and (
      caller.role = 'manager'
      or c.assigned_agent_id = caller.id
      or c.assigned_agent_id is null and exists (
        select from public.recruiting_leads l where l.id = c.recruiting_lead_id and l.agent_id = caller.id
      )
    )
  for no key update;
  if not found then
    raise exception 'conversation_id: there is no such conversation' using errcode = 'PT404';
  end if;

  select o.* into queued
  from public.text_outbox o
  where o.conversation_id = conversation.id and o.client_message_id = send_text.client_message_id;
  is_duplicate := found;

  if not is_duplicate then
    if not exists (
      select from public.service_numbers n
      where n.phone = conversation.service_phone and n.agency_id = conversation.agency_id
    ) then
      raise exception 'conversation_id: its number is not one of the agency''s service numbers' using errcode = 'PT409';
    elsif private.is_opted_out(conversation.agency_id, conversation.recruit_phone) then
      raise exception 'conversation_id: the recruit has opted out of texts from this agency' using errcode = 'PT403';
    end if;
    queued := private.queue_text(conversation.id, 'agent', body, files, client_message_id);
    update public.recruiting_conversations c
    set status = 'escalated', assigned_agent_id = caller.id
    where c.id = conversation.id and c.status = 'bot';
  end if;

  return jsonb_build_object(
    'message_id', queued.message_id,
    'status', case when is_duplicate then 'duplicate' when queued.reason is null then 'queued' else 'held' end,
    'due_at', queued.due_at,
    'segments', queued.segments
  );
end
$function$;

alter table "public"."text_outbox"
  add constraint "text_outbox_conversation_id_fkey" foreign key (conversation_id)
    references public.recruiting_conversations(id) on delete cascade;

alter table "public"."text_outbox"
  add constraint "text_outbox_message_id_fkey" foreign key (message_id) references public.recruiting_messages(id)
    on delete cascade;

create index text_outbox_due_idx on public.text_outbox using btree (due_at)
  where (state = 'pending'::text);

create index text_outbox_open_idx on public.text_outbox using btree (conversation_id, ordinal)
  where (state = ANY (ARRAY['pending'::text, 'sending'::text, 'unconfirmed'::text]));

create index text_outbox_pending_idx on public.text_outbox using btree (service_phone, priority, due_at, ordinal)
  where (state = 'pending'::text);

create index text_outbox_sending_idx on public.text_outbox using btree (lease_until)
  where (state = 'sending'::text);

create index text_outbox_unconfirmed_idx on public.text_outbox using btree (due_at, ordinal)
  where (state = 'unconfirmed'::text);

create trigger move_outbox_texts
  after update of service_phone on public.recruiting_conversations
  for each row
  when ((new.service_phone IS DISTINCT FROM old.service_phone))
  execute function private.move_outbox_texts();

create trigger forget_number_paused
  after update of status on public.service_numbers
  for each row
  when (((new.status = 'active'::text) AND (old.status <> 'active'::text)))
  execute function private.forget_number_paused();

create trigger complete_outbox_text
  before insert on public.text_outbox
  for each row
  execute function private.complete_outbox_text();

create trigger set_updated_at
  before update on public.text_outbox
  for each row
  execute function private.set_updated_at();

create policy "readers of a conversation read what it waits to send" on "public"."text_outbox"
  for select
  to "authenticated"
  using ((exists ( select
   from public.recruiting_conversations c
  where (c.id = text_outbox.conversation_id))));

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

comment on column "public"."text_outbox"."priority" is 'Of the due texts of a number the lowest is sent first: what an agent writes does not wait for a morning''s greetings.';

comment on column "public"."text_outbox"."reason" is 'Why it waits or was not sent: `quiet_hours`, `number_paused`, `opted_out`, `later`, `no_response`, `worker_died`, `resend`, `unconfirmed`, `storage`, `media_not_found`, or the provider''s error code or HTTP status.';

comment on column "public"."text_outbox"."resends" is 'How often it was sent again after the provider did not know it.';

comment on column "public"."text_outbox"."segments" is 'What it counts for the number''s rate.';

comment on column "public"."text_outbox"."service_phone" is 'The number of ours that it is sent from: the conversation''s.';

comment on function "private"."complete_outbox_text"() is 'Trigger: fills in the conversation, the number and the segments of a text. One with media counts as one segment.';

comment on function "private"."forget_number_paused"() is 'Trigger: texts do not wait for a paused number any more once it is active.';

comment on function "private"."move_outbox_texts"() is 'Trigger: what waits in a conversation is sent from its new number.';

comment on function "private"."queue_text"(uuid, text, text, jsonb, uuid) is 'Adds a text to a conversation, to be sent as soon as its hours, its number and the texts before it allow. kind: see text_outbox. media: [{url, content_type}]. Consent is checked when it is sent. 23503 or 23502 when there is no such conversation, 23505 when the conversation has the client_message_id already.';

comment on function "private"."read_media"(jsonb, uuid) is 'Reads and checks the media of a text: at most 10 of {url, content_type}. A url is https, or names an object of the conversation in the bucket text-media, by characters that stand for themselves in a URL.';

comment on function "private"."release_replies"(uuid) is 'Makes an agent''s texts that quiet hours hold due, because the recruit has just written.';

comment on function "private"."sending_hours"(public.recruiting_conversations, text) is 'From when a text of this kind may be sent to the recruit, now or later, and until when. closes_at is null for an agent''s reply within 12 hours of the recruit''s own text, which may be sent at any hour.';

comment on function "private"."text_segments"(text) is 'The number of segments that the SMS provider sends and charges for this text; 1 for an empty one. As Twilio''s sms-segments-calculator counts; it may differ by one where accents of rare scripts lie between two segments.';

comment on function "public"."send_text"(uuid, text, uuid, jsonb) is 'Queues a text of the signed-in agent, who must be the conversation''s assigned agent, without one the agent of its lead, or a manager of its agency. body: at most 1,600 characters; may be empty with media, at most 10 of {url, content_type}. A `bot` conversation is taken over: it becomes escalated, and the sender''s. Returns {message_id, status: queued|held|duplicate, due_at, segments}: held by quiet hours or a paused number; duplicate for a client_message_id that the conversation has, with the values of the first call. Errors: 22023 (HTTP 400) names the field; 42501 (403) when the caller is no active agent; PT404 for an unknown conversation or another agent''s; PT403 when the recruit has opted out; PT409 when the conversation''s number is not one of the agency''s.';

comment on table "public"."text_outbox" is 'Outbound texts and how far each has come. Only what stands here is ever sent; texting/worker.sql has the states.';

revoke all on function "private"."complete_outbox_text"() from public;

grant execute on function "private"."complete_outbox_text"() to "postgres";

revoke all on function "private"."forget_number_paused"() from public;

grant execute on function "private"."forget_number_paused"() to "postgres";

revoke all on function "private"."move_outbox_texts"() from public;

grant execute on function "private"."move_outbox_texts"() to "postgres";

revoke all on function "private"."queue_text"(uuid, text, text, jsonb, uuid) from public;

grant execute on function "private"."queue_text"(uuid, text, text, jsonb, uuid) to "postgres", "service_role";

revoke all on function "private"."read_media"(jsonb, uuid) from public;

grant execute on function "private"."read_media"(jsonb, uuid) to "postgres";

revoke all on function "private"."release_replies"(uuid) from public;

grant execute on function "private"."release_replies"(uuid) to "postgres", "service_role";

revoke all on function "private"."sending_hours"(public.recruiting_conversations, text) from public;

grant execute on function "private"."sending_hours"(public.recruiting_conversations, text) to "postgres", "service_role";

revoke all on function "private"."text_segments"(text) from public;

grant execute on function "private"."text_segments"(text) to "postgres", "service_role";

revoke all on function "public"."send_text"(uuid, text, uuid, jsonb) from public;

grant execute on function "public"."send_text"(uuid, text, uuid, jsonb) to "authenticated", "postgres";

grant select on table "public"."text_outbox" to "authenticated";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "public"."text_outbox"
  to "postgres";

grant delete, insert, select, update on table "public"."text_outbox" to "service_role";
