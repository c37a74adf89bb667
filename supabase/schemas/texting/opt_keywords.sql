-- The texts that are an opt-out or an opt-in.
--
-- US law (47 CFR 64.1200(a)(10)) names seven words and counts "any reasonable method to clearly express a desire not to
-- receive further" texts. So plain sentences are an opt-out as well, though Twilio stops at eight words alone. A text
-- that says anything else too, such as "I can't stop thinking about it", is for a person to read. In doubt it is an
-- opt-out: START takes back one that was not meant, and nothing takes back a text that was not wanted. What a phone
-- adds by itself, a signature or invisible characters, says nothing.

create function private.consent_in_text(body text, opt_out_type text, out state text, out source text, out words text)
language plpgsql
immutable
set search_path = ''
as $$
begin
  if opt_out_type in ('START', 'STOP', 'HELP') then
    state := case opt_out_type when 'START' then 'opted_in' when 'STOP' then 'opted_out' end;
    source := 'provider';
    return;
  end if;
  select coalesce(private.opt_keyword(w.words), 'opted_out'),
    case when private.opt_keyword(w.words) is null then 'wording' else 'keyword' end, w.words
  into state, source, words
  -- An invisible character stands inside a word, or between two.
  from unnest(array[private.visible_text(body), private.visible_text(body, ' ')]) v (visible)
  cross join unnest(array[v.visible, private.without_signature(v.visible)]) r (reading)
  cross join private.plain_words(r.reading) w (words)
  where private.opt_keyword(w.words) is not null or private.is_opt_out_wording(w.words)
  limit 1;
end
$$;

comment on function private.consent_in_text(text, text) is
  'The consent that a text gives (state opted_in) or takes back (opted_out), or null; its source as in '
  'text_consent_events, and its plain_words(). Only a text that says nothing else counts; case, punctuation, quotes, spaces, '
  'invisible characters and a signature do not. YES counts only from somebody who has opted out: the caller must look. '
  'opt_out_type is Twilio''s OptOutType, which counts before the words because the account''s own keywords are in it: START, '
  'STOP or HELP; null or anything else: the words count.';

create function private.without_signature(visible text) returns text
language plpgsql
immutable
set search_path = ''
as $$
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
$$;

comment on function private.without_signature(text) is
  'A visible_text() without what a phone, a mail program or its owner has put below it, such as "Sent from my iPhone". The '
  'lines must look like a signature: what else stands below a STOP is for a person to read.';

create function private.plain_words(body text) returns text
language plpgsql
immutable
set search_path = ''
as $$
declare
  -- Removed, so that "don't" is one word however it is written.
  apostrophes constant text := '''`´‘’ʼ＇';
  -- Characters that are no letter or digit of ASCII and no letter of another alphabet: spaces, punctuation, quotes,
  -- symbols, emoji.
  separators constant text :=
    '[\x01-\x2f\x3a-\x60\x7b-\xbf\u2000-\u2bff\u3000-\u303f\ufe30-\ufe6f\ufffc\ufffd\U0001f000-\U0001faff]+';
begin
  -- NFKC (Unicode Standard Annex 15) makes full-width letters plain ones.
  return btrim(regexp_replace(
    lower(normalize(translate(body, apostrophes, ''), nfkc) collate "C"), separators, ' ', 'g'));
end
$$;

comment on function private.plain_words(text) is
  'The words of a visible_text() in lower case, with one space between them and without punctuation, quotes and emoji.';

create function private.opt_out_sentences() returns text
language plpgsql
immutable
set search_path = ''
as $$
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
    # A recruit who writes this has not given consent.
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
$$;

comment on function private.opt_out_sentences() is
  'A regular expression of the sentences that ask for no more texts, in lower case with underscores between the words.';

create function private.is_opt_out_wording(words text) returns boolean
language plpgsql
immutable
set search_path = ''
as $$
declare
  -- These change nothing, wherever they stand.
  fillers constant text :=
    '\m(please|pls|plz|kindly|just|ok|okay|hi|hello|hey|sorry|thanks|thank you|thx|no thanks|no thank you|i '
    'said|again|ever|sir|maam|forever|any ?more|(i am |im )?not interested|(can|could|would|will) you|you (need|have) '
    'to|(i want|i need|i would like|id like) you to)\M';
  telling_words constant text :=
    '\m(stop|s t o p|unsub|opt|cease|remove|delete|erase|unlist|revoke|withdraw|consent|leave|wrong|'
    '(un|quit|cancel|end|no|never|do|dont|take|get|go|let|lose|off)\M)';
begin
  -- No sentence is longer or without any of these words. Nearly all texts end here, and the search takes ten times as
  -- long.
  if length(words) > 100 or words !~ telling_words then
    return false;
  end if;
  return replace(btrim(regexp_replace(regexp_replace(words, fillers, ' ', 'g'), ' +', ' ', 'g')), ' ', '_')
    ~ private.opt_out_sentences();
end
$$;

comment on function private.is_opt_out_wording(text) is
  'Whether these plain_words() are a sentence in English that asks for no more texts, and nothing else.';

create function private.opt_keyword(words text) returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return case
    -- Twilio's words (https://www.twilio.com/docs/messaging/tutorials/advanced-opt-out), and those of the law.
    when words in ('stop', 'stopall', 'stop all', 'unsubscribe', 'cancel', 'end', 'quit', 'revoke', 'optout', 'opt out')
      then 'opted_out'
    when words in ('start', 'unstop', 'yes') then 'opted_in'
  end;
end
$$;

comment on function private.opt_keyword(text) is
  'The consent that these plain_words() give or take back when they are a keyword: opted_in, opted_out or null.';
