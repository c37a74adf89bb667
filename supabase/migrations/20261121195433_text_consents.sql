set local check_function_bodies = off;

create table "public"."agent_notifications" (
  "id" uuid not null default gen_random_uuid(),
  "agent_id" uuid not null,
  "conversation_id" uuid not null,
  "message_id" uuid not null,
  "kind" text not null,
  "created_at" timestamp with time zone not null default now(),
  "read_at" timestamp with time zone,
  constraint "agent_notifications_kind_check"
    check ((kind = ANY (ARRAY['text'::text, 'opt_out'::text, 'failed'::text]))),
  constraint "agent_notifications_message_id_kind_key" unique (message_id, kind),
  constraint "agent_notifications_pkey" primary key (id)
);

alter table "public"."agent_notifications"
  enable row level security;

create table "public"."text_consent_events" (
  "id" uuid not null default gen_random_uuid(),
  "agency_id" uuid not null,
  "phone" text not null,
  "state" text not null,
  "source" text not null,
  "words" text,
  "message_id" uuid,
  "agent_id" uuid,
  "reason" text,
  "occurred_at" timestamp with time zone not null,
  "created_at" timestamp with time zone not null default clock_timestamp(),
  constraint "text_consent_events_agency_id_message_id_key" unique (agency_id, message_id),
  constraint "text_consent_events_check1" check (((source = 'manager'::text) = (agent_id IS NOT NULL))),
  constraint "text_consent_events_check" check (((source <> ALL (ARRAY['manager'::text, 'admin'::text])) OR (reason IS
    NOT NULL))),
  constraint "text_consent_events_phone_check" check ((phone ~ '^\+[1-9][0-9]{1,14}$'::text)),
  constraint "text_consent_events_pkey" primary key (id),
  constraint "text_consent_events_reason_check" check ((btrim(reason) <> ''::text)),
  constraint "text_consent_events_source_check"
    check ((source = ANY (ARRAY['keyword'::text, 'wording'::text, 'provider'::text, 'manager'::text, 'admin'::text]))),
  constraint "text_consent_events_state_check" check ((state = ANY (ARRAY['opted_in'::text, 'opted_out'::text])))
);

alter table "public"."text_consent_events"
  enable row level security;

create table "public"."text_consents" (
  "agency_id" uuid not null,
  "phone" text not null,
  "state" text not null,
  "source" text not null,
  "changed_at" timestamp with time zone not null default clock_timestamp(),
  "created_at" timestamp with time zone not null default now(),
  constraint "text_consents_phone_check" check ((phone ~ '^\+[1-9][0-9]{1,14}$'::text)),
  constraint "text_consents_pkey" primary key (agency_id, phone),
  constraint "text_consents_state_check" check ((state = ANY (ARRAY['opted_in'::text, 'opted_out'::text])))
);

alter table "public"."text_consents"
  enable row level security;

create or replace function private.consent_lock (
  agency_id uuid,
  phone text
)
  returns bigint
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  return hashtextextended('text consent', 0) + (hashtextextended(format('%s %s', agency_id, phone), 0) & 1023);
end
$function$;

create or replace function private.is_opted_out (
  agency_id uuid,
  phone text
)
  returns boolean
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return exists (
    select
    from public.text_consents c
    where c.agency_id = is_opted_out.agency_id and c.phone = is_opted_out.phone and c.state = 'opted_out'
  );
end
$function$;

