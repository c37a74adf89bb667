import fc from "fast-check";
import assert from "node:assert/strict";
import { type Question, type RecruitText, type Script, type Session, type Step, step } from "./step.ts";

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
    { id: "still", ask: "Still looking?", answer: "yes_no", then: { no: { end: "not_interested" } } },
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
  assert.deepEqual(last.answered, [{ question: "still", value: "yes", said: "yep" }]);
});

Deno.test("a text from before the question had left costs no try, and only the later ones are read", () => {
  const { last: { session } } = play(["hi"]);
  const take = (...texts: { body: string; is_early?: boolean }[]) => step(SCRIPT, session, texts, NOON);
  assert.deepEqual(take({ body: "yes", is_early: true }), { reply: null, session, heard: "early" });
  const both = take({ body: "no", is_early: true }, { body: "yes" });
  assert.deepEqual(both.answered, [{ question: "licensed", value: "yes", said: "yes" }]);
  assert.equal(take({ body: "call me", is_early: true }).ended!.reason, "asked");
});

Deno.test("an answer may skip questions, and a question may want an earlier answer", () => {
  assert.deepEqual(play(["hi", "no", "part time", "yes"]).sent, [OPENED, ASKED.interest, ASKED.still, SCRIPT.done]);
});

Deno.test("an end sends nothing and leaves its reason", () => {
  const { sent, last } = play(["hi", "no", "part time", "no"]);
  assert.deepEqual([sent.at(-1), last.ended], [null, {
    state: "done",
    reason: "not_interested",
    goes_to_person: false,
  }]);
});

Deno.test("an attempt at an answer is asked for once more, anything else is a person's, and nothing is sent", () => {
  const { sent, last } = play(["hi", "no problem, yes", "maybe"]);
  assert.deepEqual(sent, [OPENED, "YES or NO, please.", null]);
  assert.deepEqual(last.ended, { state: "escalated", reason: "not_understood", goes_to_person: true });
  const again = `${ASKED.states} For example: TX, OK`;
  assert.deepEqual(play(["hi", "yes", "everywhere"]).sent.at(-1), again, "with what would be an answer");
  assert.deepEqual(play(["hi", "maybe", "yes", "everywhere"]).sent.at(-1), again, "tries are a question's own");
  for (const text of ["hmm", "my cat is on the keyboard", "asdf", "TX"]) {
    const { sent, last } = play(["hi", text, ...(text === "TX" ? ["huh"] : [])]);
    assert.deepEqual([sent.at(-1), last.ended?.reason], [null, "not_understood"], `${text} is no attempt`);
  }
});

const ABOUT = "{agency} looks for insurance agents.";
const COURTESY = "Thank you, {first_name}. We wish you well.";
const FULL_SCRIPT = { ...SCRIPT, about: ABOUT, not_interested: COURTESY };

Deno.test("who asks for a person gets one, also at once; who asks back gets one after the opening", () => {
  const asksForPerson = ["I want an AGENT", "please call me.", "Please give me a call", "yes\ncan you call me? "];
  for (const script of [SCRIPT, FULL_SCRIPT]) {
    for (const text of [...asksForPerson, '"is it remote?"', "yes\nWhere is it?"]) {
      for (const before of asksForPerson.includes(text) ? [[], ["hi"], ["hi", "yes"]] : [["hi"], ["hi", "yes"]]) {
        const { sent, last } = play([...before, text], script);
        const reason = asksForPerson.includes(text) ? "asked" : "question";
        assert.deepEqual([sent.at(-1), last.ended?.reason], [SCRIPT.handoff, reason], text);
      }
    }
  }
  assert.equal(play(["hi", ["where is it?", "yes"]]).last.ended?.reason, "question");
  assert.notEqual(play(["hi", "the agents"]).last.ended?.reason, "asked", "a word within another is none");
});

Deno.test("the opening is sent whatever the first text says, to a question with `about`", () => {
  const texts = ["hi", "Yes", "TX", "I have been an agent for 5 years", "🙂", "ok"];
  for (const text of texts) assert.deepEqual(play([text], FULL_SCRIPT).sent, [OPENED], text);
  for (const text of ["Who is this?", "who is this", "What does it pay?", "is it remote?", "yes?"]) {
    const { sent, last } = play([text], FULL_SCRIPT);
    assert.deepEqual(sent, [`${SCRIPT.opening} ${ABOUT} ${ASKED.licensed}`], text);
    assert.equal(last.session?.has_told_about, true);
    assert.deepEqual(play([text]).sent, [OPENED], `${text}, without about`);
  }
});

