import assert from "node:assert/strict";
import { fillIn, formatTranscript, mask, matchOutput, parseTranscript, rewriteOutput } from "./transcript.ts";

const TEXT = `# What this shows.

$ npm run admin -- agency create \\
    --name X
Created <agency>

Next, its agents.

# A mistake.
$ npm run admin -- agency frob
There is no command "frob".
[exit 2]

sql> select name from public.agencies
X
`;

const ID = "0b51b9a0-1111-4222-8333-444455556666";

Deno.test("a transcript is read as steps, each with its output, and written again as it was", () => {
  const steps = parseTranscript(TEXT);
  assert.deepEqual(steps.map(({ kind, input, line, output }) => [kind, input, line, output]), [
    ["$", "npm run admin -- agency create --name X", 3, ["Created <agency>", "", "Next, its agents."]],
    ["$", "npm run admin -- agency frob", 10, ['There is no command "frob".', "[exit 2]"]],
    ["sql>", "select name from public.agencies", 14, ["X"]],
  ]);
  assert.equal(formatTranscript(steps), TEXT);
});

Deno.test("a mask stands for any value of its kind, and a name for one value", () => {
  const names = matchOutput(["<order>  <time>  <n>"], [`${ID} 2026-11-22 22:16 12`], new Map());
  assert.deepEqual([...names!], [["order", ID]]);
  assert.equal(fillIn("order close <order> <other>", names!), `order close ${ID} <other>`);
  for (const line of [`Closed ${ID}`, "Closed 0b51b9a0", "Closed <order>"]) {
    assert(matchOutput(["Closed <order>"], [line], names!), line);
  }
  for (const line of ["Closed 0b51b9a1", "Closed 0b51b9a0-1", "Closed", "Closed x"]) {
    assert.equal(matchOutput(["Closed <order>"], [line], names!), undefined, line);
  }
  assert.equal(matchOutput(["<time>"], ["yesterday"], names!), undefined);
});

Deno.test("a line of three points stands for any lines", () => {
  const lines = ["id  name", "1  A", "2  B", "3  C"];
  assert(matchOutput(["id  name", "...", "2  B", "..."], lines, new Map()));
  assert(matchOutput(["...", "3  C"], lines, new Map()));
  assert.equal(matchOutput(["...", "2  B"], lines, new Map()), undefined);
  assert.equal(matchOutput(["id  name"], lines, new Map()), undefined);
});

Deno.test("what is another each time is masked, and columns stay below each other", () => {
  const now = new Date().toISOString();
  const masked = (line: string, names?: Map<string, string>) => mask(line, names).line;
  assert.equal(masked(`${ID}  ${now}  X`), `${"<id>".padEnd(36)}  ${"<time>".padEnd(now.length)}  X`);
  assert.equal(masked("until Jan 1, 2099, 9:00 PM UTC"), "until Jan 1, 2099, 9:00 PM UTC");
  assert.equal(matchOutput(["since <time>: X"], ["since Nov 8, 2026, 12:05 AM UTC: X"], new Map())?.size, 0);
  assert.equal(masked(`0b51b9a0 of ${ID} at 2099-01-01T00:00Z`), "<id> of <id> at 2099-01-01T00:00Z");
  assert.equal(masked("Closed 0b51b9a0.", new Map([["order", ID]])), "Closed <order>.");
  const [one, other] = [`lik_${"a".repeat(43)}`, `lik_${"b".repeat(43)}`];
  const keys = mask(`${one}, ${other}, ${one}`);
  assert.equal(keys.line, "<key>, <key_2>, <key>");
  assert.deepEqual([...keys.names], [["key", one], ["key_2", other]]);
});

Deno.test("what is written anew keeps the lines that still match, with their names", () => {
  const { output, names } = rewriteOutput(
    ["Created <order>.", "It is open."],
    [`Created ${ID}.`, `It is paused: ${ID}.`],
    new Map(),
  );
  assert.deepEqual(output, ["Created <order>.", "It is paused: <order>."]);
  assert.equal(names.get("order"), ID);
  assert.deepEqual(rewriteOutput(["..."], ["a", "b"], names).output, ["..."]);
});