create or replace function private.lock_consent (
  agency_id uuid,
  phone text
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform pg_advisory_xact_lock(private.consent_lock(agency_id, phone));
end
$function$;

create or replace function private.notify_agent (
  conversation_id uuid,
  message_id uuid,
  kind text
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  insert into public.agent_notifications (agent_id, conversation_id, message_id, kind)
  select c.assigned_agent_id, c.id, notify_agent.message_id, notify_agent.kind
  from public.recruiting_conversations c
  where c.id = notify_agent.conversation_id and c.status = 'escalated'
  on conflict on constraint agent_notifications_message_id_kind_key do nothing;
end
$function$;

create or replace function private.record_consent (
  agency_id uuid,
  phone text,
  state text,
  source text,
  words text default null::text,
  message_id uuid default null::uuid,
  agent_id uuid default null::uuid,
  reason text default null::text,
  occurred_at timestamp with time zone default null::timestamp with time zone
)
  returns boolean
  language plpgsql
  set search_path to ''
  AS $function$
declare
  said_at timestamptz;
begin
  perform private.lock_consent(agency_id, phone);
  -- After the lock, so that of two at once the second one decides.
  said_at := coalesce(record_consent.occurred_at, clock_timestamp());

  insert into public.text_consent_events (
    agency_id, phone, state, source, words, message_id, agent_id, reason, occurred_at
  )
  values (
    record_consent.agency_id, record_consent.phone, record_consent.state, record_consent.source, record_consent.words,
    record_consent.message_id, record_consent.agent_id, record_consent.reason, said_at
  )
  on conflict on constraint text_consent_events_agency_id_message_id_key do nothing;
  if not found then
    return false;
  end if;

  insert into public.text_consents as c (agency_id, phone, state, source, changed_at)
  values (record_consent.agency_id, record_consent.phone, record_consent.state, record_consent.source, said_at)
  on conflict on constraint text_consents_pkey do update
  set state = excluded.state, source = excluded.source, changed_at = excluded.changed_at
  where c.changed_at <= excluded.changed_at;
  return found;
end
$function$;

create or replace function private.refuse_change()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end
$function$;

create or replace function private.try_lock_consent (
  agency_id uuid,
  phone text
)
  returns boolean
  language plpgsql
  set search_path to ''
  AS $function$
begin
  return pg_try_advisory_xact_lock(private.consent_lock(agency_id, phone));
end
$function$;

create or replace function public.mark_read (
  notification_ids uuid[]
)
  returns integer
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  newly_read integer;
begin
  update public.agent_notifications n
  set read_at = now()
  where n.id = any (notification_ids) and n.agent_id = private.current_agent_id() and n.read_at is null;
  get diagnostics newly_read = row_count;
  return newly_read;
end
$function$;

alter table "public"."agent_notifications"
  add constraint "agent_notifications_agent_id_fkey" foreign key (agent_id) references public.agents(id);

alter table "public"."agent_notifications"
  add constraint "agent_notifications_conversation_id_fkey" foreign key (conversation_id)
    references public.recruiting_conversations(id) on delete cascade;

alter table "public"."agent_notifications"
  add constraint "agent_notifications_message_id_fkey" foreign key (message_id)
    references public.recruiting_messages(id) on delete cascade;

alter table "public"."text_consent_events"
  add constraint "text_consent_events_agency_id_fkey" foreign key (agency_id) references public.agencies(id);

alter table "public"."text_consent_events"
  add constraint "text_consent_events_agent_id_agency_id_fkey" foreign key (agent_id, agency_id)
    references public.agents(id, agency_id);

alter table "public"."text_consents"
  add constraint "text_consents_agency_id_fkey" foreign key (agency_id) references public.agencies(id);

create index agent_notifications_agent_id_created_at_idx on public.agent_notifications
  using btree (agent_id, created_at);

create index agent_notifications_conversation_id_idx on public.agent_notifications using btree (conversation_id);

create index agent_notifications_unread_idx on public.agent_notifications using btree (agent_id, created_at)
  where (read_at is null);

create index text_consent_events_agency_id_phone_occurred_at_idx on public.text_consent_events
  using btree (agency_id, phone, occurred_at);

create index text_consent_events_agent_id_agency_id_idx on public.text_consent_events using btree (agent_id, agency_id)
  where (agent_id is not null);

create trigger refuse_change
  before delete or update or truncate on public.text_consent_events
  for each STATEMENT
  execute function private.refuse_change();

create policy "agents read their own notifications" on "public"."agent_notifications"
  for select
  to "authenticated"
  using ((agent_id = ( select private.current_agent_id() as current_agent_id)));

create policy "managers read their agency's" on "public"."text_consent_events"
  for select
  to "authenticated"
  using ((agency_id = ( select private.managed_agency_id() as managed_agency_id)));

create policy "readers of a conversation read its consent, managers their agen" on "public"."text_consents"
  for select
  to "authenticated"
  using (((agency_id = ( select private.managed_agency_id() as managed_agency_id)) or (exists ( select
   from public.recruiting_conversations c
  where ((c.recruit_phone = text_consents.phone) AND (c.agency_id = text_consents.agency_id))))));

comment on column "public"."agent_notifications"."kind" is '`text`: the recruit has written; `opt_out`: and wants no texts any more; `failed`: a text could not be sent.';

comment on column "public"."agent_notifications"."read_at" is 'When the agent has read it; null: not yet.';

comment on column "public"."text_consent_events"."agent_id" is 'The manager who recorded it.';

comment on column "public"."text_consent_events"."message_id" is 'The message that was the reason: the recruit''s text, or ours that the provider refused. It may have been deleted since.';

comment on column "public"."text_consent_events"."occurred_at" is 'When it was said. Of all events of a recruit, the latest decides.';

comment on column "public"."text_consent_events"."source" is '`keyword`: a word such as STOP; `wording`: a sentence such as "stop texting me"; `provider`: Twilio''s OptOutType or its error 21610; `manager`: a manager of the agency, with a reason; `admin`: the admin command, with a reason.';

comment on column "public"."text_consent_events"."words" is 'The text that was the reason, exactly as sent; null: there was none.';

comment on column "public"."text_consents"."changed_at" is 'When it was said. What was said earlier and is stored later changes nothing.';

comment on column "public"."text_consents"."phone" is 'The recruit''s number: E.164 (ITU-T).';

comment on column "public"."text_consents"."source" is 'As in the event that decided.';

comment on function "private"."consent_lock"(uuid, text) is 'The advisory lock of a recruit''s consent. Other consents have it too: there are 1,024.';

comment on function "private"."is_opted_out"(uuid, text) is 'Whether the recruit with this number must not be texted by the agency. The answer holds while the caller holds the consent''s lock.';

comment on function "private"."lock_consent"(uuid, text) is 'Until this transaction ends, nobody else changes the consent or claims a text by it. Call it before any row is locked.';

comment on function "private"."notify_agent"(uuid, uuid, text) is 'Tells the assigned agent of an escalated conversation about one of its messages, once for each kind: text, opt_out or failed. Does nothing while the bot has the conversation.';

comment on function "private"."record_consent"(uuid, text, text, text, text, uuid, uuid, text, timestamp
  with time zone) is 'Adds an event and sets the consent to it, unless a later event has decided already. state: opted_in or opted_out. source and the rest: see text_consent_events. An opt-out refuses the texts of the agency to this number that are not sent yet. occurred_at, when it was said: now unless given. A message_id that has an event is the same event and changes nothing. Returns whether it decides.';

comment on function "private"."refuse_change"() is 'Trigger: refuses every change of rows that are a proof, also by the owner.';

comment on function "private"."try_lock_consent"(uuid, text) is 'As lock_consent(), without waiting: false when somebody else has the lock.';

comment on function "public"."mark_read"(uuid[]) is 'Marks notifications of the signed-in agent as read. Returns how many were not read before; ids that are not the agent''s own are passed over.';

comment on table "public"."agent_notifications" is 'What an agent is told about a conversation that the agent has taken over, stored with the message itself. Realtime only says that there is a row: clients read the unread rows on every connect.';

comment on table "public"."text_consent_events" is 'Each opt-in and opt-out with its proof. Rows are added and never changed or removed.';

comment on table "public"."text_consents" is 'Whether a recruit may be texted by an agency, from any of its numbers. Without a row nothing has been said. record_consent() writes it from text_consent_events, which has the proof.';

revoke all on function "private"."consent_lock"(uuid, text) from public;

grant execute on function "private"."consent_lock"(uuid, text) to "postgres", "service_role";

revoke all on function "private"."is_opted_out"(uuid, text) from public;

grant execute on function "private"."is_opted_out"(uuid, text) to "postgres", "service_role";

revoke all on function "private"."lock_consent"(uuid, text) from public;

grant execute on function "private"."lock_consent"(uuid, text) to "postgres", "service_role";

revoke all on function "private"."notify_agent"(uuid, uuid, text) from public;

grant execute on function "private"."notify_agent"(uuid, uuid, text) to "postgres", "service_role";

revoke all
  on function "private"."record_consent"(uuid, text, text, text, text, uuid, uuid, text, timestamp with time zone)
  from public;

grant execute
  on function "private"."record_consent"(uuid, text, text, text, text, uuid, uuid, text, timestamp with time zone)
  to "postgres", "service_role";

revoke all on function "private"."refuse_change"() from public;

grant execute on function "private"."refuse_change"() to "postgres";

revoke all on function "private"."try_lock_consent"(uuid, text) from public;

grant execute on function "private"."try_lock_consent"(uuid, text) to "postgres", "service_role";

revoke all on function "public"."mark_read"(uuid[]) from public;

grant execute on function "public"."mark_read"(uuid[]) to "authenticated", "postgres";

grant select on table "public"."agent_notifications" to "authenticated";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "public"."agent_notifications"
  to "postgres";

grant delete, insert, select, update on table "public"."agent_notifications" to "service_role";

grant select on table "public"."text_consent_events" to "authenticated";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "public"."text_consent_events"
  to "postgres";

grant insert, select on table "public"."text_consent_events" to "service_role";

grant select on table "public"."text_consents" to "authenticated";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "public"."text_consents"
  to "postgres";

grant delete, insert, select, update on table "public"."text_consents" to "service_role";
