set local check_function_bodies = off;

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
