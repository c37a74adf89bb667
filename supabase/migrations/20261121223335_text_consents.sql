set local check_function_bodies = off;

drop function "public"."receive_sms"(text, text, text, text, jsonb, uuid);

drop function "public"."update_sms_status"(text, text, text, uuid);

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
  "occurred_at" timestamp with time zone not null default clock_timestamp(),
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

alter table "public"."recruiting_orders"
  add column "greeting_template" text;

alter table "public"."unmatched_texts"
  add column "opt_out_type" text;

alter table "public"."vendors"
  add column "has_text_consent" boolean not null default false;

create or replace function private.agency_of_numbers (
  recruit_phone text,
  service_phone text
)
  returns uuid
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return coalesce(
    (
      select c.agency_id
      from public.recruiting_conversations c
      where c.recruit_phone = agency_of_numbers.recruit_phone and c.service_phone = agency_of_numbers.service_phone
    ),
    (select n.agency_id from public.service_numbers n where n.phone = agency_of_numbers.service_phone)
  );
end
$function$;

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

create or replace function private.consent_in_text (
  body text,
  opt_out_type text
)
  returns text
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  return case opt_out_type
    when 'STOP' then 'opted_out'
    when 'START' then 'opted_in'
    when 'HELP' then null
    else case private.opt_keyword(body) when 'opt_out' then 'opted_out' when 'opt_in' then 'opted_in' end
  end;
end
$function$;

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

create or replace function private.exact_opt_keyword (
  words text
)
  returns text
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  return case
    -- Twilio's words (https://www.twilio.com/docs/messaging/tutorials/advanced-opt-out), and those of the law.
    when words in ('stop', 'stopall', 'stop all', 'unsubscribe', 'cancel', 'end', 'quit', 'revoke', 'optout', 'opt out')
      then 'opt_out'
    when words in ('start', 'unstop', 'yes') then 'opt_in'
  end;
end
$function$;

