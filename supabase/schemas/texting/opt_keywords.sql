-- The texts that are an opt-out or an opt-in.
--
-- US law (47 CFR 64.1200(a)(10)) names seven words and counts "any reasonable method to clearly express a desire not to
-- receive further" texts. A wish to end them is therefore an opt-out in any words, also in the middle of a sentence,
-- although Twilio itself stops only at eight words. START reverts an unintended opt-out, while nothing takes back an
-- unwanted text. An ambiguous text, such as "no thanks" or "don't text me before 9", is not an opt-out: the bot does not
-- reply, and a person reads it. Text that a phone adds, such as a signature or invisible characters, is ignored.

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
  from (
    select distinct r.reading
    from unnest(array[private.visible_text(body), private.visible_text(body, ' ')]) v (visible)
    cross join unnest(array[v.visible, private.without_signature(v.visible)]) r (reading)
  ) r
  cross join private.plain_words(r.reading) w (words)
  where private.opt_keyword(w.words) is not null
    or private.is_opt_out_wording(w.words)
    or private.wish_to_end(r.reading) = 'opted_out'
  -- What looks like a signature may be a wish to end the texts, which counts before an opt-in.
  order by case private.opt_keyword(w.words) when 'opted_out' then 0 when 'opted_in' then 2 else 1 end, w.words
  limit 1;
end
$$;

comment on function private.consent_in_text(text, text) is
  'Returns the consent that a text gives (state opted_in) or withdraws (opted_out), or null; its source as in '
  'text_consent_events; and its plain_words(). A keyword counts alone, a wish to end the texts wherever it stands; case, '
  'punctuation, quotes, spaces, invisible characters and a signature do not matter. Of both, the opt-out counts. YES counts only '
  'after an opt-out, which the caller must check. opt_out_type is Twilio''s OptOutType, which counts before the words because '
  'the account''s own keywords are in it: START, STOP or HELP; null or anything else: the words count.';

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
  -- Characters other than ASCII letters and digits and the letters of other alphabets: spaces, punctuation, quotes,
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

