set local check_function_bodies = off;

create or replace function private.greeting (
  template text,
  lead public.recruiting_leads
)
  returns text
  language plpgsql
  stable
  set search_path to ''
  AS $function$
declare
  agency_name constant text := (
    select private.visible_name(a.name) from public.agencies a where a.id = lead.agency_id
  );
  agent_name constant text := (
    select private.visible_name(concat_ws(' ', a.first_name, a.last_name)) from public.agents a where a.id = lead.agent_id
  );
  names constant jsonb := jsonb_build_object(
    'first_name', private.greeting_name(lead.first_name),
    'agent', coalesce(agent_name, agency_name),
    'agency', agency_name);
begin
  -- In one pass, so that a name with braces in it stays as it is.
  return (
    select string_agg(coalesce(names ->> part[1], part[2]), '' order by ordinal)
    from regexp_matches(template, '\{(\w+)\}|([^{]+)', 'g') with ordinality as parts (part, ordinal)
  );
end
$function$;

create or replace function private.greeting_name (
  first_name text
)
  returns text
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  name constant text := private.visible_name(first_name);
begin
  -- Applicants type their names themselves. What is no name is not sent on, such as an address.
  return case
    when name is null or length(name) > 50 or name ~ '[0-9/:@<>{}|\\^_=+*#%&$]' or name ~ '\.[[:alpha:]]{2}' then 'there'
    else name
  end;
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
  select private.utf16_length(template) <= 1600
    and template like '%{agency}%'
    and template ~ '\mSTOP\M'
    and regexp_replace(template, '\{(first_name|agent|agency)\}', '', 'g') !~ '[{}]'
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
  words constant text := private.opt_words(body);
begin
  return coalesce(private.exact_opt_keyword(words), case when words is not null then 'opt_out' end);
end
$function$;

create or replace function private.opt_words (
  body text
)
  returns text
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  return (
    select w.words
    -- An invisible character stands inside a word, or between two.
    from unnest(array[private.visible_text(body), private.visible_text(body, ' ')]) v (visible)
    cross join unnest(array[v.visible, private.without_signature(v.visible)]) r (reading)
    cross join private.plain_words(r.reading) w (words)
    where private.exact_opt_keyword(w.words) is not null or private.is_opt_out_wording(w.words)
    limit 1
  );
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
  -- What is no letter or digit of ASCII and no letter of another alphabet: spaces, punctuation, quotes, symbols, emoji.
  separators constant text :=
    '[\x01-\x2f\x3a-\x60\x7b-\xbf\u2000-\u2bff\u3000-\u303f\ufe30-\ufe6f\ufffc\ufffd\U0001f000-\U0001faff]+';
begin
  -- NFKC (Unicode Standard Annex 15) makes full-width letters plain ones.
  return btrim(regexp_replace(
    lower(normalize(translate(body, apostrophes, ''), nfkc) collate "C"), separators, ' ', 'g'));
end
$function$;

create or replace function private.queue_greeting (
  lead public.recruiting_leads
)
  returns void
  language plpgsql
  set search_path to ''
  set lock_timeout to '20ms'
  AS $function$
declare
  max_length constant integer := 1600;
  template text;
  conversation public.recruiting_conversations;
  body text;
begin
  select o.greeting_template into template
  from public.recruiting_orders o
  join public.vendors v on v.id = lead.vendor_id
  where o.id = lead.order_id and v.has_text_consent;
  if template is null
    or coalesce(lead.phone, '') !~ '^\+[1-9][0-9]{1,14}$'
    or lead.vendor_metadata -> 'is_test' is not distinct from 'true'
  then
    return;
  end if;

  perform private.lock_consent(lead.agency_id, lead.phone);
  if private.is_opted_out(lead.agency_id, lead.phone) or exists (
    -- The agency has texted the recruit before.
    select
    from public.recruiting_conversations c
    join public.recruiting_messages m on m.conversation_id = c.id
    where c.recruit_phone = lead.phone and c.agency_id = lead.agency_id and m.direction = 'outbound'
  ) then
    return;
  end if;

  body := private.greeting(template, lead);
  if private.utf16_length(body) > max_length then
    raise warning 'lead % is not greeted: the text has more than % UTF-16 units', lead.id, max_length;
    return;
  end if;
  conversation := private.open_conversation(lead, lead.agent_id);
  if conversation.id is null then
    raise warning 'lead % is not greeted: its agency has no active service number', lead.id;
  elsif conversation.status = 'bot' then
    perform private.queue_text(conversation.id, 'greeting', body);
  end if;
exception
  when lock_not_available then
    insert into private.waiting_greetings (lead_id) values (lead.id) on conflict do nothing;
  when others then
    -- Without the error's message, which may quote the lead.
    raise warning 'lead % is not greeted: SQLSTATE %', lead.id, sqlstate;
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
  words constant text := private.opt_words(body);
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

create or replace function private.utf16_length (
  given text
)
  returns integer
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  return length(given) + regexp_count(given, '[\U00010000-\U0010FFFF]');
end
$function$;

create or replace function private.visible_name (
  name text
)
  returns text
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
begin
  return nullif(btrim(regexp_replace(private.visible_text(name), '[ \n]+', ' ', 'g')), '');
end
$function$;

