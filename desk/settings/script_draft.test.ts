import assert from "node:assert/strict";
import type { Script } from "../../supabase/functions/worker/bot/script.ts";
import { type Draft, newAnswer, newQuestion, problemsOf, toDraft, toScript } from "./script_draft.ts";

const SCRIPT: Script = {
  opening: "Hi {first_name}, this is {agency}. STOP ends this.",
  questions: [
    { id: "licensed", ask: "Licensed?", answer: "yes_no", retry: "YES or NO?", then: { no: { skip_to: "hours" } } },
    { id: "states", ask: "Where?", answer: "states", only_if: { licensed: "yes" } },
    {
      id: "hours",
      ask: "Full or part time? ",
      answer: { choice: { full: ["full-time", "yes, full ", "FT"], part: [] } },
      then: { part: { end: "part_time" } },
    },
    {
      id: "years",
      ask: "How many years?",
      answer: { number: { min: -0.5, max: 60 } },
      only_if: { licensed: "yes", hours: "full" },
    },
    { id: "why", ask: "Why?", answer: "text" },
  ],
  done: "Thank you.",
  about: "{agency} looks for agents.",
  not_interested: "Thanks.",
  handoff: "{agent} will write.",
  handoff_words: ["agent", "call me, please"],
  remind_after: "20h",
  expire_after: "3d",
};

/** The script of a draft in which some questions have changed. */
function changed(changes: Record<number, Partial<Draft["questions"][number]>>, draft = toDraft(SCRIPT)): Script {
  return toScript({ ...draft, questions: draft.questions.map((question, n) => ({ ...question, ...changes[n] })) });
}

Deno.test("a script that is not edited stays as it is", () => {
  assert.deepEqual(toScript(toDraft(SCRIPT)), SCRIPT);
  const { opening, done, handoff_words } = SCRIPT;
  const least: Script = { opening, questions: [{ id: "a", ask: "A?", answer: "text" }], done, handoff_words };
  assert.deepEqual(toScript(toDraft(least)), least);
});

Deno.test("empty optional texts are left out, and required ones are not", () => {
  const script = toScript({ ...toDraft(SCRIPT), about: "", handoff: " \n", expire_after: "", done: "" });
  const { about: _, handoff: _1, expire_after: _2, ...rest } = SCRIPT;
  assert.deepEqual(script, { ...rest, done: "" });
  assert.equal("retry" in changed({ 0: { retry: " " } }).questions[0]!, false);
});

Deno.test("what depends on a question or an answer follows it when it is renamed or moved", () => {
  const draft = toDraft(SCRIPT);
  const [full, part] = draft.questions[2]!.answers.choice;
  const choice = [{ ...full!, name: "all_day" }, part!];
  const { questions } = changed({
    0: { id: "has_license" },
    2: { id: "time", answers: { ...draft.questions[2]!.answers, choice } },
  }, draft);
  assert.deepEqual(questions[0]!.then, { no: { skip_to: "time" } });
  assert.deepEqual(questions[1]!.only_if, { has_license: "yes" });
  assert.deepEqual(questions[3]!.only_if, { has_license: "yes", time: "all_day" });
  // The order is the database's to judge.
  const moved = toScript({ ...draft, questions: draft.questions.toReversed() });
  assert.deepEqual(moved.questions.toReversed(), SCRIPT.questions);
});

Deno.test("a question of another kind, and one that is removed, take with them what depends on their answers", () => {
  const states = changed({ 0: { kind: "states" } });
  assert.equal(states.questions[0]!.answer, "states");
  assert.equal(states.questions[0]!.then, undefined);
  assert.equal(states.questions[1]!.only_if, undefined);
  assert.deepEqual(states.questions[3]!.only_if, { hours: "full" });
  assert.deepEqual(changed({ 2: { kind: "number", min: "1", max: "many" } }).questions[2]!.answer, {
    number: { min: 1, max: "many" },
  });
  const draft = toDraft(SCRIPT);
  const without = toScript({ ...draft, questions: draft.questions.filter(({ id }) => id !== "hours") });
  assert.equal(without.questions[0]!.then, undefined);
  assert.deepEqual(without.questions[2]!.only_if, { licensed: "yes" });
});

Deno.test("two choices of one name both stay, with one word for two, which the database refuses", () => {
  const answers = { yes_no: [], choice: [newAnswer("full", ["ft"]), newAnswer("full"), newAnswer("part")] };
  assert.deepEqual(changed({ 2: { answers } }).questions[2]!.answer, {
    choice: { full: ["ft"], full_: ["full"], part: [] },
  });
});

Deno.test("a new question has an id that no other has", () => {
  assert.equal(newQuestion([{ id: "a" }]).id, "question_2");
  assert.equal(newQuestion([{ id: "question_2" }]).id, "question_3");
});

Deno.test("each line of a refusal finds its field", () => {
  const draft = toDraft(SCRIPT);
  draft.questions[1]!.id = "done";
  draft.questions[4]!.id = "";
  const lines = [
    "done: Is missing",
    "done: retry is longer than 3 segments",
    'done: then has "x", which is not an answer',
    'hours: Answer has "full" for two choices',
    'hours: answer has "part" for two choices',
    "opening: must have {agency}",
    "questions[4]: id must be lower-case letters, digits and _",
    'script: has no member "color".',
  ];
  const [, done, hours, , why] = draft.questions.map(({ key }) => key);
  assert.deepEqual(problemsOf(lines.join("\n"), draft), {
    done: "Is missing.",
    [`${done} retry`]: "Is longer than 3 segments.",
    [`${done} then`]: 'Has "x", which is not an answer.',
    [`${hours} answer`]: 'Has "full" for two choices. Has "part" for two choices.',
    opening: "Must have {agency}.",
    [`${why} id`]: "Must be lower-case letters, digits and _.",
    script: 'Has no member "color".',
  });
});
