import fc from "fast-check";
import assert from "node:assert/strict";
import { type Question, type Script, type Session, type Step, step } from "./step.ts";

const SCRIPT: Script = {
  opening: "This is {agency}. Reply STOP to end.",
  questions: [
    {
      id: "licensed",
      ask: "Do you hold a license?",
      answer: "yes_no",
      retry: "YES or NO, please.",
      then: { no: { skip_to: "interest" } },
    },
    { id: "states", ask: "In which states?", answer: "states" },
    {
      id: "interest",
      ask: "Full-time or part-time?",
      answer: { choice: { full: ["full-time"], part: ["part-time"] } },
    },
    { id: "since", ask: "Since when?", answer: "text", only_if: { licensed: "yes" } },
    {
      id: "still",
      ask: "Still looking?",
      answer: "yes_no",
      then: { no: { end: "not_interested" } },
    },
  ],
  done: "Thank you, {first_name}.",
  handoff: "A person will write to you.",
  handoff_words: ["agent", "call me"],
  remind_after: "20h",
};
const NOON = new Date("2026-11-02T12:00:00Z");
const later = (hours: number) => new Date(NOON.getTime() + hours * 3_600_000);
const iso = (hours: number) => later(hours).toISOString();

/** Plays a conversation and returns what was sent, and the last step. */
function play(
  texts: (string | string[])[],
  script = SCRIPT,
): { sent: (string | null)[]; last: Step } {
  const sent: (string | null)[] = [];
  let session: Session | null = null;
  let last!: Step;
  for (const turn of texts) {
    last = step(script, session, [turn].flat().map((body) => ({ body })), NOON);
    session = last.session;
    sent.push(last.reply);
  }
  return { sent, last };
}

const ASKED = Object.fromEntries(SCRIPT.questions.map(({ id, ask }) => [id, ask])) as Record<
  string,
  string
>;
const OPENED = `${SCRIPT.opening} ${ASKED.licensed}`;

Deno.test("a script goes from its opening to its last text, and hands over", () => {
  const { sent, last } = play(["yes", "Yes", "TX and Ok", "full-time pls", "last year", "yep"]);
  const { states, interest, since, still } = ASKED;
  assert.deepEqual(sent, [OPENED, states, interest, since, still, SCRIPT.done]);
  assert.equal(last.session, null);
  assert.deepEqual(last.ended, { state: "done", reason: "done", goes_to_person: true });
  assert.deepEqual(last.answered, { question: "still", value: "yes", said: "yep" });
});

Deno.test("an answer may skip questions, and a question may want an earlier answer", () => {
  assert.deepEqual(play(["hi", "no", "part time", "yes"]).sent, [
    OPENED,
    ASKED.interest,
    ASKED.still,
    SCRIPT.done,
  ]);
});

Deno.test("an end sends nothing and leaves its reason", () => {
  const { sent, last } = play(["hi", "no", "part time", "no"]);
  assert.deepEqual([sent.at(-1), last.ended], [null, {
    state: "done",
    reason: "not_interested",
    goes_to_person: false,
  }]);
});

Deno.test("what is no answer is asked once more, in other words where there are any, and handed over", () => {
  const { sent, last } = play(["hi", "no problem, yes", "hmm"]);
  assert.deepEqual(sent, [OPENED, "YES or NO, please.", SCRIPT.handoff]);
  assert.deepEqual(last.ended, {
    state: "escalated",
    reason: "not_understood",
    goes_to_person: true,
  });
  assert.deepEqual(play(["hi", "yes", "everywhere"]).sent.at(-1), ASKED.states);
  assert.deepEqual(
    play(["hi", "hmm", "yes", "everywhere"]).sent.at(-1),
    ASKED.states,
    "tries are a question's own",
  );
});

Deno.test("who asks for a person or asks back gets a person, also at once", () => {
  for (
    const text of [
      "What does it pay?",
      "I want an AGENT",
      "please call me.",
      "yes\nwho is this? ",
      '"is it remote?"',
    ]
  ) {
    for (const before of [[], ["hi"], ["hi", "yes"]]) {
      const { sent, last } = play([...before, text]);
      assert.deepEqual([sent.at(-1), last.ended?.reason], [SCRIPT.handoff, "asked"], text);
    }
  }
  assert.equal(play(["hi", ["what does it pay?", "yes"]]).last.ended?.reason, "asked");
  assert.notEqual(
    play(["hi", "the agents"]).last.ended?.reason,
    "asked",
    "a word within another is none",
  );
});

Deno.test("without a handoff nothing is sent before a person goes on", () => {
  const { handoff: _, ...script } = SCRIPT;
  assert.equal(play(["agent"], script).sent.at(-1), null);
});

Deno.test("texts of one turn are one answer", () => {
  assert.deepEqual(play(["hi", ["yes", "thanks"]]).last.answered, {
    question: "licensed",
    value: "yes",
    said: "yes\nthanks",
  });
  assert.equal(play(["hi", ["yes", "wait no"]]).last.answered, undefined);
});