create or replace function private.handle_failed_text (
  message_id uuid,
  error_code text
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  failed record;
begin
  select c.id as conversation_id, c.agency_id, c.recruit_phone, c.service_phone, o.kind, o.attempted_at into failed
  from public.recruiting_messages m
  join public.recruiting_conversations c on c.id = m.conversation_id
  left join public.text_outbox o on o.message_id = m.id
  where m.id = handle_failed_text.message_id and m.direction = 'outbound';
  if not found then
    return;
  end if;

  if error_code = '21610' then
    -- As of when it was sent: the recruit may have opted in since.
    perform private.record_consent(
      failed.agency_id, failed.recruit_phone, 'opted_out', 'provider',
      message_id => handle_failed_text.message_id, occurred_at => failed.attempted_at);
  elsif error_code = '30034' then
    update public.service_numbers n
    set status = 'paused', paused_reason = error_code
    where n.phone = failed.service_phone and n.status = 'active';
  end if;
  if failed.kind = 'agent' then
    perform private.notify_agent(failed.conversation_id, message_id, 'failed');
  end if;
end
$function$;

create or replace function private.is_greeting_template (
  template text
)
  returns boolean
  language sql
  immutable
  set search_path to ''
  AS $function$
  select length(template) <= 1600
    and template like '%{agency}%'
    and template ~ '\mSTOP\M'
    and regexp_replace(template, '\{(first_name|agent|agency)\}', '', 'g') !~ '[{}]'
$function$;

create or replace function private.is_opt_out_wording (
  words text
)
  returns boolean
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  -- These change nothing, wherever they stand.
  fillers constant text :=
    '\m(please|pls|plz|kindly|just|ok|okay|hi|hello|hey|sorry|thanks|thank you|thx|no thanks|no thank you|i said|again|ever|sir|maam|'
    'forever|any ?more|(i am |im )?not interested|(can|could|would|will) you|you (need|have) to|'
    '(i want|i need|i would like|id like) you to)\M';
  telling_words constant text :=
    '\m(stop|s t o p|unsub|opt|cease|remove|delete|erase|unlist|revoke|withdraw|consent|leave|wrong|'
    '(un|quit|cancel|end|no|never|do|dont|take|get|go|let|lose|off)\M)';
begin
  -- No sentence is longer or without any of these words. Nearly all texts end here, and the search takes ten times as long.
  if length(words) > 100 or words !~ telling_words then
    return false;
  end if;
  return replace(btrim(regexp_replace(regexp_replace(words, fillers, ' ', 'g'), ' +', ' ', 'g')), ' ', '_')
    ~ private.opt_out_sentences();
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

create or replace function private.lock_consent_of_numbers (
  recruit_phone text,
  service_phone text
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  agency_id uuid;
begin
  perform pg_advisory_xact_lock_shared(private.service_number_lock(service_phone));
  agency_id := private.agency_of_numbers(recruit_phone, service_phone);
  if agency_id is not null then
    perform private.lock_consent(agency_id, recruit_phone);
  end if;
end
$function$;

create or replace function private.lock_sent_text (
  message_sid text,
  message_id uuid,
  has_opted_out boolean
)
  returns uuid
  language plpgsql
  set search_path to ''
  AS $function$
declare
  sent record;
begin
  select m.id, c.agency_id, c.recruit_phone into sent
  from public.recruiting_messages m
  join public.recruiting_conversations c on c.id = m.conversation_id
  where m.direction = 'outbound'
    and (m.provider_message_id = message_sid or m.id = lock_sent_text.message_id)
  -- Of two messages, the one that has the MessageSid.
  order by m.provider_message_id = message_sid desc nulls last
  limit 1;

  if has_opted_out and sent.id is not null then
    perform private.lock_consent(sent.agency_id, sent.recruit_phone);
  end if;
  perform private.lock_message(message_sid);
  return sent.id;
end
$function$;

create or replace function private.opt_keyword (
  body text
)
  returns text
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  words constant text := private.plain_words(body);
begin
  return coalesce(
    private.exact_opt_keyword(words),
    case when private.is_opt_out_wording(words) then 'opt_out' end);
end
$function$;

create or replace function private.opt_out_sentences()
  returns text
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  -- One sentence, or several.
  sentences text := $regex$(?x)^(no_)?((
    # The words alone, with a little more
    (<wish>_)?
    (
      (stop|unsubscribe|unsub|opt_?out|quit_it)(_(me|it|that|this|all))?
      | stop+ | s_t_o_p | cease(_and_desist)?
      # stop texting me
      | (stop|quit|cease|no_more)(_all)?_<contacting>((_and|_or)?_<contacting>)*(_<person>)*
      # stop sending me these messages
      | (stop|quit|cease|cancel|end|no_more)((_sending|_with|_receiving|_getting)(_me|_us)?)?(_<kind>)*_<messages>(_<person>)*
      | (stop|quit|cease)_sending(_me|_us)?(_(this|these|those|them|it|stuff|things))?(_<person>)*
      # take me off your list
      | remove | (remove|delete|erase|unlist)(_<contact_data>(_<from_list>)?|_<from_list>)
      | (take|get)_<contact_data>_<from_list>
    )(_(now|right_now|immediately|asap|at_once|today))?
    # do not text me
    | (do_not|dont|never|no_longer)_<contact>((_and|_or)?_<contact>)*(_<person>)*
    | (do_not|dont|never)_send(_me|_us)?(_<kind>)*_<messages>(_<person>)*
    # I don't want any more messages
    | i_(do_not|dont|no_longer)_(want|wish|need)(_to_(receive|get))?(_<kind>)*_<messages>(_<person>)*
    | i_(do_not|dont|no_longer)_(want|wish)_to_be_(texted|contacted|messaged|called)(_by_you)?
    # unsubscribe me from this list, I want to opt out
    | (unsubscribe|un_subscribe|opt_?out|opt_me_out)(_me)?((_from|_of)(_<kind>)*_(<messages>|lists?|this|here|you|all|everything))?
    | (<wish>|let_me|i_am|im|i)_
      (opt_?out|opting_out|unsubscribe|unsubscribing)((_from|_of)(_<kind>)*_(<messages>|lists?|this))?
    | (i_)?(revoke|withdraw)(_my)?_consent | consent_revoked
    # without any word for texts
    | (leave|let)_(me|us)_(alone|be) | go_away | get_lost | lose_(my|this)_number | (fuck|piss)_off
    # Whoever writes this has not given consent.
    | ((you|u)_(have|got|have_got)_|youve_got_|you_have_|this_is_|its_)?(the_|a_)?wrong_(number|person)
  )(_|$))+$ $regex$;
  part record;
begin
  for part in
    select *
    from (values
      ('<wish>', '(i_want_to|i_would_like_to|id_like_to|i_wish_to|how_do_i|how_can_i|how_to)'),
      ('<contacting>', '(te?xting|messaging|contacting|calling|bothering|bugging|spamming|harassing|writing(_to)?)'),
      ('<contact>', '(te?xt|message|msg|sms|contact|call|bother|disturb|bug|spam|harass|write(_to)?|reach_out(_to)?)'),
      ('<person>', '(me|us|to_me|to_us|from_you|from_us|to_this_number|to_this_phone|this_number|this_phone|my_number|my_phone)'),
      ('<kind>', '(any|all|this|that|these|those|the|your|more|of|such|automated|spam|sms|text|marketing|further)'),
      ('<messages>', '(te?xts?|messages?|msgs?|te?xting|sms|spam|notifications?|alerts?|junk)'),
      ('<contact_data>', '(me|us|my_(name|number|phone_number|phone|info|information|contact(_info)?)|this_number)'),
      ('<from_list>',
        '(off|out|from)(_of|_from)?(_(your|the|this|that|these|any|all|text|texting|message|messages|messaging|contact|contacts|'
        'call|calling|mailing|marketing|sms|phone|email|lists?|database|system|records))*')
    ) as parts (name, expression)
  loop
    sentences := replace(sentences, part.name, part.expression);
  end loop;
  return sentences;
end
$function$;

create or replace function private.plain_words (
  body text
)
  returns text
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  -- Removed, so that "don't" is one word however it is written.
  apostrophes constant text := '''`´‘’ʼ＇';
  -- What is no letter or digit of ASCII and no letter of another alphabet: spaces, punctuation, quotes, invisible
  -- characters, symbols, emoji.
  separators constant text :=
    '[\x01-\x2f\x3a-\x60\x7b-\xbf\u2000-\u2bff\u3000-\u303f\ufe00-\ufe6f\ufeff\ufffd\U0001f000-\U0001faff'
    '\U000e0000-\U000e01ef]+';
begin
  -- NFKC (Unicode Standard Annex 15) makes full-width letters plain ones.
  return btrim(regexp_replace(
    lower(normalize(translate(body, apostrophes, ''), nfkc) collate "C"), separators, ' ', 'g'));
end
$function$;

create or replace function private.read_unmatched_consents()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
declare
  unmatched public.unmatched_texts;
begin
  perform pg_advisory_xact_lock(private.service_number_lock(new.phone));
  for unmatched in
    select t.*
    from public.unmatched_texts t
    where t.service_phone = new.phone and t.consent is not null
    order by private.consent_lock(new.agency_id, t.recruit_phone), t.received_at
  loop
    perform private.record_consent_in_text(
      new.agency_id, unmatched.recruit_phone, unmatched.body, unmatched.opt_out_type, unmatched.id, unmatched.received_at);
  end loop;
  return null;
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
  set
    state = excluded.state,
    source = excluded.source,
    changed_at = greatest(c.changed_at, excluded.changed_at)
  where c.changed_at <= excluded.changed_at
    -- A text that is fetched later has the provider's time, in seconds, and others that of their arrival. In doubt it is an
    -- opt-out.
    or excluded.source in ('keyword', 'wording')
      and excluded.state = 'opted_out'
      and c.changed_at <= excluded.changed_at + interval '1 minute';
  if not found then
    return false;
  end if;

  if record_consent.state = 'opted_out' then
    perform private.refuse_texts(record_consent.agency_id, record_consent.phone);
  end if;
  return true;
end
$function$;

create or replace function private.record_consent_in_text (
  agency_id uuid,
  phone text,
  body text,
  opt_out_type text,
  message_id uuid,
  occurred_at timestamp with time zone default null::timestamp with time zone
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  said constant text := private.consent_in_text(body, opt_out_type);
  words constant text := private.plain_words(body);
begin
  -- A sender without such a number cannot have a conversation either.
  if said is null or agency_id is null or phone is null or phone !~ '^\+[1-9][0-9]{1,14}$' then
    return;
  end if;

  perform private.lock_consent(agency_id, phone);
  if opt_out_type is distinct from 'START' and words = 'yes' and not private.is_opted_out(agency_id, phone) then
    return;
  end if;
  perform private.record_consent(
    agency_id,
    phone,
    said,
    case
      when opt_out_type in ('START', 'STOP') then 'provider'
      when private.exact_opt_keyword(words) is not null then 'keyword'
      else 'wording'
    end,
    body,
    message_id,
    occurred_at => record_consent_in_text.occurred_at
  );
end
$function$;

create or replace function private.record_placement (
  placement private.placement,
  lead_ids uuid[]
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
declare
  turns constant integer := cardinality(placement.agent_ids);
  has_greeting boolean;
begin
  update public.recruiting_orders o
  set
    filled = o.filled + placement.leads,
    status = case when o.filled + placement.leads = o.quantity then 'filled' else o.status end
  where o.id = placement.order_id
  returning o.greeting_template is not null into has_greeting;

  update public.agents a
  set last_assigned_at = placement.distributed_at
    -- The last of the leads that came to this agent.
    + (turn.ordinal - 1 + (placement.leads - turn.ordinal) / turns * turns) * interval '1 microsecond'
  from unnest(placement.agent_ids) with ordinality as turn (agent_id, ordinal)
  where a.id = turn.agent_id and turn.ordinal <= placement.leads;

  if has_greeting then
    perform private.queue_greetings(lead_ids);
  end if;
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

create or replace function private.refuse_texts (
  agency_id uuid,
  phone text
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  -- Whoever changes several texts locks them in their order, so that nothing waits in a circle.
  with waiting as (
    select o.message_id
    from public.recruiting_conversations c
    join public.text_outbox o on o.conversation_id = c.id and o.state = 'pending'
    where c.agency_id = refuse_texts.agency_id and c.recruit_phone = refuse_texts.phone
    order by o.ordinal
    for update of o
  ), refused as (
    update public.text_outbox o
    set state = 'refused', reason = 'opted_out'
    from waiting w
    where o.message_id = w.message_id
    returning o.message_id
  )
  update public.recruiting_messages m
  -- The code that the provider would have refused them with.
  set status = 'failed', error_code = '21610', failed_at = coalesce(m.failed_at, clock_timestamp())
  from refused r
  where m.id = r.message_id;
end
$function$;

create or replace function private.service_number_lock (
  phone text
)
  returns bigint
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  return hashtextextended('service number ' || phone, 0);
end
$function$;

create or replace function private.take_over_texts()
  returns trigger
  language plpgsql
  set search_path to ''
  AS $function$
declare
  message record;
begin
  -- In the order of receive_sms().
  perform private.lock_consent(new.agency_id, new.recruit_phone);
  perform private.lock_conversation(new.recruit_phone, new.service_phone);

  for message in
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
      returning id, body, created_at
    )
    select m.id, m.body, m.created_at, t.opt_out_type, t.consent
    from messages m
    join texts t on t.id = m.id
    order by m.created_at
  loop
    perform private.record_consent_in_text(
      new.agency_id, new.recruit_phone, message.body, message.opt_out_type, message.id, message.created_at);
    perform private.notify_agent(
      new.id, message.id, case message.consent when 'opted_out' then 'opt_out' else 'text' end);
  end loop;

  if message.id is not null then
    update public.recruiting_conversations c
    set last_message_at = greatest(c.last_message_at, message.created_at)
    where c.id = new.id;
  end if;
  return null;
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

create or replace function public.receive_sms (
  recruit_phone text,
  service_phone text,
  message_sid text,
  body text,
  media jsonb,
  message_id uuid default gen_random_uuid(),
  opt_out_type text default null::text,
  received_at timestamp with time zone default null::timestamp with time zone
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  sid constant text := private.indexable_id(message_sid);
  files constant jsonb := coalesce(nullif(media, 'null'), '[]');
  consent constant text := private.consent_in_text(body, opt_out_type);
  conversation_id uuid;
begin
  -- Before any row is locked (texting/consents.sql).
  if consent is not null then
    perform private.lock_consent_of_numbers(recruit_phone, service_phone);
  end if;

  conversation_id := private.conversation_of(recruit_phone, service_phone);
  if conversation_id is null then
    perform private.lock_conversation(recruit_phone, service_phone);
    conversation_id := private.conversation_of(recruit_phone, service_phone);
  end if;

  if conversation_id is null then
    insert into public.unmatched_texts (
      id, message_sid, recruit_phone, service_phone, body, media, opt_out_type, received_at
    )
    select
      message_id, sid, receive_sms.recruit_phone, receive_sms.service_phone, receive_sms.body, files,
      receive_sms.opt_out_type, coalesce(receive_sms.received_at, clock_timestamp())
    -- The message may have been stored in a conversation whose numbers were changed since.
    where not exists (
      select from public.recruiting_messages m where m.provider_message_id = sid or m.id = message_id
    )
    on conflict do nothing;
  else
    insert into public.recruiting_messages (
      id, conversation_id, direction, sender_type, provider_message_id, body, media, created_at
    )
    values (
      message_id, conversation_id, 'inbound', 'recruit', sid, receive_sms.body, files,
      coalesce(receive_sms.received_at, now())
    )
    on conflict do nothing;
  end if;

  -- Only when it is stored for the first time: a STOP that comes again after a START is not said again.
  if found then
    if conversation_id is not null then
      update public.recruiting_conversations c
      set last_message_at =
        case when receive_sms.received_at is null then now() else greatest(c.last_message_at, receive_sms.received_at) end
      where c.id = conversation_id;
    end if;
    if consent is not null then
      perform private.record_consent_in_text(
        private.agency_of_numbers(recruit_phone, service_phone), recruit_phone, body, opt_out_type, message_id, received_at);
    end if;
    if conversation_id is not null then
      perform private.release_replies(conversation_id);
      perform private.notify_agent(
        conversation_id, message_id, case consent when 'opted_out' then 'opt_out' else 'text' end);
    end if;
  end if;
  return jsonb_build_object('status', case when conversation_id is null then 'no_conversation' else 'received' end);
end
$function$;

create or replace function public.update_sms_status (
  message_sid text,
  provider_status text,
  error_code text,
  event_id uuid default gen_random_uuid(),
  message_id uuid default null::uuid
)
  returns jsonb
  language plpgsql
  set search_path to ''
  AS $function$
declare
  sid constant text := private.indexable_id(message_sid);
  new_status constant text := case provider_status
    when 'queued' then 'queued'
    when 'sent' then 'sent'
    when 'delivered' then 'delivered'
    when 'undelivered' then 'failed'
    when 'failed' then 'failed'
  end;
  sent_id uuid;
  received_at timestamptz;
  is_repeated boolean;
begin
  if sid is null then
    return jsonb_build_object('status', 'ignored');
  end if;

  sent_id := private.lock_sent_text(sid, message_id, new_status = 'failed' and error_code = '21610');
  if sent_id = message_id then
    perform private.accept_text(sent_id, sid);
  end if;

  insert into public.recruiting_message_events as e (id, provider_message_id, provider_status, status, error_code)
  values (event_id, sid, update_sms_status.provider_status, new_status, update_sms_status.error_code)
  on conflict do nothing
  returning e.received_at into received_at;
  is_repeated := not found;

  if new_status is null then
    return jsonb_build_object('status', 'ignored');
  elsif is_repeated then
    -- The message has this status already, or a later callback has changed it since.
    return jsonb_build_object('status', case
      when exists (select from public.recruiting_messages m where m.provider_message_id = sid) then 'updated'
      else 'ignored'
    end);
  end if;

  -- The specification moves "message, any": the last callback wins, whatever the message's status and direction.
  update public.recruiting_messages m
  set
    status = new_status,
    error_code = coalesce(update_sms_status.error_code, m.error_code),
    sent_at = case when new_status = 'sent' then coalesce(m.sent_at, received_at) else m.sent_at end,
    delivered_at =
      case when new_status = 'delivered' then coalesce(m.delivered_at, received_at) else m.delivered_at end,
    failed_at = case when new_status = 'failed' then coalesce(m.failed_at, received_at) else m.failed_at end
  where m.provider_message_id = sid
  returning m.id into sent_id;
  if not found then
    return jsonb_build_object('status', 'ignored');
  end if;

  if new_status = 'failed' then
    perform private.handle_failed_text(sent_id, error_code);
  end if;
  return jsonb_build_object('status', 'updated');
end
$function$;

alter table "public"."service_numbers"
  add constraint "service_numbers_agency_id_fkey" foreign key (agency_id) references public.agencies(id);

alter table "public"."text_consent_events"
  add constraint "text_consent_events_agency_id_fkey" foreign key (agency_id) references public.agencies(id);

alter table "public"."text_consent_events"
  add constraint "text_consent_events_agent_id_agency_id_fkey" foreign key (agent_id, agency_id)
    references public.agents(id, agency_id);

alter table "public"."text_consents"
  add constraint "text_consents_agency_id_fkey" foreign key (agency_id) references public.agencies(id);

create index recruiting_conversations_service_phone_created_at_idx on public.recruiting_conversations
  using btree (service_phone, created_at);

create index service_numbers_agency_id_idx on public.service_numbers using btree (agency_id);

create index text_consent_events_agency_id_phone_occurred_at_idx on public.text_consent_events
  using btree (agency_id, phone, occurred_at);

create index text_consent_events_agent_id_agency_id_idx on public.text_consent_events using btree (agent_id, agency_id)
  where (agent_id is not null);

create index text_consents_phone_idx on public.text_consents using btree (phone);

create trigger clear_paused_reason
  before insert or update on public.service_numbers
  for each row
  when (((new.status = 'active'::text) AND (new.paused_reason IS NOT NULL)))
  execute function private.clear_paused_reason();

create trigger read_unmatched_consents
  after insert or update of agency_id, phone on public.service_numbers
  for each row
  execute function private.read_unmatched_consents();

create trigger set_updated_at
  before update on public.service_numbers
  for each row
  execute function private.set_updated_at();

create trigger refuse_change
  before delete or update or truncate on public.text_consent_events
  for each STATEMENT
  execute function private.refuse_change();

create policy "managers read their agency's numbers" on "public"."service_numbers"
  for select
  to "authenticated"
  using ((agency_id = ( select private.managed_agency_id() as managed_agency_id)));

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

comment on column "public"."recruiting_messages"."error_code" is 'Error code of the last callback that had one, or why a text of ours was not sent.';

comment on column "public"."recruiting_messages"."status" is 'Delivery status from the last callback. Before the first one: null, queued once the provider has accepted a text of ours, or failed when it was not sent.';

comment on column "public"."recruiting_orders"."greeting_template" is 'The text that each recruit of the order gets, if the vendor has their consent; null: none. At most 1,600 characters, with {agency}, the word STOP, and if wanted {first_name} and {agent}.';

comment on column "public"."service_numbers"."busy_until" is 'When what has been claimed for this number is sent, at its rate. Set by claim_texts().';

comment on column "public"."service_numbers"."messaging_service_sid" is 'The SMS provider''s messaging service that the number is sent through; null: the number alone.';

comment on column "public"."service_numbers"."paused_reason" is 'Why it is paused, such as the provider''s error code; null while it is active.';

comment on column "public"."service_numbers"."phone" is 'E.164, or a short code of 5 or 6 digits.';

comment on column "public"."service_numbers"."segments_per_second" is 'How many segments the number may send in a second. A long text has several.';

comment on column "public"."service_numbers"."status" is 'A `paused` number takes texts and holds them.';

comment on column "public"."text_consent_events"."agent_id" is 'The manager who recorded it.';

comment on column "public"."text_consent_events"."message_id" is 'The message that was the reason: the recruit''s text, or ours that the provider refused. It may have been deleted since.';

comment on column "public"."text_consent_events"."occurred_at" is 'When it was said. Of all events of a recruit, the latest decides.';

comment on column "public"."text_consent_events"."source" is '`keyword`: a word such as STOP; `wording`: a sentence such as "stop texting me"; `provider`: Twilio''s OptOutType or its error 21610; `manager`: a manager of the agency, with a reason; `admin`: the admin command, with a reason.';

comment on column "public"."text_consent_events"."words" is 'The text that was the reason, exactly as sent; null: there was none.';

comment on column "public"."text_consents"."changed_at" is 'When it was said. What was said earlier and is stored later changes nothing.';

comment on column "public"."text_consents"."phone" is 'The recruit''s number: E.164 (ITU-T).';

comment on column "public"."text_consents"."source" is 'As in the event that decided.';

comment on column "public"."unmatched_texts"."opt_out_type" is 'Twilio''s OptOutType, as received; null when there was none.';

comment on column "public"."vendors"."has_text_consent" is 'Whether the vendor''s leads have agreed to texts from the agency that gets them. Without it nobody is greeted.';

comment on function "private"."agency_of_numbers"(text, text) is 'The agency that a text from the recruit to our number concerns: that of their conversation, else the number''s, else null.';

comment on function "private"."clear_paused_reason"() is 'Trigger: an active number has no paused_reason.';

comment on function "private"."consent_in_text"(text, text) is 'The consent that a text gives (opted_in) or takes back (opted_out), or null. opt_out_type is Twilio''s OptOutType: START, STOP or HELP, which counts before the words because the account''s own keywords are in it; null or anything else: the words count.';

comment on function "private"."consent_lock"(uuid, text) is 'The advisory lock of a recruit''s consent. Other consents have it too: there are 1,024.';

comment on function "private"."exact_opt_keyword"(text) is 'What these plain_words() are when they are a keyword: opt_out, opt_in or null.';

comment on function "private"."handle_failed_text"(uuid, text) is 'What follows when the provider could not deliver a message of ours. 21610: the recruit has opted out. 30034: the number may not send, and is paused. The agent who has written it is told.';

comment on function "private"."is_greeting_template"(text) is 'Whether recruits may be greeted with this text. Law and carriers want it to name the sender and the way to opt out.';

comment on function "private"."is_opt_out_wording"(text) is 'Whether these plain_words() are a sentence in English that asks for no more texts, and nothing else.';

comment on function "private"."is_opted_out"(uuid, text) is 'Whether the recruit with this number must not be texted by the agency. The answer holds while the caller holds the consent''s lock.';

comment on function "private"."lock_consent"(uuid, text) is 'Until this transaction ends, nobody else changes the consent or claims a text by it. Call it before any row is locked.';

comment on function "private"."lock_consent_of_numbers"(text, text) is 'Locks the consent that a text between these numbers may change, and that our number stays with its agency.';

comment on function "private"."lock_sent_text"(text, uuid, boolean) is 'Takes the locks that a callback needs, before any row: of the consent if it changes that, and of the MessageSid. Returns the outbound message that the callback is about, by its MessageSid or its id, or null.';

comment on function "private"."opt_keyword"(text) is 'What a text says about further texts: opt_out, opt_in or null. Only a text that says nothing else counts; case, punctuation, quotes and spaces do not. YES is an opt_in only from somebody who has opted out: the caller must look.';

comment on function "private"."opt_out_sentences"() is 'A regular expression of the sentences that ask for no more texts, in lower case with underscores between the words.';

comment on function "private"."plain_words"(text) is 'The words of a text in lower case, with one space between them and without punctuation, quotes and emoji.';

comment on function "private"."read_unmatched_consents"() is 'Trigger: what recruits have texted to a number before an agency had it holds for the agency.';

comment on function "private"."record_consent"(uuid, text, text, text, text, uuid, uuid, text, timestamp
  with time zone) is 'Adds an event and sets the consent to it, unless a later event has decided already. state: opted_in or opted_out. source and the rest: see text_consent_events. An opt-out refuses the texts of the agency to this number that are not sent yet. occurred_at, when it was said: now unless given. A message_id that has an event is the same event and changes nothing. Returns whether it decides.';

comment on function "private"."record_consent_in_text"(uuid, text, text, text, uuid, timestamp
  with time zone) is 'Records the consent that an inbound text gives or takes back, if any. The text is of an agency and of a recruit''s number; agency_id null: of none yet. opt_out_type: as of consent_in_text(). occurred_at: when it came; null: now.';

comment on function "private"."record_placement"(private.placement, uuid[]) is 'Called once for each placement, when its leads have been stored with it: counts them at the order and the agents, which find_placement() has locked, and greets the recruits if the order has a greeting. lead_ids: the leads in the order of their turns; the nth goes to agent (n - 1) % cardinality(agent_ids) + 1.';

comment on function "private"."refuse_change"() is 'Trigger: refuses every change of rows that are a proof, also by the owner.';

comment on function "private"."refuse_texts"(uuid, text) is 'Refuses the agency''s texts to this number that wait to be sent: their messages are failed, with the provider''s code 21610. The caller holds the consent''s lock.';

comment on function "private"."service_number_lock"(text) is 'The advisory lock of a number of ours: of its texts, shared, and of whoever gives it to an agency.';

comment on function "private"."take_over_texts"() is 'Trigger: the unmatched texts of a new conversation become its inbound messages, with the time they were received at. A consent in them holds, and the agent of an escalated conversation is told.';

comment on function "private"."try_lock_consent"(uuid, text) is 'As lock_consent(), without waiting: false when somebody else has the lock.';

comment on function "public"."receive_sms"(text, text, text, text, jsonb, uuid, text, timestamp
  with time zone) is 'Stores an inbound message in the conversation of these two numbers, once for each MessageSid and once for each message_id, which the caller makes so that it may repeat the call. media: [{url, content_type}]. Returns {status: received}, also when it was stored before. Without a conversation it stores the text in unmatched_texts in the same way, and returns {status: no_conversation}. An opt-in or opt-out holds with the message (opt_out_type: Twilio''s OptOutType), and the agent of an escalated conversation is told. received_at: when the provider got it; null: now.';

comment on function "public"."update_sms_status"(text, text, text, uuid, uuid) is 'Stores a delivery callback and sets the message''s status to queued, sent, delivered or failed (also for undelivered). Returns {status: updated}, or {status: ignored} for any other provider_status, without a message_sid, and when there is no such message yet; in that case the callback is applied when the message is stored. The caller makes the event_id so that it may repeat the call: a repeated one stores and changes nothing. message_id: the id of our message that the provider was given with it; a text of the outbox without a MessageSid gets this one. An error_code of 21610 opts the recruit out, and 30034 pauses our number.';

comment on table "public"."service_numbers" is 'The numbers that texts are sent from, each with its agency. A text whose number is not here is never sent.';

comment on table "public"."text_consent_events" is 'Each opt-in and opt-out with its proof. Rows are added and never changed or removed.';

comment on table "public"."text_consents" is 'Whether a recruit may be texted by an agency, from any of its numbers. Without a row nothing has been said. record_consent() writes it from text_consent_events, which has the proof.';

revoke all on function "private"."agency_of_numbers"(text, text) from public;

grant execute on function "private"."agency_of_numbers"(text, text) to "postgres", "service_role";

revoke all on function "private"."clear_paused_reason"() from public;

grant execute on function "private"."clear_paused_reason"() to "postgres";

revoke all on function "private"."consent_in_text"(text, text) from public;

grant execute on function "private"."consent_in_text"(text, text) to "postgres", "service_role";

revoke all on function "private"."consent_lock"(uuid, text) from public;

grant execute on function "private"."consent_lock"(uuid, text) to "postgres", "service_role";

revoke all on function "private"."exact_opt_keyword"(text) from public;

grant execute on function "private"."exact_opt_keyword"(text) to "postgres", "service_role";

revoke all on function "private"."handle_failed_text"(uuid, text) from public;

grant execute on function "private"."handle_failed_text"(uuid, text) to "postgres", "service_role";

revoke all on function "private"."is_greeting_template"(text) from public;

grant execute on function "private"."is_greeting_template"(text) to "postgres", "service_role";

revoke all on function "private"."is_opt_out_wording"(text) from public;

grant execute on function "private"."is_opt_out_wording"(text) to "postgres", "service_role";

revoke all on function "private"."is_opted_out"(uuid, text) from public;

grant execute on function "private"."is_opted_out"(uuid, text) to "postgres", "service_role";

revoke all on function "private"."lock_consent"(uuid, text) from public;

grant execute on function "private"."lock_consent"(uuid, text) to "postgres", "service_role";

revoke all on function "private"."lock_consent_of_numbers"(text, text) from public;

grant execute on function "private"."lock_consent_of_numbers"(text, text) to "postgres", "service_role";

revoke all on function "private"."lock_sent_text"(text, uuid, boolean) from public;

grant execute on function "private"."lock_sent_text"(text, uuid, boolean) to "postgres", "service_role";

revoke all on function "private"."opt_keyword"(text) from public;

grant execute on function "private"."opt_keyword"(text) to "postgres", "service_role";

revoke all on function "private"."opt_out_sentences"() from public;

grant execute on function "private"."opt_out_sentences"() to "postgres", "service_role";

revoke all on function "private"."plain_words"(text) from public;

grant execute on function "private"."plain_words"(text) to "postgres", "service_role";

revoke all on function "private"."read_unmatched_consents"() from public;

grant execute on function "private"."read_unmatched_consents"() to "postgres";

revoke all
  on function "private"."record_consent"(uuid, text, text, text, text, uuid, uuid, text, timestamp with time zone)
  from public;

grant execute
  on function "private"."record_consent"(uuid, text, text, text, text, uuid, uuid, text, timestamp with time zone)
  to "postgres", "service_role";

revoke all
  on function "private"."record_consent_in_text"(uuid, text, text, text, uuid, timestamp with time zone)
  from public;

grant execute
  on function "private"."record_consent_in_text"(uuid, text, text, text, uuid, timestamp with time zone)
  to "postgres", "service_role";

revoke all on function "private"."refuse_change"() from public;

grant execute on function "private"."refuse_change"() to "postgres";

revoke all on function "private"."refuse_texts"(uuid, text) from public;

grant execute on function "private"."refuse_texts"(uuid, text) to "postgres", "service_role";

revoke all on function "private"."service_number_lock"(text) from public;

grant execute on function "private"."service_number_lock"(text) to "postgres", "service_role";

revoke all on function "private"."try_lock_consent"(uuid, text) from public;

grant execute on function "private"."try_lock_consent"(uuid, text) to "postgres", "service_role";

revoke all
  on function "public"."receive_sms"(text, text, text, text, jsonb, uuid, text, timestamp with time zone)
  from public;

grant execute
  on function "public"."receive_sms"(text, text, text, text, jsonb, uuid, text, timestamp with time zone)
  to "postgres", "service_role";

revoke all on function "public"."update_sms_status"(text, text, text, uuid, uuid) from public;

grant execute on function "public"."update_sms_status"(text, text, text, uuid, uuid) to "postgres", "service_role";

grant select on table "public"."service_numbers" to "authenticated";

grant delete, insert, maintain, references, select, trigger, truncate, update
  on table "public"."service_numbers"
  to "postgres";

grant delete, insert, select, update on table "public"."service_numbers" to "service_role";

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

alter table "public"."unmatched_texts"
  add column "consent" text generated always as (private.consent_in_text(body, opt_out_type)) stored;

comment on column "public"."unmatched_texts"."consent" is 'What the text says about further texts: opted_in or opted_out. It holds when an agency gets the text or the number.';

alter table "public"."recruiting_orders"
  add constraint "recruiting_orders_greeting_template_check" check (private.is_greeting_template(greeting_template));

create index unmatched_texts_service_phone_idx on public.unmatched_texts using hash (service_phone)
  where (consent is not null);
