/** `npm run admin -- bot`: what the bot says. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { runCommandLine } from "../../admin/command_line.ts";
import { ROOT } from "../../dev/local/mod.ts";
import { admin, adminJson, assertAllRefused, assertRefused } from "../support/admin.ts";
import { createAgency, sql } from "../support/client.ts";

const FILE = "docs/examples/bot_script.json";

/** What `bot try` prints for these texts of a recruit. */
async function play(...texts: string[]) {
  const said: string[] = [];
  const ran = await runCommandLine(["bot", "try", FILE], {
    readSecret: () => Promise.resolve(""),
    lines: async function* () {
      yield* texts;
    },
    say: (text) => said.push(text),
  });
  return { ...ran, said };
}

Deno.test("a script is played in the terminal, with each text as it was read and the segments of each reply", async () => {
  const { code, out, said } = await play(
    "Hello",
    "yep",
    "TX and Ok",
    "full-time pls",
    "about 5",
    "not read any more",
  );
  assert.equal(code, 0);
  assert.deepEqual(said, [
    "> Hello  [begins, and is no answer]",
    "Hi Ada, this is the assistant of Lakeshore Insurance, an automated service. Reply STOP to end. " +
    "Do you hold a life insurance license? YES or NO  [1 segment]",
    "> yep  [licensed = yes]",
    "In which states are you licensed? For example: TX, OK  [1 segment]",
    "> TX and Ok  [states = OK, TX]",
    "Do you look for full-time or part-time work?  [1 segment]",
    "> full-time pls  [hours = full_time]",
    "How many years have you worked in sales?  [1 segment]",
    "> about 5  [years = 5]",
    "Thank you, Ada! Maria Alvarez will write to you soon.  [1 segment]",
  ]);
  assert.equal(out.trim(), "The script is over: done.");
  assert.deepEqual((await play("Hi", "no", "no")).said.at(-1), "(the bot says nothing)");
  assert.equal((await play("Hi")).out.trim(), "The script is not over.");
  const { said: others } = await play("Hi", "HELP", "hmm", "who is this", "not interested");
  assert.deepEqual(others.filter((line) => line.startsWith(">")).slice(1), [
    "> HELP  [HELP, which the provider answers]",
    "> hmm  [is no answer]",
    "> who is this  [asks about us]",
    "> not interested  [is not interested]",
  ]);
});

Deno.test("a script is published, shown and switched off", async () => {
  const { id } = await createAgency();
  assert.match((await admin(`bot show --agency ${id}`)).out, /has published no script/);
  assert.equal((await adminJson(`bot publish ${FILE} --agency ${id}`)).version, 1);
  const { version, script } = await adminJson(`bot show --agency ${id}`);
  assert.deepEqual([version, script], [1, JSON.parse(Deno.readTextFileSync(join(ROOT, FILE)))]);
  assert.deepEqual(await adminJson(`bot sessions --agency ${id} --state active`), []);
  assert.deepEqual(await adminJson(`bot off --agency ${id} --yes`), { stopped: 0 });
  assert.match((await admin(`bot show --agency ${id}`)).out, /has switched its bot off/);
  assert.equal((await adminJson(`bot publish ${FILE} --agency ${id}`)).version, 3);
});

Deno.test("a bad script is refused with every problem, and nothing is published", async () => {
  const { id } = await createAgency();
  const file = await Deno.makeTempFile({ suffix: ".json" });
  try {
    const { done: _, ...script } = JSON.parse(Deno.readTextFileSync(join(ROOT, FILE)));
    script.questions[1].then = { no: { skip_to: "licensed" } };
    await Deno.writeTextFile(file, JSON.stringify(script));
    for (const line of [`bot publish ${file} --agency ${id}`, `bot try ${file}`]) {
      const ran = await admin(line);
      assertRefused(ran, 1, /is no script that the bot could follow:$/);
      assert.deepEqual(ran.err.split("\n").slice(1), [
        "done: is missing",
        'states: then has "no", which is no answer',
      ]);
    }
    assert.equal((await sql`select from public.bot_scripts where agency_id = ${id}`).length, 0);
    await assertAllRefused(
      [1, /^There is no file nowhere.json/, `bot publish nowhere.json --agency ${id}`],
      [2, /--agency/, `bot publish ${FILE}`],
      [2, /There is no terminal to ask on/, `bot off --agency ${id}`],
      [2, /--state/, `bot sessions --agency ${id} --state asleep`],
    );
  } finally {
    await Deno.remove(file);
  }
});