create function private.clauses(visible text) returns text
language plpgsql
immutable
set search_path = ''
as $$
declare
  apostrophes constant text := '''`´‘’ʼ＇';
  accents constant text := 'áàâäãéèêëíìîïóòôöõúùûüñç';
  plain constant text := 'aaaaaeeeeiiiiooooouuuunc';
  ends constant text := '[.,;:!?¡¿…|()\n/]+|\m(but|however|although|though|pero)\M';
  words text := lower(normalize(translate(visible, apostrophes, ''), nfkc) collate "C");
begin
  words := regexp_replace(translate(words, accents, plain), ends, ' | ', 'g');
  return '| ' || btrim(regexp_replace(words, '[^a-z0-9|]+', ' ', 'g')) || ' |';
end
$$;

comment on function private.clauses(text) is
  'The clauses of a visible_text(), as `| please stop | i am busy |`: in lower case and ASCII, '
  'without accents and apostrophes. A comma, another mark, a line break and "but" end a clause.';

create function private.wishes_to_end() returns text
language plpgsql
immutable
set search_path = ''
as $$
declare
  wishes text := $regex$(?x)
    # A clause of its own: stop | please stop now | stpo
    \|\s(<filler>\s)*(<stop>|stop\s?all|unsub\w*|unsc?ub?scribe|opt\s?out|quit\sit)(\s(it|this|that|all|now|right\snow|already|immediately|<stop>|<filler>))*\s\|(?!(\ssent\sfrom\s\w+\s\w+\s\|)?\s(by|in|over|at|signs?|the)\M)
    # stop texting me, wherever it stands
    | <may_ask>(<stop>|no\smore)(\s(all|with))?\s<contacting>((\s(and|or))?\s<contacting>)*(\s<whom>)*<no_condition>
    | <may_ask><stop>\s((with|sending|receiving|getting)\s)?((me|us)\s)?(<kind>\s)+<messages>(\s<whom>)*<no_condition>
    | <may_ask><stop>\ssending\s(me|us)\M<no_condition>
    # do not text me
    | <not_about_you>(do\snot|dont|never|no\slonger)\s(ever\s)?<contact>((\s(and|or))?\s<contact>)*(\s<whom>)+<no_condition>(?!\s<now>)
    | \|\s(<filler>\s)*(do\snot|dont|never)\s(ever\s)?(te?xt|message|msg|contact|call)(\s(again|any\s?more|ever|back))?\s\|
    # no more | no more messages | I want no more of this
    | \|\s(<filler>\s)*no\smore((\sof)?\s(<kind>\s)*(<messages>|calls?|please|pls|this|contact|thanks|thank\syou)((\s(or|and))?\s(<messages>|calls?))*)?\s\|
    | \m(no|dont\swant\s(any)?|do\snot\swant\s(any)?|dont\ssend|do\snot\ssend)\s?(me\s)?(any\s)?more\s(<kind>\s)*<messages>\M
    # take me off, remove my number
    | \m(take|remove|delete|get|erase)\s(me|us|him|her|my\s(number|phone|name|info|information|contact)|this\snumber)\s((off|out)\M|from\s(<kind>\s|our\s|contact\s)*(lists?|system|database|records|phone|texts))
    | \|\s(<filler>\s)*(remove|delete|erase|unlist)\s(me|us|my\s(number|phone|info|information))(\s(now|asap|immediately|<filler>))*\s\|
    | \m(leave|let)\s(me|us)\s(the\s\w+\s)?(alone|be)\M | \mlose\s(my|this)\s(number|digits)\M | \|\s(<filler>\s)*(fuck|piss|bug|buzz|go)\s(off|away)\M
    | \m(un\s?subscribe|unsub)\s(me|from|us)\M | \m(i|please|pls|me)\s((want|wish|need|like)\s)?(to\s)?(be\s)?(opt(ed)?|opting)\sout(\s(of|from)\s(<kind>\s)*(<messages>|lists?|this|here|it|all)|\s\||\snow|\splease)
    # who gave you permission
    | \m(never|didnt|did\snot|do\snot|dont|havent|have\snot)\s(gave|given|give|giving)\s(\w+\s){0,3}(permission|consent)\M
    | \m(revoke|withdraw|revoking|withdrawing)\s(my\s|all\s|any\s)?(consent|permission)\M | \m(no|without(\smy)?)\s(permission|consent)\M
    # what follows otherwise
    | \m(report|reporting|reported|block|blocking|sue|suing)\s(you|u|ya|this\s(number|company|spam|as\sspam)|your\s(number|company|agency))\M
    | \m(fcc|ftc|tcpa)\M | \mdo\snot\scall\s(list|registry)\M | \m(hear|hearing|call|calls|letter|contacted)\s(from|by)\s(my|our)\s(attorney|lawyer)
    | \m(call(ing)?|contact(ing)?|get(ting)?|talk(ing)?\sto|going\sto)\s(my|our|an?)\s(attorney|lawyer)\s(if|on|about|and|\|)
    | \m(this|you|its|it|youre|a)\s(is\s|are\s|r\s)?(just\s)?(an?\s)?harass(ing|ment|er)?\M
    # wrong number, in the middle of a sentence
    | \m(you|u)\s(have|got|have\sgot|must\shave|hav)\s(the\s|a\s)?wrong\s(number|person)\M | \m(its|this\sis|thats)\s(the\s|a\s)?wrong\s(number|person)\M
    # Spanish
    | \mno\s(me|nos|le|les)\s(manden?|mandes|envien?|envies|escriban?|escribas|llamen?|llames|contacten?|contactes|molesten?|molestes|texteen?|textees)\M(?!\s(ahora|hoy|antes|hasta|en\s|a\sla))
    | \m(dejen?|deja|paren?|para|parar)\s(ya\s)?de\s(mandar|enviar|escribir|llamar|molestar|textear|contactar)(me|nos|le)?\M
    | \m(dejame|dejeme|dejenme|dejanos)\s(en\spaz|tranquil[oa])\M | \|\s(<filler>\s)*(alto|parar|pare|paren|basta|ya\sno|ya\sbasta|ya\spare|no\smas)(\s(mensajes|textos|por\sfavor|gracias))*\s\|
    | \mno\s(quiero|deseo|necesito)\s(mas|recibir(\smas)?)\s(mensajes|textos|llamadas|nada|esto)\M
    | \m(quit|borr|elimin|sac)(ame|eme|enme|en\smi\snumero|e\smi\snumero)\M | \m(darme|deme|denme)\sde\sbaja\M | \mnumero\sequivocado\M
    $regex$;
  part record;
begin
  for part in
    select *
    from (values
      ('<may_ask>', '(\m(can|could|would|will|should|must|please|pls|plz|want|need|told|asked|tell|make)\s(you|u|yall|them|guys)'
        '(\s(to|please|pls|just|kindly|all|guys))*\s|(?<!\m(dont|not|never|cant|cannot|wont|didnt|doesnt|couldnt|t|i|we|they|he|she|if|when|'
        'why|reply|text|say|says|saying|you|u|havent|hasnt|wouldnt|type|send)\s))\m'),
      ('<not_about_you>', '(?<!\m(you|u|they|people|why|if|he|she|guys|recruiters)\s)\m'),
      ('<no_condition>', '(?!\s<whom>)\M(?!\s(before|until|till|between|during|while|when|whenever|at|on|so|if|unless|by|in|too|after\s'
        '(\d|work|school|hours|noon|dark|midnight|the|eight|nine|ten|five|six|seven)))'),
      ('<now>', '(now|right\snow|today|tonight|tomorrow|yet|and\sdrive|or\sdrive|first|this|later|about|back|your)\M'),
      ('<stop>', '(stop+|stpo|sotp|tsop|stp|sto|s\stop|dtop|atop|stio|stopo|satop|stoip|sttop|sstop|quit|cease|cease\sand\sdesist|discontinue)'),
      ('<contacting>', '(te?xti?ng|texting|messaging|messeging|contacting|calling|bothering|bugging|spamming|harassing|writing|reaching\sout|'
        'hitting\s(me|us)\sup|blowing\sup\smy\sphone)'),
      ('<contact>', '(te?xt|message|msg|sms|contact|call|bother|bug|spam|harass|write|reach\sout|hit|ever\scontact)'),
      ('<whom>', '(to\s)?(me|us|him|her|them|my\s(number|phone|husband|wife|son|daughter|mom|mother|dad|father)|this\s(number|phone|person)|'
        'here|again|any\s?more|ever|please|from\syou|up)\M'),
      ('<kind>', '(any|all|this|that|these|those|the|your|you|more|of|such|automated|spam|sms|text|marketing|further|stupid|damn|so|many|texting|mailing|calling)'),
      ('<messages>', '(te?xts?|messages?|msgs?|te?xting|sms|spam|notifications?|alerts?|junk|contact|list)'),
      ('<filler>', '(please|pls|plz|kindly|just|ok|okay|hi|hello|hey|sorry|thanks|thank\syou|thx|no|and|then|now|yes|yeah|so|i\ssaid|sir|maam|'
        'por\sfavor|gracias|ya|again|any\s?more|forever|bro|man|lol|omg|wtf|seriously|enough)')
    ) as parts (name, expression)
  loop
    wishes := replace(wishes, part.name, part.expression);
  end loop;
  return wishes;
end
$$;

comment on function private.wishes_to_end() is
  'A regular expression of the wishes for no more texts, wherever they stand among private.clauses().';

create function private.wish_to_end(visible text) returns text
language plpgsql
immutable
set search_path = ''
as $$
declare
  -- Each wish, and each text for a person to read, has one of these words.
  telling_words constant text :=
    '\m(stop\w*|stpo|sotp|tsop|stp|sto|dtop|atop|stio|stopo|satop|stoip|sttop|sstop|uns\w+|opt\w*|quit\w*|cease\w*|cancel|end|remove|delete|erase|take|leave|lose|go|get|let|'
    'block\w*|spam\w*|scam\w*|harass\w*|bother\w*|bug\w*|report\w*|fcc|ftc|tcpa|attorneys?|lawyers?|sue|suing|permission|consent|'
    'more|never|dont|not|no|nah|wrong|good|pass|didnt|nevermind|discontinue|un|unlist|fuck|piss|buzz|'
    'alto|para[rn]?|paren?|basta|dej\w+|ya|quit[ae]\w*|borr\w*|elimin\w*|sac(ame|eme|enme|en|e)|baja|equivocado)\M';
  maybe constant text := $regex$(?x)
    \m(stop\w*|stpo|sotp|stp|unsub\w*|opt(ing|ed)?\sout|quit|cease\w*|harass\w*|spam\w*|scam\w*|fcc|ftc|tcpa|attorneys?|lawyers?|sue|suing|permission)\M
    | \m(dont|do\snot|never|no\slonger|not\sto)\s(\w+\s)?(te?xt|txt|message|msg|contact|call|write|bother|send|email)\M
    | \mno\smore\M(?!\s(than|questions)) | \mleave\s(me|us)\M | \mbother(ing)?\M | \m(remove|delete|take)\s(me|my|us)\M
    | \|\s((nah|no|hi|hey|sorry|ok|okay|um)\s)*(not\snow|no\sthanks?|no\sthank\syou|no\sty|nah\s(im\s)?good|(im|i\sam)\s(all\s)?good|pass|not\stoday|never\smind|nevermind|ya\sno|no\sgracias)(\s(good|thanks|though|bro|man|ty|sorry|im\sgood))*\s\|
    | \m(never|didnt|did\snot)\s(sign(ed)?\sup|appl(y|ied)|ask(ed)?\sfor\sthis|request(ed)?)\M | \mwrong\s(number|person)\M
    | \mno\sme\s\w+ | \mdejen?\w*\M | \m(basta|paren?)\M | \mblock(ed|ing)?\s(you|u|this)\M
    $regex$;
  text_clauses constant text := private.clauses(left(visible, 1600));
  -- Searching all of a long text would take ten times as long. A person reads one that may be a wish.
  read_clauses constant text := private.clauses(
    left(visible, 480) || case when length(visible) > 480 then '.' || right(visible, 240) else '' end);
begin
  -- Nearly all texts end here.
  if text_clauses !~ telling_words
    -- What a phone writes for a reaction quotes our words.
    or text_clauses ~ '^\| (dis)?(liked|loved|emphasi[sz]ed|questioned|laughed at|removed an?|reacted)\M'
  then
    return null;
  end if;
  if read_clauses ~ private.wishes_to_end()
    -- A person reads a text that asks for another way, or says that it was a mistake.
    and text_clauses !~ '\|\s((please|just|instead|can you|you can|pls)\s)*(text|email|e mail|call|message|write|phone|ring)\s(me|us)\M'
    and text_clauses !~ '\m(by mistake|i meant|wrong chat|meant for)\M'
    and text_clauses !~ '\m(what happens|what if|reply stop|to opt out|am i the wrong|is this the wrong|not the wrong)\M'
  then
    return 'opted_out';
  end if;
  if text_clauses ~ maybe and regexp_replace(text_clauses, $regex$(?x)
      \m(
        stop\s(signs?|lights?|light|watch|the\spresses|by|in|over|at|working|smoking|drinking)
        | (dont|do\snot|cant|cannot|can\snot|never|wont|didnt|did\snot|couldnt)\sstop\w*
        | (can|could|will|ill|may|to|i|ill\sjust|going\sto|gonna|we)\sstop\s(by|in|over) | (bus|non|truck|one|pit|full|short|next|last)\sstops? | stopped\s(by|working|at|in|doing|selling)
        | (quit|quitting|to\squit)\s(my|the|that|a|working|smoking|drinking|last|job|at|from|in) | i\squit | just\squit
        | (im|i\sam|as|became|become|being|was)\s(an?\s)?(\w+\s)?(attorney|lawyer) | (an?\s)?(attorney|lawyer)s?\s(office|firm) | power\sof\sattorney | paralegal
        | (have|has|got|with|get|ask|need|give|gave|given)\s(\w+\s)?permission
        | (dont|do\snot|never)\s(\w+\s)?(call|text|email)\s(it|that|people|clients|leads|customers|strangers) | cold\scall\w*
        | (worked|work|sell|sold|deal)\s\w*\s?spam
      )\M $regex$, ' ', 'g') ~ maybe
  then
    return 'may_opt_out';
  end if;
  return null;
end
$$;

comment on function private.wish_to_end(text) is
  'Whether a visible_text() asks for no more texts, in any words, in English or Spanish: `opted_out`; `may_opt_out` if it is '
  'ambiguous, for a person to read; else null. Wishes are searched in the first 480 and the last 240 characters, ambiguous '
  'ones in the first 1,600.';

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
  'Returns the consent that these plain_words() give or withdraw if they are a keyword: opted_in, opted_out or null.';
