import assert from "node:assert/strict";
import { type Script, step } from "./step.ts";

/** The longest text. */
const LENGTH = 1_600;
const MOST_SECONDS = 30;
const SCRIPT: Script = {
  opening: "This is {agency}.",
  questions: [
    { id: "licensed", ask: "Do you hold a license?", answer: "yes_no" },
    { id: "states", ask: "In which states?", answer: "states" },
    { id: "hours", ask: "Full-time or part-time?", answer: { choice: { full: ["full time"], part: ["part time"] } } },
    { id: "years", ask: "How many years of sales?", answer: { number: { min: 0, max: 60 } } },
    { id: "adult", ask: "Are you 18 or older?", answer: "yes_no" },
  ],
  done: "Thank you.",
  handoff_words: ["agent"],
};

Deno.test("5,000 texts are read within 30 seconds on a busy machine, whatever they have, also at the length of most", () => {
  const now = new Date("2026-11-24T12:00:00Z");
  const parts = "yes,TX ,full time ,5 years ,a,I am at work ,oops ,not ,? ,my dad's ,ﷺ,IN OK ,and ,no. ,half ".split(
    ",",
  )
    .concat("TX full time 5 years and yes, ", "the quick brown fox jumps over it. ");
  const began = performance.now();
  let count = 0;
  for (const length of [60, 240, LENGTH]) {
    for (const part of parts) {
      const body = part.repeat(Math.ceil(length / part.length)).slice(0, length);
      for (const { id: question } of SCRIPT.questions) {
        const session = {
          ...{ question, tries: 0, answers: {}, has_told_about: false },
          ...{ asked_at: now.toISOString(), remind_at: null, expires_at: null },
        };
        for (let i = 0; i < 20; i++, count++) step(SCRIPT, session, [{ body }], now);
      }
    }
  }
  assert(count > 5_000);
  assert(performance.now() - began < MOST_SECONDS * 1_000);
});