Deno.test("after a person the question is asked anew, and the text before is no answer", () => {
  const { session } = step(SCRIPT, null, [{ body: "hi" }], NOON);
  const handedBack = { ...session!, asked_at: null, remind_at: "infinity", expires_at: null };
  assert.equal(step(SCRIPT, handedBack, [], later(100)).reply, null);
  const again = step(SCRIPT, handedBack, [{ body: "yes" }], later(100));
  assert.deepEqual([again.reply, again.answered, again.session?.asked_at], [
    ASKED.licensed,
    undefined,
    iso(100),
  ]);
  assert.equal(step(SCRIPT, handedBack, [{ body: "agent" }], later(100)).ended?.reason, "asked");
});

Deno.test("an answering machine gets no reply, and a person is told", () => {
  const { session } = step(SCRIPT, null, [{ body: "hi" }], NOON);
  const last = step(SCRIPT, session, [{ body: "I am driving", is_automatic: true }], NOON);
  assert.deepEqual([last.reply, last.session, last.ended?.reason], [null, null, "automatic_reply"]);
});

Deno.test("a question is asked again once in a conversation, and given up at last", () => {
  let { session } = step(SCRIPT, null, [{ body: "hi" }], NOON);
  assert.equal(step(SCRIPT, session, [], later(19)).reply, null);
  assert.deepEqual([session?.remind_at, session?.expires_at], [iso(20), iso(72)]);
  const reminder = step(SCRIPT, session, [], later(20));
  assert.equal(reminder.reply, ASKED.licensed);
  assert.equal(step(SCRIPT, reminder.session, [], later(71)).reply, null);
  assert.deepEqual([reminder.session?.remind_at, reminder.session?.expires_at], [null, iso(72)]);
  assert.deepEqual(step(SCRIPT, reminder.session, [], later(72)).ended, {
    state: "expired",
    reason: "expired",
    goes_to_person: false,
  });

  ({ session } = step(SCRIPT, reminder.session, [{ body: "yes" }], later(80)));
  assert.deepEqual(
    [session?.question, session?.asked_at],
    ["states", iso(80)],
    "an answer after its time counts",
  );
  assert.equal(step(SCRIPT, session, [], later(101)).reply, null, "there was one reminder");
});

Deno.test("3,000 random conversations: each ends, and sends at most 2n + 2 texts", () => {
  const word = fc.constantFrom(
    "yes",
    "no",
    "hmm",
    "red",
    "TX",
    "5",
    "agent",
    "pay?",
    "not yet",
    "",
  );
  const question = fc.record({
    answer: fc.constantFrom<Question["answer"]>(
      "yes_no",
      "states",
      "text",
      { choice: { red: [] } },
      {
        number: { min: 0, max: 9 },
      },
    ),
    jump: fc.constantFrom("none", "skip", "end"),
    depends: fc.boolean(),
  });
  const scripts = fc.array(question, { minLength: 1, maxLength: 12 }).map((questions): Script => ({
    ...SCRIPT,
    questions: questions.map(({ answer, jump, depends }, i): Question => ({
      id: `q${i}`,
      ask: `ask ${i}`,
      answer,
      ...(jump === "skip" && i + 2 < questions.length &&
        { then: { no: { skip_to: `q${questions.length - 1}` } } }),
      ...(jump === "end" && { then: { no: { end: "no" } } }),
      ...(depends && i > 0 && { only_if: { [`q${i - 1}`]: "yes" } }),
    })),
  }));
  // A turn is what the recruit writes, or an hour without a text.
  const turns = fc.array(fc.option(fc.array(word, { minLength: 1, maxLength: 3 })), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(scripts, turns, (script, given) => {
      let session: Session | null = null;
      let [sent, wroteSince, hasBegun] = [0, true, false];
      let hours = 0;
      for (const turn of [...given, ...Array<null>(80).fill(null)]) {
        if (hasBegun && session === null) break;
        const texts = (turn ?? []).map((body) => ({ body }));
        const before: Session | null = session;
        const taken: Step = step(script, session, texts, later(++hours));
        if (turn !== null) [hasBegun, wroteSince] = [true, true];
        if (taken.reply !== null) {
          const isReminder = turn === null;
          assert(wroteSince || isReminder, "two texts in a row");
          assert(
            !isReminder || (before!.remind_at !== null && taken.session!.remind_at === null),
            "one reminder",
          );
          [sent, wroteSince] = [sent + 1, isReminder && wroteSince];
        }
        assert.equal(taken.session === null && hasBegun, taken.ended !== undefined);
        if (taken.answered) assert.equal(taken.answered.question, before!.question);
        session = taken.session;
      }
      assert(!hasBegun || session === null, "it ends");
      assert(sent <= 2 * script.questions.length + 2);
    }),
    { numRuns: 3_000 },
  );
});