Deno.test("who asks what it is about is told so once, costs no try and is asked the same question again", () => {
  for (const text of ["who is this", "how much does it pay", "yes\nwho is this?"]) {
    const { sent, last } = play(["hi", "maybe", text, "yes", "what is this about?"], FULL_SCRIPT);
    assert.deepEqual(
      sent,
      [OPENED, "YES or NO, please.", `${ABOUT} ${ASKED.licensed}`, ASKED.states, SCRIPT.handoff],
      text,
    );
    assert.equal(last.ended?.reason, "question", "once a session");
    assert.equal(play(["hi", "maybe", text, "maybe"], FULL_SCRIPT).last.ended?.reason, "not_understood", "tries go on");
    assert.deepEqual(play(["hi", text]).sent, [OPENED, SCRIPT.handoff], "without about a person goes on");
  }
});

Deno.test("HELP gets no text and costs no try, and what is written beside it is read", () => {
  const { sent, last } = play(["help", "hi", "HELP", "maybe", "Help!", ["HELP", "yes"]]);
  assert.deepEqual(sent, [null, OPENED, null, "YES or NO, please.", null, ASKED.states]);
  assert.equal(last.answered?.[0]?.value, "yes");
  const { session } = step(SCRIPT, null, [{ body: "hi" }], NOON);
  assert.deepEqual(step(SCRIPT, session, [{ body: "HELP" }], later(1)).session, session);
  assert.equal(step(SCRIPT, null, [{ body: "HELP" }], NOON).session, null);
});

Deno.test("who is not interested ends the script, with a courteous text where it has one", () => {
  for (const text of ["Not interested", "no longer interested", "I found another job", "no\nI’m not interested"]) {
    for (const [script, courtesy] of [[SCRIPT, null], [FULL_SCRIPT, COURTESY]] as const) {
      const { sent, last } = play(["hi", "yes", text], script);
      assert.deepEqual([sent.at(-1), last.session, last.answered], [courtesy, null, undefined], text);
      assert.deepEqual(last.ended, { state: "done", reason: "not_interested", goes_to_person: false });
    }
  }
  assert.equal(play(["hi", ["not interested", "call me"]]).last.ended?.reason, "asked", "a person is asked for");
});

Deno.test("who asks whether a bot writes is told so, and asked the same question again", () => {
  const bot = "Yes, this is an automated assistant of {agency}.";
  for (const script of [SCRIPT, FULL_SCRIPT]) {
    const { sent, last } = play(["hi", "are you a bot?", "yes", "am I talking to a robot"], script);
    assert.deepEqual(sent, [OPENED, `${bot} ${ASKED.licensed}`, ASKED.states, `${bot} ${SCRIPT.handoff}`]);
    assert.equal(last.ended?.reason, "question");
  }
});

Deno.test("what concerns a person goes to one with its reason, and nothing is sent, not even at first", () => {
  const reasons = {
    "my husband passed away last week": "bereavement",
    "I'm in the hospital": "health",
    "I don't want to live anymore": "distress",
    "you will hear from my lawyer": "legal",
    "I'm 17": "minor",
    "this is her mom": "other_person",
    "wrong number": "wrong_number",
    "je ne comprends pas": "language",
    "I'm deaf": "accessibility",
    "no, I'm at work": "busy",
    "I’m driving with Do Not Disturb While Driving turned on.": "machine",
    "": "media",
  };
  for (const [text, reason] of Object.entries(reasons)) {
    for (const before of [[], ["hi"], ["hi", "yes"]]) {
      const { sent, last } = play([...before, text], FULL_SCRIPT);
      assert.deepEqual([sent.at(-1), last.ended], [null, { state: "escalated", reason, goes_to_person: true }], text);
      assert.equal(last.answered, undefined);
    }
  }
  assert.equal(play(["no"]).last.ended?.reason, "answers_greeting");
  assert.deepEqual(play(["hi", ["yes", "my husband passed away"]]).last.ended?.reason, "bereavement");
});

Deno.test("a consent that is taken back, or may be, ends the script without a text", () => {
  const { session } = step(SCRIPT, null, [{ body: "hi" }], NOON);
  const take = (consent: RecruitText["consent"]) =>
    step(SCRIPT, session, [{ body: "yes" }, { body: "not now", consent }], NOON);
  assert.deepEqual([take("opted_out").reply, take("opted_out").ended?.state], [null, "stopped"]);
  assert.deepEqual([take("may_opt_out").reply, take("may_opt_out").ended?.reason], [null, "may_opt_out"]);
});

