set local check_function_bodies = off;

drop function "public"."receive_sms"(text, text, text, text, jsonb, uuid);

drop function "public"."update_sms_status"(text, text, text, uuid);

alter table "public"."unmatched_texts"
  add column "opt_out_type" text;

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
    '\m(please|pls|plz|kindly|just|ok|okay|hi|hello|hey|sorry|thanks|thank you|thx|no thanks|no thank you|i said|again|ever|'
    'forever|any ?more|(i am |im )?not interested|(can|could|would|will) you|you (need|have) to|'
    '(i want|i need|i would like|id like) you to)\M';
  sentences constant text := $regex$(?x)^(no_)?(
    # The words alone, with a little more
    (
      (stop|unsubscribe|unsub|opt_?out|quit_it)(_(me|it|that|this|all))?
      | stop+ | s_t_o_p | remove | cease(_and_desist)?
      # stop texting me
      | (stop|quit|cease|no_more)(_all)?_<contacting>((_and|_or)?_<contacting>)*(_<person>)*
      # stop sending me these messages
      | (stop|quit|cease|cancel|end|no_more)((_sending|_with)(_me|_us)?)?(_<kind>)*_<messages>(_<person>)*
      | (stop|quit|cease)_sending(_me|_us)?(_(this|these|those|them|it|stuff|things))?(_<person>)*
      # take me off your list
      | (remove|delete|erase|unlist)_<contact_data>(_<from_list>)?
      | (take|get)_<contact_data>_<from_list>
    )(_(now|right_now|immediately|asap|at_once|today))?
    # do not text me
    | (do_not|dont|never|no_longer)_<contact>((_and|_or)?_<contact>)*(_<person>)*
    | (do_not|dont|never)_send(_me|_us)?(_<kind>)*_<messages>(_<person>)*
    # I don't want any more messages
    | i_(do_not|dont|no_longer)_(want|wish|need)(_to_(receive|get))?(_<kind>)*_<messages>(_<person>)*
    | i_(do_not|dont|no_longer)_(want|wish)_to_be_(texted|contacted|messaged|called)(_by_you)?
    # unsubscribe me from this list, I want to opt out
    | (unsubscribe|un_subscribe|opt_?out|opt_me_out)(_me)?((_from|_of)(_<kind>)*_(<messages>|lists?|this|here|you))?
    | (i_want_to|i_would_like_to|id_like_to|i_wish_to|let_me|how_do_i|how_can_i|i_am|im|i)_
      (opt_?out|opting_out|unsubscribe|unsubscribing)((_from|_of)(_<kind>)*_(<messages>|lists?|this))?
    | (i_)?(revoke|withdraw)(_my)?_consent | consent_revoked
    # without any word for texts
    | (leave|let)_(me|us)_(alone|be) | go_away | get_lost | lose_(my|this)_number | (fuck|piss)_off
    # Whoever writes this has not given consent.
    | ((you|u)_(have|got|have_got)_|youve_got_|you_have_|this_is_|its_)?(the_|a_)?wrong_(number|person)
  )$ $regex$;
  part record;
  pattern text := sentences;
begin
  -- No sentence is longer, and a long text is not worth the search.
  if length(words) > 100 then
    return false;
  end if;
  for part in
    select *
    from (values
      ('<contacting>', '(texting|messaging|contacting|calling|phoning|emailing|bothering|bugging|spamming|harassing|writing(_to)?)'),
      ('<contact>', '(text|message|msg|sms|contact|call|phone|email|bother|bug|spam|harass|write(_to)?|reach_out(_to)?)'),
      ('<person>', '(me|us|to_me|to_us|from_you|from_us|to_this_number|to_this_phone|this_number|this_phone|my_number|my_phone)'),
      ('<kind>', '(any|all|this|that|these|those|the|your|more|of|such|automated|spam|sms|text|marketing|further)'),
      ('<messages>', '(texts?|messages?|msgs?|texting|sms|spam|notifications?|alerts?|junk)'),
      ('<contact_data>', '(me|us|my_(name|number|phone_number|phone|info|information|contact(_info)?)|this_number)'),
      ('<from_list>',
        '(off|out|from)(_of|_from)?(_(your|the|this|that|these|any|all|text|texting|message|messages|messaging|contact|contacts|'
        'call|calling|mailing|marketing|sms|phone|email|lists?|database|system|records))*')
    ) as parts (name, expression)
  loop
    pattern := replace(pattern, part.name, part.expression);
  end loop;
  return replace(btrim(regexp_replace(regexp_replace(words, fillers, ' ', 'g'), ' +', ' ', 'g')), ' ', '_') ~ pattern;
