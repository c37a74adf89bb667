-- Scripts that the bot takes, and the right to publish them.
begin;
select plan(48);
\ir ../helpers.psql

create temporary table good as select '{
  "opening": "Hi {first_name}, this is {agency}. Reply STOP to end.",
  "questions": [
    {"id": "licensed", "ask": "Licensed?", "answer": "yes_no", "retry": "YES or NO?", "then": {"no": {"skip_to": "hours"}}},
    {"id": "states", "ask": "Where?", "answer": "states", "only_if": {"licensed": "yes"}},
    {"id": "hours", "ask": "Full or part time?", "answer": {"choice": {"full": ["full-time"], "part": []}}, "then": {"part": {"end": "part_time"}}},
    {"id": "years", "ask": "How many years?", "answer": {"number": {"min": 0, "max": 60}}, "only_if": {"hours": "full"}}
  ],
  "done": "Thank you.", "about": "{agency} looks for agents.", "not_interested": "Thanks, {first_name}.", "handoff": "{agent} will write.", "handoff_words": ["agent"], "remind_after": "20h", "expire_after": "3d"
}'::jsonb as script;

select is(private.bot_script_problems(script), '{}', 'a script with every member is taken') from good;
select is(
  private.bot_script_problems('{"opening": "{agency} STOP", "questions": [{"id": "a", "ask": "A?", "answer": "text"}],
    "done": "Bye", "handoff_words": ["agent"]}'), '{}', 'and one with those that it needs');

create function pg_temp.problems(path text, value jsonb) returns text language sql as $$
  select array_to_string(private.bot_script_problems(case
    when path = '' then value
    when value is null then script #- path::text[]
    else jsonb_set(script, path::text[], value)
  end), E'\n')
  from good
$$;

-- Places of problems, and the words about them
select is(pg_temp.problems(path, value), said, coalesce(nullif(path, ''), 'the script') || ': ' || coalesce(left(value::text, 60), 'left out'))
from (values
  ('', '[]'::jsonb, 'script: must be an object'),
  ('', '{}', E'done: is missing\nhandoff_words: must be a list of 1 to 20 words\nopening: is missing\n'
    'questions: must be a list of 1 to 12 questions'),
  ('{color}', '"red"', 'script: has no member "color"'),
  ('{opening}', '"This is {agency}."', 'opening: must have the word STOP'),
  ('{opening}', '"Reply STOPP to {agency}"', 'opening: must have the word STOP'),
  ('{opening}', '"Reply STOP to end."', 'opening: must have {agency}'),
  ('{opening}', to_jsonb('{agency} STOP ' || repeat('x', 432)), 'opening: with the first question it is longer than 3 segments'),
  ('{done}', '" "', 'done: must be a text with something in it'),
  ('{done}', '"Bye {name}"', 'done: may have no braces but {first_name}, {agent} and {agency}'),
  ('{done}', to_jsonb(repeat('x', 460)), 'done: is longer than 3 segments'),
  ('{done}', to_jsonb(repeat('x', 459)), ''),
  ('{handoff}', to_jsonb(repeat('ж', 202)), 'handoff: is longer than 3 segments'),
  ('{about}', '["x"]', 'about: must be a text with something in it'),
  ('{about}', to_jsonb(repeat('x', 375)), ''),
  ('{about}', to_jsonb(repeat('x', 376)), 'about: with the opening and the first question it is longer than 3 segments'),
  ('{questions,2,ask}', to_jsonb(repeat('x', 430)), 'about: with the question "hours" it is longer than 3 segments'),
  ('{not_interested}', to_jsonb(repeat('x', 460)), 'not_interested: is longer than 3 segments'),
  ('{handoff_words}', '[]', 'handoff_words: must be a list of 1 to 20 words'),
  ('{handoff_words}', '["?"]', 'handoff_words: must be a list of 1 to 20 words'),
  ('{remind_after}', '"20"', 'remind_after: must be a time such as 20h, at most 30d'),
  ('{remind_after}', '"3d"', 'remind_after: must be shorter than expire_after'),
  ('{expire_after}', '"31d"', 'expire_after: must be a time such as 3d, at most 30d'),
  ('{expire_after}', '"60m"', 'remind_after: must be shorter than expire_after'),
  ('{questions,3}', '5', 'questions[3]: must be an object'),
  ('{questions,3,id}', '"Years"', 'questions[3]: id must be lower-case letters, digits and _'),
  ('{questions,3,id}', '"states"', 'states: id stands twice'),
  ('{questions,3,ask}', null, 'years: ask is missing'),
  ('{questions,3,hint}', '""', 'years: has no member "hint"'),
  ('{questions,0,retry}', to_jsonb(repeat('x', 460)), 'licensed: retry is longer than 3 segments'),
  ('{questions,3,answer}', '"maybe"', 'years: answer must be yes_no, states, text, a choice or a number'),
  ('{questions,3,answer}', '{"number": {"min": 5, "max": 1}}', 'years: answer must be a number from min to max, min not above max'),
  ('{questions,3,answer}', '{"choice": {"one": []}}', 'years: answer must be 2 to 12 choices, each with a name of lower-case letters, digits and _ and at most 20 words'),
  ('{questions,3,answer}', '{"choice": {"a": ["x"], "b": ["X "]}}', 'years: answer has "x" for two choices'),
  ('{questions,3,then}', '{"5": {"end": "five"}}', 'years: then has "5", which is not an answer'),
  ('{questions,0,then}', '{"no": {"skip_to": "licensed"}}', 'licensed: then skips to "licensed", which is not a later question'),
  ('{questions,2,then}', '{"full": {"skip_to": "states"}}', 'hours: then skips to "states", which is not a later question'),
  ('{questions,0,then}', '{"no": {"end": ""}}', 'licensed: then must end with a reason of lower-case letters, digits and _'),
  ('{questions,0,then}', '"no"', 'licensed: then must be an object'),
  ('{questions,1,only_if}', '{"years": "5"}', 'states: only_if has "years", which is not an earlier question'),
  ('{questions,1,only_if}', '{"licensed": "maybe"}', 'states: only_if has no answer of "licensed"')
) c (path, value, said);

-- The right to publish
select pg_temp.create_people();
create function pg_temp.publish(name text, script jsonb) returns jsonb language sql as $$
  select pg_temp.value_as(name, format('public.publish_bot_script(%L, %L)', md5('agency')::uuid, script))
$$;

select is((select pg_temp.publish('mia', script) -> 'version' from good), '1', 'a manager publishes for the own agency');
select is((select pg_temp.publish('mia', script) -> 'version' from good), '2', 'and again');
select throws_ok(format('select pg_temp.publish(%L, script) from good', name), '42501',
  'only a manager of the agency or an operator may publish a script', name || ' may not')
from unnest(array['ann', 'otto']) name;
select throws_ok($$select pg_temp.publish('mia', '[]')$$, '22023', 'script: must be an object', 'a bad script is not published');
select throws_ok('update public.bot_scripts set version = 9', '42501', 'bot_scripts is append-only', 'a published script never changes');

select * from finish();
rollback;