Deno.test("a correction changes the last answer, and the script goes on from there", () => {
  const answersOf = (...texts: (string | string[])[]) => play(texts).last.session?.answers;
  assert.deepEqual(answersOf("hi", "no", "wait I meant yes"), { licensed: "yes" });
  assert.equal(play(["hi", "no", "wait I meant yes"]).sent.at(-1), ASKED.states);
  assert.deepEqual(answersOf("hi", "yes", "TX", "oops IL"), { licensed: "yes", states: ["IL"] });
  assert.equal(play(["hi", "yes", "TX", "oops IL"]).sent.at(-1), ASKED.interest);
  assert.equal(answersOf("hi", "yes", "TX", "full time", "actually part time")?.interest, "part");
  assert.deepEqual(play(["hi", "no", "wait what"]).last.answered, undefined);
});

Deno.test("an answer to a later question is kept for it, and the question is not asked", () => {
  const { sent, last } = play(["hi", "Yes, TX and OK", "full time"]);
  assert.deepEqual(sent, [OPENED, ASKED.interest, ASKED.since]);
  assert.deepEqual(last.session?.answers, { licensed: "yes", states: ["OK", "TX"], interest: "full" });
  assert.deepEqual(play(["hi", "no, part time"]).last.session?.answers, { licensed: "no", interest: "part" });
  assert.deepEqual(
    play(["I want full time work"]).last.session?.answers,
    { interest: "full" },
    "also in the first text",
  );
});

Deno.test("a reaction is no answer, and changes none that is written beside it", () => {
  const { sent, last } = play(["hi", `Liked “${OPENED}”`, ["Loved “YES or NO, please.”", "yes"]]);
  assert.deepEqual(sent, [OPENED, null, ASKED.states], "nothing is sent to it");
  assert.equal(last.answered?.[0]?.value, "yes");
  assert.equal(play(["hi", "yes", "TX", "full-time", 'Liked "Since when?"']).last.answered, undefined);
});

Deno.test("more than 20 texts in a turn are a person's to read, and no texts are read slowly", () => {
  const flood = (count: number, body: string) => Array<string>(count).fill(body);
  assert.equal(play(["hi", flood(20, "yes")]).last.answered?.[0]?.value, "yes");
  assert.deepEqual(play(["hi", flood(21, "yes")]).last.ended?.reason, "not_understood");
  const parts = [
    ...["\uFDFA", "not interested until ", "TX ", "5 ", "yes,", "full time ,", "a", "I am at work ,", "oops ,", "? ,"],
    ...["my dad's ", "IN OK ", "and ", "no. ", "half ", "TX full time 5 years and yes, ", "the quick brown fox. "],
    ...["? ", "not ", "agent ", "how much ", "found a ", "“", "Liked “", "are you a ", "\n", "until found a job "],
  ];
  const began = Date.now();
  for (const length of [1_600, 400_000]) {
    for (const body of parts.map((part) => part.repeat(Math.ceil(length / part.length)).slice(0, length))) {
      for (const before of [[], ["hi"], ["hi", "yes"], ["hi", "yes", "TX"], ["hi", "yes", "TX", "full-time"]]) {
        play([...before, flood(length === 1_600 ? 20 : 1, body)], FULL_SCRIPT);
      }
    }
  }
  play(["hi", flood(2_000, "TX ".repeat(533))], FULL_SCRIPT);
  assert(Date.now() - began < 30_000, `it took ${Date.now() - began} ms`);
});

Deno.test("a step says what it has heard", () => {
  const heard = (...texts: (string | string[])[]) => play(texts, FULL_SCRIPT).last.heard;
  assert.deepEqual([
    ...[heard("hi"), heard("HELP"), heard("agent"), heard("hi", "yes"), heard("hi", "maybe"), heard("hi", "hmm")],
    ...[heard("hi", "not interested"), heard("hi", "who is this"), heard("hi", "where?")],
  ], ["opening", "help", "person", "answer", "no_answer", "no_answer", "not_interested", "about", "question"]);
});

Deno.test("without a handoff nothing is sent before a person goes on", () => {
  const { handoff: _, ...script } = SCRIPT;
  assert.equal(play(["agent"], script).sent.at(-1), null);
});

Deno.test("texts of one turn are one answer", () => {
  assert.deepEqual(play(["hi", ["yes", "thanks"]]).last.answered, [{
    question: "licensed",
    value: "yes",
    said: "yes\nthanks",
  }]);
  assert.equal(play(["hi", ["yes", "wait no"]]).last.answered?.[0]?.value, "no", "the last word counts");
  assert.equal(play(["hi", ["yes", "no"]]).last.answered, undefined);
});

