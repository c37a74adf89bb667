/** What holds of the bot whatever is written. */
import fc from "fast-check";
import assert from "node:assert/strict";
import type { AnswerValue } from "./answers.ts";
import { type RecruitText, type Script, type Session, step } from "./step.ts";

const SCRIPT: Script = {
  opening: "This is {agency}. Reply STOP to end.",
  questions: [
    { id: "licensed", ask: "Do you hold a license?", answer: "yes_no", then: { no: { skip_to: "hours" } } },
    { id: "states", ask: "In which states?", answer: "states" },
    { id: "hours", ask: "Full-time or part-time?", answer: { choice: { full: ["full-time"], part: ["part-time"] } } },
    { id: "years", ask: "How many years have you worked in sales?", answer: { number: { min: 0, max: 60 } } },
    { id: "adult", ask: "Are you 18 or older?", answer: "yes_no" },
  ],
  done: "Thank you.",
  about: "We are {agency}.",
  not_interested: "All the best.",
  handoff: "A person will write.",
  handoff_words: ["agent"],
  remind_after: "20h",
};
const NOW = new Date("2026-11-24T12:00:00Z");

/** Pieces of texts, with all that each of them may say: a yes answers any question for one. */
const SAYING: Record<string, string[]> = {
  ...Object.fromEntries(["yes", "Yep!", "sí", "yeah", "👍", "for sure"].map((said) => [said, ["yes"]])),
  ...Object.fromEntries(["no", "Nope", "not yet", "nah", "👎"].map((said) => [said, ["no", "none", "0"]])),
  "I am licensed": ["yes"],
  "not licensed": ["no"],
  "none": ["none", "0"],
  "TX": ["TX"],
  "Ohio": ["OH"],
  "IN and ok": ["IN", "OK"],
  "the Carolinas": ["NC", "SC"],
  "full time": ["full"],
  "pt": ["part"],
  "Part-time please": ["part"],
  "40 hours a week": ["full"],
  "5": ["5"],
  "5 years": ["5"],
  "7 yrs in sales": ["7"],
  "a decade": ["10"],
  "6 months": ["0.5", "5.5"],
  "since 2015": ["11"],
  "I am 22": ["22", "yes"],
  "35 years old": ["35", "yes"],
  "17": ["17"],
  // In a list they are states.
  ...{ hi: ["HI"], ok: ["OK"], in: ["IN"], me: ["ME"], Or: ["OR"], de: ["DE"], la: ["LA"] },
};
/** They say nothing that a question asks for. */
const IDLE = [
  ...["lol", "sorry was asleep", "thanks", "hmm", "🙂", "my cat", "asdf", "?", "...", "and", "but", "HELP"],
  ...["is it remote", "who is this", "are you a bot", "agent", "not interested", "Liked “Do you hold a license?”"],
  ...["wait", "oops", "actually", "I meant", "my dad died", "at work", "wrong number", "driving"],
  ...["gracias", "je ne comprends pas", "tengo", "para"],
];
/** They turn what stands beside them into something else, so that no more than a no may be read of the whole. */
const DENYING = ["🙄", "yeah right", "anything but", "never again", "no longer", "except", "I doubt it", "not sure"];
/** They do so with a license. */
const DENYING_LICENSE = [
  ...["used to be", "my wife is", "if I pass", "would love to be", "pending", "expired", "soon", "in 3 weeks", "maybe"],
];

const separator = fc.constantFrom(" ", ", ", ". ", "\n", "! ", " - ", " and ", "; ");
const saying = fc.constantFrom(...Object.keys(SAYING));
const idle = fc.constantFrom(...IDLE);

/** A text of pieces, with the pieces. */
function textOf(piece: fc.Arbitrary<string>, most = 5): fc.Arbitrary<{ body: string; pieces: string[] }> {
  return fc.array(fc.tuple(piece, separator), { minLength: 1, maxLength: most }).map((parts) => ({
    body: parts.map(([piece, after], i) => i === parts.length - 1 ? piece : piece + after).join(""),
    pieces: parts.map(([piece]) => piece),
  }));
}

/** The bot at a question, where those before it have been answered. */
const atQuestion = fc.nat(SCRIPT.questions.length - 1).map((i): Session => {
  const before: Record<string, AnswerValue> = { licensed: "yes", states: ["WY"], hours: "part", years: 1 };
  const earlier = SCRIPT.questions.slice(0, i).map(({ id }) => [id, before[id]!] as const);
  return {
    ...{ question: SCRIPT.questions[i]!.id, tries: 0, answers: Object.fromEntries(earlier), has_told_about: false },
    ...{ asked_at: "2026-11-24T11:00:00Z", remind_at: null, expires_at: null },
  };
});
const session = fc.option(atQuestion, { nil: null });

function valuesIn(value: AnswerValue): string[] {
  return Array.isArray(value) ? value.length === 0 ? ["none"] : value : [String(value)];
}

function isNo(value: AnswerValue): boolean {
  return valuesIn(value).every((one) => /^(no|none|0)$/.test(one));
}

Deno.test("no answer is stored that the text does not say", () => {
  const text = textOf(fc.oneof({ weight: 3, arbitrary: saying }, idle));
  fc.assert(
    fc.property(session, fc.array(text, { minLength: 1, maxLength: 2 }), (session, texts) => {
      const { answered = [] } = step(SCRIPT, session, texts.map(({ body }) => ({ body })), NOW);
      const said = new Set(texts.flatMap(({ pieces }) => pieces.flatMap((piece) => SAYING[piece] ?? [])));
      for (const { question, value } of answered) {
        for (const one of valuesIn(value)) assert(said.has(one), `${question}: ${one}`);
      }
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("beside words that turn it round, no answer is stored but a no", () => {
  const denying = fc.constantFrom(...DENYING.map((words) => ({ words, of: /./ })))
    .chain((one) => fc.constantFrom(one, ...DENYING_LICENSE.map((words) => ({ words, of: /^(licensed|states)$/ }))));
  const text = fc.tuple(saying, separator, denying, fc.boolean());
  fc.assert(
    fc.property(session, text, (session, [said, between, { words, of }, isFirst]) => {
      const { answered = [] } = step(SCRIPT, session, [{
        body: isFirst ? words + between + said : said + between + words,
      }], NOW);
      const wrong = answered.filter(({ question, value }) => of.test(question) && !isNo(value));
      assert.deepEqual(wrong, []);
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("nothing is sent or stored after an opt-out, or where there may be one, whatever is written beside it", () => {
  const anything = fc.oneof(textOf(fc.oneof(saying, idle)).map(({ body }) => body), fc.string({ unit: "grapheme" }));
  const texts = fc.tuple(
    fc.array(anything, { maxLength: 3 }),
    fc.record({ body: anything, consent: fc.constantFrom("opted_out" as const, "may_opt_out" as const) }),
    fc.array(anything, { maxLength: 3 }),
  ).map(([before, one, after]): RecruitText[] => [
    ...before.map((body) => ({ body })),
    one,
    ...after.map((body) => ({ body })),
  ]);
  fc.assert(
    fc.property(session, texts, (session, texts) => {
      const isHelp = texts.every(({ body }) => /^\W*help\W*$/i.test(body));
      const { reply, session: next, answered, ended } = step(SCRIPT, session, texts, NOW);
      assert.deepEqual([reply, answered], [null, undefined]);
      if (!isHelp) assert.deepEqual([next, ended !== undefined], [null, true]);
    }),
    { numRuns: 1_000 },
  );
});