end
$function$;

create or replace function private.known_service_number (
  agency_id uuid,
  recruit_phone text
)
  returns text
  language plpgsql
  stable
  set search_path to ''
  AS $function$
begin
  return coalesce(
    (
      select c.service_phone
      from public.recruiting_conversations c
      join public.service_numbers n on n.phone = c.service_phone and n.agency_id = c.agency_id
      where c.recruit_phone = known_service_number.recruit_phone and c.agency_id = known_service_number.agency_id
      order by c.last_message_at desc nulls last, c.created_at desc
      limit 1
    ),
    (
      select t.service_phone
      from public.unmatched_texts t
      join public.service_numbers n on n.phone = t.service_phone
      where t.recruit_phone = known_service_number.recruit_phone and n.agency_id = known_service_number.agency_id
      order by t.received_at desc
      limit 1
    )
  );
end
$function$;

create or replace function private.least_used_service_number (
  agency_id uuid,
  recruit_phone text
)
  returns text
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  -- Counting more would take long, and no longer matters.
  max_count constant integer := 1000;
begin
  return (
    select n.phone
    from public.service_numbers n
    cross join lateral (
      select count(*) as conversations, max(latest.created_at) as used_at
      from (
        select c.created_at
        from public.recruiting_conversations c
        where c.service_phone = n.phone
        order by c.created_at desc
        limit max_count
      ) latest
    ) use
    where n.agency_id = least_used_service_number.agency_id
      and n.status = 'active'
      -- The number may have been another agency's.
      and not exists (
        select
        from public.recruiting_conversations c
        where c.recruit_phone = least_used_service_number.recruit_phone and c.service_phone = n.phone
      )
    order by use.conversations, use.used_at nulls first, n.phone
    limit 1
  );
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

