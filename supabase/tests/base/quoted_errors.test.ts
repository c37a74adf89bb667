/**
 * What the message, detail or hint of an error quotes goes through private.quoted(): PostgREST writes the message into
 * the status line of its response where the SQLSTATE is a PTxyz.
 */
import assert from "node:assert/strict";
import { connect, readStackInfo } from "../../../dev/local/mod.ts";

/** Its errcode is 22023, so its message is in the body alone: each problem is quoted, on a line of its own. */
const LINES_OF_QUOTES = "private.store_bot_script";

/** String literals and comments, in which the rest means nothing. */
const LITERAL_OR_COMMENT = /[eu]?&?'(?:[^']|'')*'|--.*|\/\*[^]*?\*\//gi;
const RAISE = /\braise\b(?!\s+(?:debug|log|info|notice|warning)\b)[^;]*/gi;

// Of a statement without what its literals and parentheses hold.
const VALUE = "(?:''|private\\.quoted|null)";
const OPTION = `(?:(?:message|detail|hint) = ${VALUE}|errcode = [^,]+)`;
const QUOTES_RIGHT = new RegExp(
  `^raise(?: exception)?(?: (?:sqlstate )?''| \\w+)?(?:, ${VALUE})*( using ${OPTION}(?:, ${OPTION})*)?$`,
  "i",
);

/** The statements of a function's body that quote something in another way. */
function wrongRaises(body: string): string[] {
  const bare = body.replace(
    LITERAL_OR_COMMENT,
    (found) => /^-|^\//.test(found) ? " " : /^'[\x20-\x7e\n]*'$/.test(found) ? "''" : "'control or other character'",
  );
  return (bare.match(RAISE) ?? []).filter((statement) => {
    let flat = statement;
    for (let last = ""; flat !== last;) [last, flat] = [flat, flat.replace(/\([^()]*\)/g, "")];
    return !QUOTES_RIGHT.test(flat.replace(/''(?:\s+'')+/g, "''").replace(/\s+/g, " ").replace(/ ,/g, ",").trim());
  });
}

Deno.test("what is no quote is found", () => {
  for (
    const wrong of [
      "raise exception '%', sqlerrm using errcode = 'PT400';",
      "raise exception 'no %', private.quoted(a) || b using errcode = 'PT400';",
      "raise exception 'no %', private.quoted(a), b;",
      "raise exception 'no %', format('%s', private.quoted(a));",
      "raise exception using errcode = 'PT400', message = sqlerrm;",
      "raise sqlstate 'PT400' using message = 'no' || a;",
      "raise exception 'no' using errcode = 'PT400', hint = a;",
      "raise exception 'a -- b', c using detail = 'x;y';",
      "raise exception e'a\\r\\nb' using errcode = 'PT400';",
      "raise exception 'a – b' using errcode = 'PT400';",
      "raise exception '%', \"private.quoted\"(a);",
      "raise 'no %', private.quoted_not(a);",
    ]
  ) assert.equal(wrongRaises(wrong).length, 1, wrong);
  for (
    const right of [
      "raise;",
      "raise warning 'no %', sqlerrm;",
      "raise exception 'no; it''s % (%' ' %)', private.quoted((select a -- ), b\n from c), 9), private.quoted(')') using errcode = x ->> 'y';",
      "raise lock_not_available using message = 'no', hint = private.quoted(a);",
    ]
  ) assert.deepEqual(wrongRaises(right), []);
});

Deno.test("every error quotes by private.quoted() alone, which leaves no control character and 100 characters", async () => {
  const sql = connect(readStackInfo().db_url);
  try {
    const bodies: { name: string; body: string }[] = await sql`
      select p.pronamespace::regnamespace || '.' || p.proname as name, p.prosrc as body
      from pg_proc p
      where p.pronamespace::regnamespace::text in ('public', 'private') and p.prosrc ilike '%raise%'`;
    const wrong = bodies.flatMap(({ name, body }) => wrongRaises(body).map((raise) => `${name}: ${raise}`));
    assert.deepEqual(wrong.filter((text) => !text.startsWith(`${LINES_OF_QUOTES}: `)), []);
    assert.ok(bodies.length > 50 && bodies.some(({ name }) => name === LINES_OF_QUOTES), "the catalogue was not read");
    const given = `${"a\u2028\u2029\r\n\u0001\u001f\u007f\u009f"}${"x".repeat(200)}`;
    const [{ quoted }] = await sql<[{ quoted: string }]>`select private.quoted(${given}::text) as quoted`;
    assert.equal(quoted, `a????????${"x".repeat(91)}...`);
  } finally {
    await sql.end();
  }
});
