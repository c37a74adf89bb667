import fc from "fast-check";
import assert from "node:assert/strict";
import { type RecruitText, type Script, type Session, step } from "./step.ts";

const SCRIPT: Script = {
  opening: "This is {agency}. Reply STOP to end.",
  questions: [
    { id: "licensed", ask: "Do you hold a license?", answer: "yes_no", then: { no: { skip_to: "hours" } } },
    { id: "states", ask: "In which states?", answer: "states" },
    { id: "hours", ask: "Full time or part time?", answer: { choice: { full_time: ["full"], part_time: ["part"] } } },
    { id: "years", ask: "How many years have you sold?", answer: { number: { min: 0, max: 60 } } },
    { id: "why", ask: "Why?", answer: "text" },
  ],
  done: "Thank you.",
  handoff: "A person will write to you.",
  handoff_words: ["agent"],
};
const NOW = new Date("2026-11-02T12:00:00Z");
const HANDED_OVER: Session = {
  ...{ question: "states", tries: 1, answers: { licensed: "yes" }, has_told_about: false, is_handed_over: true },
  ...{ asked_at: NOW.toISOString(), remind_at: null, expires_at: null },
};

function hear(texts: (string | RecruitText)[], session = HANDED_OVER) {
  const { answered = [], ...rest } = step(
    ...[SCRIPT, session, texts.map((text) => typeof text === "string" ? { body: text } : text), NOW] as const,
  );
  return { answers: Object.fromEntries(answered.map(({ question, value }) => [question, value])), ...rest };
}

Deno.test("after a hand-over the bot fills in what a text names, and nothing of a text that says more", () => {
  for (
    const [texts, answers] of [
      [["full time, 5 years"], { hours: "full_time", years: 5 }],
      [["TX and OK"], { states: ["OK", "TX"] }],
      [["full time", "5 years"], { hours: "full_time", years: 5 }],
      [["full time", "oops part time"], { hours: "part_time" }],
      [["oops, I am not licensed"], { licensed: "no" }],
      // Nothing names what it answers, or the text says more.
      ...["yes", "no", "5", "ok thanks", "because", "full time 🙄", "full time but only if it pays"]
        .map((text) => [[text], {}] as const),
      [["oops, something else"], {}],
      [["full time", "oops"], {}],
      [["full time", "not really"], {}],
      // It was answered before.
      [["I am not licensed"], {}],
    ] as const
  ) {
    assert.deepEqual(hear([...texts]), {
      ...{ answers, reply: null, session: null },
      ...(Object.keys(answers).length > 0 && { heard: "answer" }),
    }, texts.join());
  }
});

Deno.test("after a hand-over nothing is filled in beside what a person has to read", () => {
  for (
    const [text, heard] of [
      ["I don't want to live anymore. full time", "distress"],
      ["my husband passed away. full time", "bereavement"],
      [{ body: "full time", consent: "may_opt_out" }, "may_opt_out"],
      [{ body: "full time", is_automatic: true }, "automatic_reply"],
      [{ body: "full time", is_early: true }, undefined],
      ["full time?", undefined],
      ["full time, call me", undefined],
      ["asdf", undefined],
    ] as const
  ) {
    const { answers, heard: read } = hear([text]);
    assert.deepEqual([answers, read], [{}, heard], JSON.stringify(text));
  }
});

Deno.test("after a hand-over the bot never says anything, whatever is written", () => {
  const text = fc.record({ body: fc.oneof(fc.string(), fc.constantFrom("agent", "who is this", "yes", "HELP", "TX")) });
  fc.assert(fc.property(fc.array(text, { minLength: 1, maxLength: 25 }), (texts) => {
    const { reply, session, ended } = hear(texts);
    assert.deepEqual([reply, session, ended], [null, null, undefined]);
  }));
});

Deno.test("given back to the bot, a question that was answered meanwhile is not asked", () => {
  const back = (answers: Session["answers"]) =>
    step(SCRIPT, { ...HANDED_OVER, is_handed_over: false, asked_at: null, answers }, [{ body: "Hi" }], NOW);
  assert.equal(back({ licensed: "yes" }).reply, "In which states?");
  assert.equal(back({ licensed: "yes", states: ["TX"], hours: "full_time" }).reply, "How many years have you sold?");
  const all = back({ licensed: "yes", states: ["TX"], hours: "full_time", years: 5, why: "so" });
  assert.deepEqual([all.reply, all.ended!.reason], ["Thank you.", "done"]);
});