create or replace function private.visible_text (
  given text,
  instead text default ''::text
)
  returns text
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  -- Control characters, and what is drawn as nothing: Default_Ignorable_Code_Point (Unicode Standard, section 5.21) and the
  -- marks of annotations. Here are zero-width spaces and joiners, soft hyphens, marks of direction, variation selectors, tags.
  invisible constant text :=
    '[\x01-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e'
    '\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]';
  line_break constant text := '\r\n|[\x0a-\x0d\u0085\u2028\u2029]';
  -- [[:space:]] is not the same in every locale. The last but one is an empty pattern of Braille.
  blank constant text := '[\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]';
begin
  return regexp_replace(regexp_replace(regexp_replace(
    given, invisible, instead, 'g'), line_break, e'\n', 'g'), blank, ' ', 'g');
end
$function$;

create or replace function private.without_signature (
  visible text
)
  returns text
  language plpgsql
  immutable
  set search_path to ''
  AS $function$
declare
  signature constant text := $regex$(?xi)
    # A line of dashes (RFC 3676, section 4.3), and all that follows
    \n[ ]*[-–—_=*~]{2,}[ ]*\n.*$
    |
    (
      [ ]sent[ ]from[ ]my[ ][^\n]*
      |
      \n\s*(
        (this[ ]message[ ]was[ ])?sent[ ](from|via|with|using|through|on[ ]the)[ ][^\n]*
        | get[ ][^\n]+[ ]for[ ](ios|android|iphone|ipad|windows|mac|mobile)\M[^\n]*
        | (connected|powered)[ ]by[ ][^\n]*
        | (please[ ])?(excuse|forgive|pardon)[ ][^\n]*
        # The phones' own signatures in other languages
        | (enviad[oa]|envoy[eé]|inviato|gesendet|von[ ]mein|发自|發自|đã[ ]gửi[ ]từ)[^\n]*
        # A dash and a name
        | [-–—~][ ]*[^\s\d?!,:;/]+([ ][^\s\d?!,:;/]+){0,2}
      )
      [ ]*
    )+
    \n*$ $regex$;
begin
  return regexp_replace(visible, signature, '');
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
  if private.visible_text(coalesce(body, '')) !~ '[^ \n]' and files = '[]' then
    perform private.invalid_field('body', 'must not be empty');
  elsif private.utf16_length(body) > max_length then
    perform private.invalid_field('body', format(
      'must have at most %s characters, counted in UTF-16 units (most emoji have 2 or more)', max_length));
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

comment on column "public"."recruiting_orders"."greeting_template" is 'The text that each recruit of the order gets, if the vendor has their consent; null: none. At most 1,600 UTF-16 units, with {agency}, the word STOP, and if wanted {first_name} and {agent}.';

comment on function "private"."greeting"(text, public.recruiting_leads) is 'A greeting_template with the lead''s first name, its agent''s name (without an agent the agency''s) and its agency''s name, each as visible_name().';

comment on function "private"."opt_keyword"(text) is 'What a text says about further texts: opt_out, opt_in or null. Only a text that says nothing else counts; case, punctuation, quotes, spaces, invisible characters and a signature do not. YES is an opt_in only from somebody who has opted out: the caller must look.';

comment on function "private"."opt_words"(text) is 'The plain_words() of a text that is a keyword or an opt-out wording, and says nothing else; null for any other.';

comment on function "private"."plain_words"(text) is 'The words of a visible_text() in lower case, with one space between them and without punctuation, quotes and emoji.';

comment on function "private"."utf16_length"(text) is 'The length of a text in UTF-16 units, as the SMS provider and JavaScript count it. Most emoji have two or more.';

comment on function "private"."visible_name"(text) is 'A name on one line, as its reader sees it; null when there is nothing to see.';

comment on function "private"."visible_text"(text, text) is 'A text as its reader sees it: without characters that are drawn as nothing, change the direction or control a terminal. Its white space is spaces and line feeds alone. instead: what takes the place of each of those characters.';

comment on function "private"."without_signature"(text) is 'A visible_text() without what a phone, a mail program or its owner has put below it, such as "Sent from my iPhone". The lines must look like a signature: what else stands below a STOP is for a person to read.';

comment on function "public"."send_text"(uuid, text, uuid, jsonb) is 'Queues a text of the signed-in agent, who must be the conversation''s assigned agent, without one the agent of its lead, or a manager of its agency. body: at most 1,600 UTF-16 units, with something to see in it; may be empty with media, at most 10 of {url, content_type}. A `bot` conversation is taken over: it becomes escalated, and the sender''s. Returns {message_id, status: queued|held|duplicate, due_at, segments}: held by quiet hours or a paused number; duplicate for a client_message_id that the conversation has, with the values of the first call. Errors: 22023 (HTTP 400) names the field; 42501 (403) when the caller is no active agent; PT404 for an unknown conversation or another agent''s; PT403 when the recruit has opted out; PT409 when the conversation''s number is not one of the agency''s.';

revoke all on function "private"."opt_words"(text) from public;

grant execute on function "private"."opt_words"(text) to "postgres", "service_role";

revoke all on function "private"."utf16_length"(text) from public;

grant execute on function "private"."utf16_length"(text) to "postgres", "service_role";

revoke all on function "private"."visible_name"(text) from public;

grant execute on function "private"."visible_name"(text) to "postgres", "service_role";

revoke all on function "private"."visible_text"(text, text) from public;

grant execute on function "private"."visible_text"(text, text) to "postgres", "service_role";

revoke all on function "private"."without_signature"(text) from public;

grant execute on function "private"."without_signature"(text) to "postgres", "service_role";