create or replace function private.notify_of_text (
  conversation_id uuid,
  message_id uuid,
  body text,
  opt_out_type text
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  perform private.notify_agent(
    conversation_id,
    message_id,
    case private.consent_in_text(body, opt_out_type) when 'opted_out' then 'opt_out' else 'text' end
  );
end
$function$;

create or replace function private.open_conversation (
  lead public.recruiting_leads,
  agent_id uuid
)
  returns public.recruiting_conversations
  language plpgsql
  set search_path to ''
  AS $function$
declare
  number text;
  opened public.recruiting_conversations;
begin
  -- Of two calls at once, the second finds the conversation of the first.
  perform private.lock_consent(lead.agency_id, lead.phone);
  number := coalesce(
    private.known_service_number(lead.agency_id, lead.phone),
    private.least_used_service_number(lead.agency_id, lead.phone));
  if number is null then
    return null;
  end if;

  insert into public.recruiting_conversations as c (
    recruiting_lead_id, agency_id, recruit_phone, service_phone, assigned_agent_id
  )
  values (lead.id, lead.agency_id, lead.phone, number, open_conversation.agent_id)
  on conflict (recruit_phone, service_phone) do update
  set recruiting_lead_id = coalesce(c.recruiting_lead_id, excluded.recruiting_lead_id)
  -- Somebody may have just made it for another agency.
  where c.agency_id = excluded.agency_id
  returning c.* into opened;
  return opened;
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
  set state = excluded.state, source = excluded.source, changed_at = excluded.changed_at
  where c.changed_at <= excluded.changed_at;
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

create or replace function private.refuse_texts (
  agency_id uuid,
  phone text
)
  returns void
  language plpgsql
  set search_path to ''
  AS $function$
begin
  with refused as (
    update public.text_outbox o
    set state = 'refused', reason = 'opted_out'
    from public.recruiting_conversations c
    where c.agency_id = refuse_texts.agency_id
      and c.recruit_phone = refuse_texts.phone
      and o.conversation_id = c.id
      and o.state = 'pending'
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
    select m.id, m.body, m.created_at, t.opt_out_type
    from messages m
    join texts t on t.id = m.id
    order by m.created_at
  loop
    perform private.record_consent_in_text(
      new.agency_id, new.recruit_phone, message.body, message.opt_out_type, message.id, message.created_at);
    perform private.notify_of_text(new.id, message.id, message.body, message.opt_out_type);
  end loop;

  if message.id is not null then
    update public.recruiting_conversations c
    set last_message_at = greatest(c.last_message_at, message.created_at)
    where c.id = new.id;
  end if;
  return null;
end
$function$;

create or replace function public.hand_back_to_bot (
  conversation_id uuid
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  caller constant public.agents := private.current_agent();
begin
  update public.recruiting_conversations c
  set status = 'bot'
  where c.id = hand_back_to_bot.conversation_id
    and c.agency_id = caller.agency_id
    and (c.assigned_agent_id = caller.id or caller.role = 'manager');
  if not found then
    raise exception 'conversation_id: there is no such conversation' using errcode = 'PT404';
  end if;
  return jsonb_build_object('conversation_id', conversation_id, 'status', 'bot');
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
  -- Before any row is locked (55_text_consents.sql).
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
      perform private.notify_of_text(conversation_id, message_id, body, opt_out_type);
    end if;
  end if;
  return jsonb_build_object('status', case when conversation_id is null then 'no_conversation' else 'received' end);
end
$function$;

create or replace function public.record_text_consent (
  phone text,
  state text,
  reason text
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  caller constant public.agents := private.current_agent();
begin
  if caller.role is distinct from 'manager' then
    raise exception 'only an active manager may record a consent' using errcode = 'insufficient_privilege';
  elsif coalesce(phone, '') !~ '^\+[1-9][0-9]{1,14}$' then
    perform private.invalid_field('phone', 'must be a number in E.164, such as +13125550100');
  elsif coalesce(state, '') not in ('opted_in', 'opted_out') then
    perform private.invalid_field('state', 'must be opted_in or opted_out');
  elsif coalesce(reason, '') !~ '[^[:space:]]' then
    perform private.invalid_field('reason', 'is required');
  end if;
  perform private.record_consent(caller.agency_id, phone, state, 'manager', agent_id => caller.id, reason => reason);
  return jsonb_build_object('phone', phone, 'state', state);
end
$function$;

create or replace function public.start_conversation (
  recruiting_lead_id uuid,
  agent_id uuid default null::uuid
)
  returns jsonb
  language plpgsql
  security definer
  set search_path to ''
  AS $function$
declare
  caller constant public.agents := private.current_agent();
  lead public.recruiting_leads;
  lead_agent_id uuid;
  conversation public.recruiting_conversations;
begin
  if caller.id is null then
    raise exception 'only an active agent may start a conversation' using errcode = 'insufficient_privilege';
  end if;
  select l.* into lead
  from public.recruiting_leads l
  where l.id = start_conversation.recruiting_lead_id
    and l.agency_id = caller.agency_id
    and (l.agent_id = caller.id or caller.role = 'manager');
  if not found then
    raise exception 'recruiting_lead_id: there is no such lead' using errcode = 'PT404';
  elsif coalesce(lead.phone, '') !~ '^\+[1-9][0-9]{1,14}$' then
    perform private.invalid_field('recruiting_lead_id', 'the lead has no phone number in E.164');
  elsif agent_id is not null and not exists (
    select from public.agents a
    where a.id = start_conversation.agent_id and a.agency_id = lead.agency_id and a.is_active
  ) then
    perform private.invalid_field('agent_id', 'must be an active agent of the lead''s agency');
  end if;

  lead_agent_id := (select a.id from public.agents a where a.id = lead.agent_id and a.is_active);
  conversation := private.open_conversation(lead, coalesce(agent_id, lead_agent_id));
  if conversation.id is null then
    raise exception 'recruiting_lead_id: its agency has no active service number' using errcode = 'PT409';
  end if;

  update public.recruiting_conversations c
  set assigned_agent_id = coalesce(
    start_conversation.agent_id,
    -- Whoever has taken a conversation over keeps it.
    case when c.status = 'escalated' then c.assigned_agent_id end,
    lead_agent_id,
    c.assigned_agent_id)
  where c.id = conversation.id;
  return jsonb_build_object('conversation_id', conversation.id, 'service_phone', conversation.service_phone);
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

create index recruiting_conversations_service_phone_created_at_idx on public.recruiting_conversations
  using btree (service_phone, created_at);

create trigger read_unmatched_consents
  after insert or update of agency_id, phone on public.service_numbers
  for each row
  execute function private.read_unmatched_consents();

comment on column "public"."unmatched_texts"."opt_out_type" is 'Twilio''s OptOutType, as received; null when there was none.';

comment on function "private"."agency_of_numbers"(text, text) is 'The agency that a text from the recruit to our number concerns: that of their conversation, else the number''s, else null.';

comment on function "private"."consent_in_text"(text, text) is 'The consent that a text gives (opted_in) or takes back (opted_out), or null. opt_out_type is Twilio''s OptOutType: START, STOP or HELP, which counts before the words because the account''s own keywords are in it; null or anything else: the words count.';

comment on function "private"."exact_opt_keyword"(text) is 'What these plain_words() are when they are a keyword: opt_out, opt_in or null.';

comment on function "private"."handle_failed_text"(uuid, text) is 'What follows when the provider could not deliver a message of ours. 21610: the recruit has opted out. 30034: the number may not send, and is paused. The agent who has written it is told.';

comment on function "private"."is_opt_out_wording"(text) is 'Whether these plain_words() are a sentence in English that asks for no more texts, and nothing else.';

comment on function "private"."known_service_number"(uuid, text) is 'The number of the agency that the recruit has last been in touch with, paused or not; null: none.';

comment on function "private"."least_used_service_number"(uuid, text) is 'The active number of the agency with the fewest conversations, counted up to 1,000; of several, the one that has got none for longest. Leaves out numbers that the recruit has a conversation with; null: there is none.';

comment on function "private"."lock_consent_of_numbers"(text, text) is 'Locks the consent that a text between these numbers may change, and that our number stays with its agency.';

comment on function "private"."lock_sent_text"(text, uuid, boolean) is 'Takes the locks that a callback needs, before any row: of the consent if it changes that, and of the MessageSid. Returns the outbound message that the callback is about, by its MessageSid or its id, or null.';

comment on function "private"."notify_of_text"(uuid, uuid, text, text) is 'Tells the assigned agent of an escalated conversation about an inbound text: as opt_out when it is one, else as text.';

comment on function "private"."open_conversation"(public.recruiting_leads, uuid) is 'The conversation of a lead''s recruit with its agency: the one with the number that the recruit knows, else a new one, assigned to this agent (null: nobody). The lead has an agency and a phone in E.164. Null when the agency has no active number.';

comment on function "private"."opt_keyword"(text) is 'What a text says about further texts: opt_out, opt_in or null. Only a text that says nothing else counts; case, punctuation, quotes and spaces do not. YES is an opt_in only from somebody who has opted out: the caller must look.';

comment on function "private"."plain_words"(text) is 'The words of a text in lower case, with one space between them and without punctuation, quotes and emoji.';

comment on function "private"."read_unmatched_consents"() is 'Trigger: what recruits have texted to a number before an agency had it holds for the agency.';

comment on function "private"."record_consent_in_text"(uuid, text, text, text, uuid, timestamp
  with time zone) is 'Records the consent that an inbound text gives or takes back, if any. The text is of an agency and of a recruit''s number; agency_id null: of none yet. opt_out_type: as of consent_in_text(). occurred_at: when it came; null: now.';

comment on function "private"."refuse_texts"(uuid, text) is 'Refuses the agency''s texts to this number that wait to be sent: their messages are failed, with the provider''s code 21610. The caller holds the consent''s lock.';

comment on function "private"."service_number_lock"(text) is 'The advisory lock of a number of ours: of its texts, shared, and of whoever gives it to an agency.';

comment on function "private"."take_over_texts"() is 'Trigger: the unmatched texts of a new conversation become its inbound messages, with the time they were received at. A consent in them holds, and the agent of an escalated conversation is told.';

comment on function "public"."hand_back_to_bot"(uuid) is 'Gives a conversation back to the bot. It stays assigned, so that its agent can read on. The assigned agent may call it, and a manager of its agency. Returns {conversation_id, status: bot}, also when the bot has it already. PT404 for an unknown conversation, or one of other agents.';

comment on function "public"."receive_sms"(text, text, text, text, jsonb, uuid, text, timestamp
  with time zone) is 'Stores an inbound message in the conversation of these two numbers, once for each MessageSid and once for each message_id, which the caller makes so that it may repeat the call. media: [{url, content_type}]. Returns {status: received}, also when it was stored before. Without a conversation it stores the text in unmatched_texts in the same way, and returns {status: no_conversation}. An opt-in or opt-out holds with the message (opt_out_type: Twilio''s OptOutType), and the agent of an escalated conversation is told. received_at: when the provider got it; null: now.';

comment on function "public"."record_text_consent"(text, text, text) is 'Records what a recruit has said otherwise than by text, for the agency of the signed-in manager: state opted_in or opted_out, with the reason. An opt-out refuses the texts that wait. Returns {phone, state}. Errors: 42501 (HTTP 403) when the caller is no active manager; 22023 (400) names the field. The provider keeps a list of its own: to a recruit who has texted STOP to a number, it sends nothing from it before START, whatever is recorded here.';

comment on function "public"."start_conversation"(uuid, uuid) is 'The conversation with a lead''s recruit: the one that there is with the number of the agency that the recruit knows, or a new one with its least used active number. It takes over the recruit''s unmatched texts to that number. The lead''s agent may call it, and a manager of its agency. It is assigned to the agent named, else to the lead''s; one that is escalated already changes its agent only for one who is named. Returns {conversation_id, service_phone}. Errors: 42501 (HTTP 403) when the caller is no active agent; PT404 for an unknown lead or another agent''s; 22023 (400) when the lead has no phone in E.164 or the agent named is no active agent of the agency; PT409 when the agency has no active number.';

comment on function "public"."update_sms_status"(text, text, text, uuid, uuid) is 'Stores a delivery callback and sets the message''s status to queued, sent, delivered or failed (also for undelivered). Returns {status: updated}, or {status: ignored} for any other provider_status, without a message_sid, and when there is no such message yet; in that case the callback is applied when the message is stored. The caller makes the event_id so that it may repeat the call: a repeated one stores and changes nothing. message_id: the id of our message that the provider was given with it; a text of the outbox without a MessageSid gets this one. An error_code of 21610 opts the recruit out, and 30034 pauses our number.';

revoke all on function "private"."agency_of_numbers"(text, text) from public;

grant execute on function "private"."agency_of_numbers"(text, text) to "postgres", "service_role";

revoke all on function "private"."consent_in_text"(text, text) from public;

grant execute on function "private"."consent_in_text"(text, text) to "postgres", "service_role";

revoke all on function "private"."exact_opt_keyword"(text) from public;

grant execute on function "private"."exact_opt_keyword"(text) to "postgres", "service_role";

revoke all on function "private"."handle_failed_text"(uuid, text) from public;

grant execute on function "private"."handle_failed_text"(uuid, text) to "postgres", "service_role";

revoke all on function "private"."is_opt_out_wording"(text) from public;

grant execute on function "private"."is_opt_out_wording"(text) to "postgres", "service_role";

revoke all on function "private"."known_service_number"(uuid, text) from public;

grant execute on function "private"."known_service_number"(uuid, text) to "postgres", "service_role";

revoke all on function "private"."least_used_service_number"(uuid, text) from public;

grant execute on function "private"."least_used_service_number"(uuid, text) to "postgres", "service_role";

revoke all on function "private"."lock_consent_of_numbers"(text, text) from public;

grant execute on function "private"."lock_consent_of_numbers"(text, text) to "postgres", "service_role";

revoke all on function "private"."lock_sent_text"(text, uuid, boolean) from public;

grant execute on function "private"."lock_sent_text"(text, uuid, boolean) to "postgres", "service_role";

revoke all on function "private"."notify_of_text"(uuid, uuid, text, text) from public;

grant execute on function "private"."notify_of_text"(uuid, uuid, text, text) to "postgres", "service_role";

revoke all on function "private"."open_conversation"(public.recruiting_leads, uuid) from public;

grant execute on function "private"."open_conversation"(public.recruiting_leads, uuid) to "postgres", "service_role";

revoke all on function "private"."opt_keyword"(text) from public;

grant execute on function "private"."opt_keyword"(text) to "postgres", "service_role";

revoke all on function "private"."plain_words"(text) from public;

grant execute on function "private"."plain_words"(text) to "postgres", "service_role";

revoke all on function "private"."read_unmatched_consents"() from public;

grant execute on function "private"."read_unmatched_consents"() to "postgres";

revoke all
  on function "private"."record_consent_in_text"(uuid, text, text, text, uuid, timestamp with time zone)
  from public;

grant execute
  on function "private"."record_consent_in_text"(uuid, text, text, text, uuid, timestamp with time zone)
  to "postgres", "service_role";

revoke all on function "private"."refuse_texts"(uuid, text) from public;

grant execute on function "private"."refuse_texts"(uuid, text) to "postgres", "service_role";

revoke all on function "private"."service_number_lock"(text) from public;

grant execute on function "private"."service_number_lock"(text) to "postgres", "service_role";

revoke all on function "public"."hand_back_to_bot"(uuid) from public;

grant execute on function "public"."hand_back_to_bot"(uuid) to "authenticated", "postgres";

revoke all
  on function "public"."receive_sms"(text, text, text, text, jsonb, uuid, text, timestamp with time zone)
  from public;

grant execute
  on function "public"."receive_sms"(text, text, text, text, jsonb, uuid, text, timestamp with time zone)
  to "postgres", "service_role";

revoke all on function "public"."record_text_consent"(text, text, text) from public;

grant execute on function "public"."record_text_consent"(text, text, text) to "authenticated", "postgres";

revoke all on function "public"."start_conversation"(uuid, uuid) from public;

grant execute on function "public"."start_conversation"(uuid, uuid) to "authenticated", "postgres";

revoke all on function "public"."update_sms_status"(text, text, text, uuid, uuid) from public;

grant execute on function "public"."update_sms_status"(text, text, text, uuid, uuid) to "postgres", "service_role";

alter table "public"."unmatched_texts"
  add column "consent" text generated always as (private.consent_in_text(body, opt_out_type)) stored;

comment on column "public"."unmatched_texts"."consent" is 'What the text says about further texts: opted_in or opted_out. It holds when an agency gets the text or the number.';

create index unmatched_texts_service_phone_idx on public.unmatched_texts using hash (service_phone)
  where (consent is not null);
