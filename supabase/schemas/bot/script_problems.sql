-- The problems of a script: all of them at once, so that its writer need not ask again and again.

create function private.bot_script_problems(script jsonb) returns text[]
language plpgsql
immutable
set search_path = ''
as $$
declare
  word constant text := '^[a-z][a-z0-9_]{0,39}$';
  opening constant text := case jsonb_typeof(script -> 'opening') when 'string' then script ->> 'opening' end;
  about constant text := case jsonb_typeof(script -> 'about') when 'string' then script ->> 'about' end;
  questions constant jsonb := case jsonb_typeof(script -> 'questions') when 'array' then script -> 'questions' else '[]' end;
  first_ask constant text := case jsonb_typeof(questions #> '{0,ask}') when 'string' then questions #>> '{0,ask}' end;
  problems text[] := '{}';
begin
  if jsonb_typeof(script) is distinct from 'object' then
    return array['script: must be an object'];
  end if;
  problems := problems
    || private.unknown_members(script, 'script', array[
      'opening', 'questions', 'done', 'about', 'not_interested', 'handoff', 'handoff_words', 'remind_after',
      'expire_after'])
    || private.bot_text_problems('opening:', script -> 'opening', is_required => true)
    || private.bot_text_problems('done:', script -> 'done', is_required => true)
    || private.bot_text_problems('about:', script -> 'about')
    || private.bot_text_problems('not_interested:', script -> 'not_interested')
    || private.bot_text_problems('handoff:', script -> 'handoff')
    || array_remove(array[
      case when opening not like '%{agency}%' then 'opening: must have {agency}' end,
      case when opening !~ '\mSTOP\M' then 'opening: must have the word STOP' end,
      case
        when private.filled_segments(opening || ' ' || first_ask) > 3
          then 'opening: with the first question it is longer than 3 segments'
        when private.filled_segments(opening || ' ' || about || ' ' || first_ask) > 3
          then 'about: with the opening and the first question it is longer than 3 segments'
      end,
      case when jsonb_array_length(questions) not between 1 and 12 then 'questions: must be a list of 1 to 12 questions' end,
      case when private.is_word_list(script -> 'handoff_words', 1) is not true
        then 'handoff_words: must be a list of 1 to 20 words' end,
      case when private.bot_duration(script -> 'remind_after') = '0'
        then 'remind_after: must be a time such as 20h, at most 30d' end,
      case when private.bot_duration(script -> 'expire_after') = '0'
        then 'expire_after: must be a time such as 3d, at most 30d' end,
      case when private.bot_duration(script -> 'remind_after')
          >= nullif(coalesce(private.bot_duration(script -> 'expire_after'), '3 days'), '0')
        then 'remind_after: must be shorter than expire_after' end
    ], null);

  with question as (
    select
      q as question, n::integer as place, coalesce(q ->> 'id' ~ word, false) as has_id,
      case when q ->> 'id' ~ word then q ->> 'id' else format('questions[%s]', n - 1) end as label
    from jsonb_array_elements(questions) with ordinality e (q, n)
  )
  select problems || coalesce(array_agg(p.problem), '{}') into problems
  from question q
  cross join lateral (
    select format('%s: must be an object', q.label) as problem where jsonb_typeof(q.question) <> 'object'
    union all
    select format('%s: id must be lower-case letters, digits and _', q.label)
    where jsonb_typeof(q.question) = 'object' and not q.has_id
    union all
    select format('%s: id stands twice', q.label)
    where q.has_id and exists (select from question o where o.label = q.label and o.place < q.place)
    union all
    select unnest(
      private.unknown_members(q.question, q.label, array['id', 'ask', 'answer', 'retry', 'then', 'only_if'])
      || private.bot_text_problems(q.label || ': ask', q.question -> 'ask', is_required => true)
      || private.bot_text_problems(q.label || ': retry', q.question -> 'retry')
    )
    where jsonb_typeof(q.question) = 'object'
    union all
    select format('about: with the question "%s" it is longer than 3 segments', q.label)
    where q.place > 1 and jsonb_typeof(q.question -> 'ask') = 'string'
      and private.filled_segments(about) <= 3 and private.filled_segments(q.question ->> 'ask') <= 3
      and private.filled_segments(about || ' ' || (q.question ->> 'ask')) > 3
    union all
    select format('%s: answer must be %s', q.label, case
      when q.question -> 'answer' ? 'choice'
        then '2 to 12 choices, each with a name of lower-case letters, digits and _ and at most 20 words'
      when q.question -> 'answer' ? 'number' then 'a number from min to max, min not above max'
      else 'yes_no, states, text, a choice or a number'
    end)
    where jsonb_typeof(q.question) = 'object' and not private.is_bot_answer(q.question -> 'answer')
    union all
    select format('%s: answer has "%s" for two choices', q.label, w.word)
    from (
      select lower(btrim(w)) as word, c.name
      from jsonb_each(case when private.is_bot_answer(q.question -> 'answer') then q.question #> '{answer,choice}' end) c (name, words)
      cross join lateral (select jsonb_array_elements_text(c.words) union select c.name) as word (w)
    ) w
    group by w.word
    having count(distinct w.name) > 1
    union all
    select format('%s: %s must be an object', q.label, m.member)
    from unnest(array['then', 'only_if']) m (member)
    where jsonb_typeof(q.question -> m.member) <> 'object'
    union all
    select case
      when not t.answer = any (private.bot_answers(q.question -> 'answer')) then
        format('%s: then has "%s", which is not an answer', q.label, t.answer)
      when t.jump - 'skip_to' = '{}' and jsonb_typeof(t.jump -> 'skip_to') = 'string' then case
        when not exists (select from question l where l.place > q.place and l.label = t.jump ->> 'skip_to')
          then format('%s: then skips to "%s", which is not a later question', q.label, t.jump ->> 'skip_to')
      end
      when t.jump - 'end' = '{}' and t.jump ->> 'end' ~ word then null
      when t.jump ? 'end' then format('%s: then must end with a reason of lower-case letters, digits and _', q.label)
      else format('%s: then must have {"skip_to": <question>} or {"end": <reason>}', q.label)
    end
    from jsonb_each(case jsonb_typeof(q.question -> 'then') when 'object' then q.question -> 'then' end) t (answer, jump)
    union all
    select case
      when e.label is null then format('%s: only_if has "%s", which is not an earlier question', q.label, o.id)
      when not coalesce(o.value #>> '{}' = any (private.bot_answers(e.question -> 'answer')), false) then
        format('%s: only_if has no answer of "%s"', q.label, o.id)
    end
    from jsonb_each(case jsonb_typeof(q.question -> 'only_if') when 'object' then q.question -> 'only_if' end) o (id, value)
    left join question e on e.label = o.id and e.place < q.place
  ) p
  where p.problem is not null;
  return array(select distinct p collate "C" from unnest(problems) p order by 1);
end
$$;

comment on function private.bot_script_problems(jsonb) is
  'The problems of a script, each `<question id or member>: <problem>`, in the order of their letters; empty where '
  'nothing is.';

create function private.unknown_members(value jsonb, label text, known text[]) returns text[]
language sql
immutable
set search_path = ''
as $$
  select array(select format('%s: has no member "%s"', label, k) from jsonb_object_keys(value) k where k <> all (known))
$$;

comment on function private.unknown_members(jsonb, text, text[]) is
  'The problems of an object with members that are not known.';

create function private.bot_text_problems(label text, value jsonb, is_required boolean default false) returns text[]
language plpgsql
immutable
set search_path = ''
as $$
declare
  said constant text := value #>> '{}';
begin
  return case
    when value is null then case when is_required then array[label || ' is missing'] else '{}' end
    when jsonb_typeof(value) <> 'string' or said !~ '\S' then array[label || ' must be a text with something in it']
    else array_remove(array[
      case when regexp_replace(said, '\{(first_name|agent|agency)\}', '', 'g') ~ '[{}]'
        then label || ' may have no braces but {first_name}, {agent} and {agency}' end,
      case when private.filled_segments(said) > 3 then label || ' is longer than 3 segments' end
    ], null)
  end;
end
$$;

comment on function private.bot_text_problems(text, jsonb, boolean) is 'The problems of a text that a script sends.';

create function private.filled_segments(template text) returns integer
language sql
immutable
set search_path = ''
as $$
  select private.text_segments(regexp_replace(template, '\{(first_name|agent|agency)\}', repeat('x', 20), 'g'))
$$;

comment on function private.filled_segments(text) is 'The segments of a template with names of 20 letters.';

create function private.is_word_list(value jsonb, min integer) returns boolean
language plpgsql
immutable
set search_path = ''
as $$
begin
  if jsonb_typeof(value) is distinct from 'array' then
    return false;
  end if;
  return jsonb_array_length(value) between min and 20 and not exists (
    select from jsonb_array_elements(value) w where jsonb_typeof(w) <> 'string' or w #>> '{}' !~ '[[:alnum:]]'
  );
end
$$;

comment on function private.is_word_list(jsonb, integer) is
  'Whether it is a list of texts, at least min and at most 20, each with a letter or digit.';

create function private.bot_duration(value jsonb) returns interval
language plpgsql
immutable
set search_path = ''
as $$
declare
  given constant text := value #>> '{}';
begin
  if jsonb_typeof(value) = 'string' and given ~ '^[1-9][0-9]{0,4}[mhd]$' and given::interval <= '30 days' then
    return given::interval;
  end if;
  return case when value is not null then '0'::interval end;
end
$$;

comment on function private.bot_duration(jsonb) is
  'The time that `20h` or `3d` stands for; 0 for what is no such time, null for null.';

create function private.is_bot_answer(answer jsonb) returns boolean
language plpgsql
immutable
set search_path = ''
as $$
declare
  choice constant jsonb := answer -> 'choice';
  number constant jsonb := answer -> 'number';
begin
  return coalesce(case
    when answer in ('"yes_no"', '"states"', '"text"') then true
    when jsonb_typeof(answer) <> 'object' then false
    when answer - 'choice' = '{}' and jsonb_typeof(choice) = 'object' then
      (select count(*) between 2 and 12 and bool_and(k ~ '^[a-z][a-z0-9_]{0,39}$' and private.is_word_list(v, 0))
        from jsonb_each(choice) c (k, v))
    when answer - 'number' = '{}' and jsonb_typeof(number) = 'object' and number - 'min' - 'max' = '{}'
      and jsonb_typeof(number -> 'min') = 'number' and jsonb_typeof(number -> 'max') = 'number'
      then (number ->> 'min')::numeric <= (number ->> 'max')::numeric
  end, false);
end
$$;

comment on function private.is_bot_answer(jsonb) is 'Whether it is a kind of answer that a script may want.';

create function private.bot_answers(answer jsonb) returns text[]
language sql
immutable
set search_path = ''
as $$
  select case
    when answer = '"yes_no"' then array['yes', 'no']
    when private.is_bot_answer(answer) and answer ? 'choice' then array(select jsonb_object_keys(answer -> 'choice'))
    else '{}'
  end
$$;

comment on function private.bot_answers(jsonb) is
  'The answers of a question that others may depend on: yes and no, or the names of its choices.';
