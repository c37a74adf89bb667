/** `npm run admin -- bot try --conversations`: what has changed since the last run. */
import assert from "node:assert/strict";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../../dev/local/mod.ts";
import { admin, adminJson } from "../support/admin.ts";

const KEPT = `Says no
  @ licensed
  > no
  = licensed: no
  < hours

Wants an end
  @ licensed
  > please stop texting me
  ! opted_out
`;

Deno.test("a change shows which conversations it changes, once, and which are not as they must be", async () => {
  const folder = await Deno.makeTempDir();
  const last = join(ROOT, ".local/bot_try", `${encodeURIComponent(folder)}.json`);
  try {
    const [script, line] = [join(folder, "script.json"), `bot try --conversations ${folder}`];
    const example = JSON.parse(await readFile(join(ROOT, "docs/examples/bot_script.json"), "utf8"));
    const questions = example.questions.filter(({ id }: { id: string }) => id !== "interested");
    const withEnd = (then: object) => ({ ...example, questions: [{ ...questions[0], then }, ...questions.slice(1)] });
    await writeFile(script, JSON.stringify(withEnd({ no: { skip_to: "hours" } })));
    await writeFile(join(folder, "kept.txt"), KEPT);
    const first = await admin(line);
    assert.deepEqual([first.code, first.out.trim()], [
      0,
      "2 conversations, 0 not as they must be, 0 changed since the last run.",
    ]);

    // As a reader would, the script changes what comes of one of them.
    await writeFile(script, JSON.stringify(withEnd({ no: { end: "no_license" } })));
    const second = await admin(line);
    assert.equal(second.code, 1);
    assert.equal(
      second.out.trim(),
      `kept.txt: Says no
  @ licensed
  > no
  must come: = licensed: no; < hours
  came:      = licensed: no; ! no_license

kept.txt: Says no
  before: = licensed: no; < hours
  now:    = licensed: no; ! no_license

2 conversations, 1 not as they must be, 1 changed since the last run.`,
    );

    const third = await admin(line);
    assert.equal(third.code, 1, "it is still not as it must be");
    assert.match(third.out, /2 conversations, 1 not as they must be, 0 changed since the last run\.$/m);

    // A new conversation has not changed, and one whose words are corrected is as it must be.
    await writeFile(
      join(folder, "kept.txt"),
      `${KEPT.replace("< hours", "! no_license")}\nSays hi\n  > hi\n  < opening licensed\n`,
    );
    const { conversations, differing, changed } = await adminJson(line);
    assert.deepEqual({ conversations, differing, changed }, { conversations: 3, differing: [], changed: [] });
  } finally {
    await rm(folder, { recursive: true });
    await rm(last, { force: true });
  }
});
