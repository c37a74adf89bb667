import assert from "node:assert/strict";
import { splitStatements } from "./statements.ts";

/** The lines and texts of the statements. */
function split(sql: string): [number, string][] {
  return splitStatements(sql).map(({ line, text }) => [line, text]);
}

Deno.test("each statement has the line on which it begins", () => {
  assert.deepEqual(split("select 1;\n\n-- two; three\n  select 2\n  from x;\nselect 3"), [
    [1, "select 1"],
    [4, "select 2\n  from x"],
    [6, "select 3"],
  ]);
});

for (
  const text of [
    "select ';', 'it''s; fine'",
    `select ";" from "a;""b"`,
    "select e'\\';'",
    "create function f() returns int language sql as $$ select 1; select ';' $$",
    "do $body$ begin perform $$;$$; end $body$",
    "select /* ; */ 1",
    "select 1 -- ;\n, 2",
    "select 'eve''ning', 1",
  ]
) {
  Deno.test(`one statement: ${text}`, () => {
    assert.deepEqual(split(`${text};`), [[1, text]]);
  });
}

Deno.test("comments and semicolons alone are no statement", () => {
  assert.deepEqual(split("-- nothing;\n;;\n/* ; */\n"), []);
  assert.deepEqual(split(""), []);
});
