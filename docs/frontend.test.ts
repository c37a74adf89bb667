/**
 * The table of docs/frontend.md says who reads what, and the database test counts it. They must not disagree.
 */
import assert from "node:assert/strict";

const ROOT = new URL("../", import.meta.url);

/** The rows of a table that an agent and a manager read. */
interface Readers {
  agent: string;
  manager: string;
}

/** In words, as the page says it. */
function documented(): Map<string, Readers> {
  const page = Deno.readTextFileSync(new URL("docs/frontend.md", ROOT));
  const [, reading] = page.split("\n## Reading\n");
  const rows = [
    ...reading!.split("\n## ", 1)[0]!.matchAll(/^\| (`.+?) +\| (.+?) +\| (.+?) +\|$/gm),
  ];
  return new Map(
    rows.flatMap(([, tables, agent, manager]) =>
      [...tables!.matchAll(/`(\w+)`/g)].map(([, table]) => [
        table!,
        { agent: agent!, manager: manager! },
      ])
    ),
  );
}

/** In rows that each of them reads, or `denied`. */
function tested(): Map<string, Readers> {
  const test = Deno.readTextFileSync(new URL("supabase/tests/base/rls_reading.test.sql", ROOT));
  const rows = [...test.matchAll(/^ {2}\('(\w+)', +'(\w+)', '(\w+)', '\w+'\)[,;]$/gm)];
  return new Map(
    rows.map(([, table, agent, manager]) => [table!, { agent: agent!, manager: manager! }]),
  );
}

Deno.test("docs/frontend.md has every table that somebody who is signed in reads, and no other", () => {
  const readable = [...tested()].filter(([, { agent }]) => agent !== "denied");
  assert.deepEqual([...documented().keys()].sort(), readable.map(([table]) => table).sort());
});

Deno.test("docs/frontend.md says of each table what the database test counts", () => {
  for (const [table, words] of documented()) {
    const { agent, manager } = tested().get(table)!;
    assert.equal(words.agent === "none", agent === "0", `${table}: an agent reads ${agent} rows`);
    assert.equal(words.manager === "none", manager === "0", `${table}: a manager reads ${manager} rows`);
    assert.equal(words.agent === words.manager, agent === manager, `${table}: ${agent} and ${manager} rows`);
  }
});
