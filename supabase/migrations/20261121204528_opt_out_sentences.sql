set local check_function_bodies = off;

drop function "private"."notify_of_text"(uuid, uuid, text, text);

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
begin
  -- No sentence is longer, and a long text is not worth the search.
  if length(words) > 100 then
    return false;
  end if;
  return replace(btrim(regexp_replace(regexp_replace(words, fillers, ' ', 'g'), ' +', ' ', 'g')), ' ', '_')
    ~ private.opt_out_sentences();
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
      ('<contacting>', '(texting|messaging|contacting|calling|bothering|bugging|spamming|harassing|writing(_to)?)'),
      ('<contact>', '(text|message|msg|sms|contact|call|bother|disturb|bug|spam|harass|write(_to)?|reach_out(_to)?)'),
      ('<person>', '(me|us|to_me|to_us|from_you|from_us|to_this_number|to_this_phone|this_number|this_phone|my_number|my_phone)'),
      ('<kind>', '(any|all|this|that|these|those|the|your|more|of|such|automated|spam|sms|text|marketing|further)'),
      ('<messages>', '(texts?|messages?|msgs?|texting|sms|spam|notifications?|alerts?|junk)'),
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
      perform private.notify_agent(
        conversation_id, message_id, case consent when 'opted_out' then 'opt_out' else 'text' end);
    end if;
  end if;
  return jsonb_build_object('status', case when conversation_id is null then 'no_conversation' else 'received' end);
end
$function$;

comment on function "private"."opt_out_sentences"() is 'A regular expression of the sentences that ask for no more texts, in lower case with underscores between the words.';

revoke all on function "private"."opt_out_sentences"() from public;

grant execute on function "private"."opt_out_sentences"() to "postgres", "service_role";