Deno.test("after a person the question is asked anew, and the text before is no answer", () => {
  const { session } = step(SCRIPT, null, [{ body: "hi" }], NOON);
  const handedBack = { ...session!, asked_at: null, remind_at: "infinity", expires_at: null };
  assert.equal(step(SCRIPT, handedBack, [], later(100)).reply, null);
  const again = step(SCRIPT, handedBack, [{ body: "yes" }], later(100));
  assert.deepEqual([again.reply, again.answered, again.session?.asked_at], [ASKED.licensed, undefined, iso(100)]);
  assert.equal(step(SCRIPT, handedBack, [{ body: "agent" }], later(100)).ended?.reason, "asked");
});

Deno.test("an answering machine gets no reply, and a person is notified", () => {
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
  assert.deepEqual([session?.question, session?.asked_at], ["states", iso(80)], "an answer after its time counts");
  assert.equal(step(SCRIPT, session, [], later(101)).reply, null, "there was one reminder");
});

Deno.test("500 random conversations: each ends, and sends at most 2n + 3 texts", () => {
  const word = fc.constantFrom(
    ...["yes", "no", "hmm", "red", "TX", "5", "agent", "where?", "not yet", ""],
    ...["HELP", "who is this", "what is this?", "not interested", "Liked “ask 0”", "are you a bot", "STOP", "oops"],
    ...["wait I meant no", "actually 7", "TX, 5", "my dad died", "🙄 yes", "oops red", "yes, red"],
  );
  const question = fc.record({
    answer: fc.constantFrom<Question["answer"]>(
      "yes_no",
      "states",
      "text",
      { choice: { red: [] } },
      { number: { min: 0, max: 9 } },
    ),
    jump: fc.constantFrom("none", "skip", "end"),
    depends: fc.boolean(),
  });
  const scripts = fc.tuple(fc.array(question, { minLength: 1, maxLength: 12 }), fc.boolean()).map((
    [questions, isFull],
  ): Script => ({
    ...(isFull ? FULL_SCRIPT : SCRIPT),
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
  const turns = fc.array(fc.option(fc.array(word, { minLength: 1, maxLength: 3 })), { maxLength: 60 });
  fc.assert(
    fc.property(scripts, turns, (script, given) => {
      let session: Session | null = null;
      let [sent, wroteSince, hasBegun] = [0, true, false];
      let hours = 0;
      // Each question at first, once more, with what it is about, and as a reminder.
      const times = new Map<string, number>();
      for (const turn of [...given, ...Array<null>(80).fill(null)]) {
        if (hasBegun && session === null) break;
        const texts = (turn ?? []).map((body): RecruitText => ({
          body,
          ...(body === "STOP" && { consent: "opted_out" }),
        }));
        const before: Session | null = session;
        const taken: Step = step(script, session, texts, later(++hours));
        if (turn !== null) wroteSince = true;
        hasBegun ||= taken.session !== null || taken.ended !== undefined;
        if (taken.reply !== null) {
          const isReminder = turn === null;
          assert(wroteSince || isReminder, "two texts in a row");
          assert(!isReminder || (before!.remind_at !== null && taken.session!.remind_at === null), "one reminder");
          [sent, wroteSince] = [sent + 1, isReminder && wroteSince];
        }
        assert.equal(taken.session === null && hasBegun, taken.ended !== undefined);
        if (turn?.includes("STOP") || turn?.includes("my dad died")) {
          assert.deepEqual([taken.reply, taken.session], [null, null]);
        }
        for (const { question, value } of taken.answered ?? []) {
          const [said, wanted] = [turn!.join(" "), Array.isArray(value) ? value[0] ?? "" : String(value)];
          const isText = script.questions.find(({ id }) => id === question)!.answer === "text";
          assert(
            isText || said.toLowerCase().includes(wanted.toLowerCase()) || /not yet|no/.test(said),
            `${wanted}: ${said}`,
          );
        }
        const asked = taken.session?.question;
        if (taken.reply !== null && asked !== undefined) times.set(asked, (times.get(asked) ?? 0) + 1);
        session = taken.session;
      }
      assert(!hasBegun || session === null, "it ends");
      assert(Array.from(times.values()).every((count) => count <= 4));
      assert(
        Array.from(times.values()).filter((count) => count > 2).length <= 2,
        "what it is about and a reminder come once",
      );
      assert(sent <= 2 * script.questions.length + (script.about === undefined ? 2 : 3));
    }),
    { numRuns: 500 },
  );
});
