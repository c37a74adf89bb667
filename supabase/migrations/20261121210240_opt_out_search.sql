set local check_function_bodies = off;

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
