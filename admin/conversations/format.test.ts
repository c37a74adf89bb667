import assert from "node:assert/strict";
import type { Script } from "../../supabase/functions/worker/bot/step.ts";
import { answerLine, formatConversation, isOutcome, parseConversations, replyLine } from "./format.ts";

const SCRIPT: Script = JSON.parse(
  Deno.readTextFileSync(new URL("../../docs/examples/bot_script.json", import.meta.url)),
);
const FILE = `# Recruits.
script other.json

Says yes
  > Hi
  < opening licensed
  > yes\\nsir \\\\o/
  + TX
  = licensed: yes
  < hours

Is silent
  @ hours
  >
  > bye
  ! busy
`;

Deno.test("a file of conversations is read, and a conversation is written as it was", () => {
  const { script, conversations } = parseConversations(FILE);
  assert.equal(script, "other.json");
  assert.deepEqual(conversations, [
    {
      name: "Says yes",
      turns: [
        { texts: ["Hi"], outcome: ["< opening licensed"] },
        { texts: ["yes\nsir \\o/", "TX"], outcome: ["= licensed: yes", "< hours"] },
      ],
    },
    {
      name: "Is silent",
      from: "hours",
      turns: [{ texts: [""], outcome: [] }, { texts: ["bye"], outcome: ["! busy"] }],
    },
  ]);
  const written = conversations.map(formatConversation).join("\n\n");
  assert.deepEqual(parseConversations(written).conversations, conversations);
});

Deno.test("a line that is none of a conversation is refused with its number", () => {
  for (
    const [content, line] of [["  > Hi", 1], ["A\n  < states", 2], ["A\n  > Hi\n  x", 3], [
      "A\n > Hi\n ! x\n + y",
      4,
    ]] as const
  ) {
    assert.throws(() => parseConversations(content), new RegExp(`^SyntaxError: line ${line}:`), content);
  }
});

Deno.test("a text of the bot is named by the parts of its script", () => {
  const name = (reply: string) => replyLine(SCRIPT, reply);
  const { opening, about, done, handoff, questions: [licensed, states] } = SCRIPT;
  assert.equal(name(`${opening} ${about} ${licensed!.ask}`), "< opening about licensed");
  assert.equal(
    name("Hi Bo, this is the assistant of X, an automated service. Reply STOP to end. " + licensed!.ask),
    "< opening licensed",
  );
  assert.equal(name(licensed!.retry!), "< licensed again");
  assert.equal(name(`${states!.ask} Such as TX.`), "< states again");
  assert.equal(name(`Yes, I am a bot. ${states!.ask}`), "< bot states");
  assert.equal(name(done), "< done");
  assert.equal(name(handoff!), "< handoff");
  assert.equal(name("Something else"), '< "Something else"');
});

Deno.test("what came is compared with what must come, in any order", () => {
  assert(isOutcome(["= a: yes", "< b"], ["< b", "= a: yes"]));
  assert(isOutcome(["! busy | health"], ["! health"]));
  assert(isOutcome([], []));
  for (const came of [["< b again"], ["! not_understood"]]) assert(isOutcome(["~"], came));
  for (const came of [[], ["< opening b"], ["= a: yes", "< b"], ["! opted_out"], ["! asked", "< handoff"]]) {
    assert(!isOutcome(["~"], came));
  }
  for (const came of [["= a: yes", "< b"], ["< a again"]]) assert(isOutcome(["? a: yes"], came));
  for (const came of [["= a: no", "< b"], ["= a: yes", "= b: yes"], ["! opted_out"], []]) {
    assert(!isOutcome(["? a: yes"], came));
  }
  assert(!isOutcome(["= a: yes"], ["= a: yes", "< b"]));
  assert(!isOutcome(["= a: yes", "= a: yes"], ["= a: yes", "= a: no"]));
  assert.equal(answerLine("states", ["OK", "TX"]), "= states: OK, TX");
  assert.equal(answerLine("states", []), "= states: none");
});
