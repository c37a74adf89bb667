import assert from "node:assert/strict";
import { visibleText } from "../../../admin/formats/visible.ts";
import { connect, readStackInfo } from "../../../dev/local/mod.ts";

Deno.test("private.visible_text leaves out what Unicode says is invisible, and no other character", async () => {
  // All but U+0000 and the surrogates, which Postgres cannot store.
  const codes = Array.from({ length: 0x110000 }, (_, code) => code)
    .filter((code) => code > 0 && (code < 0xd800 || code > 0xdfff));
  const blocks = Array.from(
    { length: Math.ceil(codes.length / 256) },
    (_, i) => codes.slice(256 * i, 256 * (i + 1)).map((code) => `${String.fromCodePoint(code)}.`),
  );
  const sql = connect(readStackInfo().db_url);
  const rows = await sql<{ visible: string }[]>`
    select private.visible_text(given) as visible
    from unnest(${blocks.map((block) => block.join(""))}::text[]) with ordinality b (given, ordinal)
    order by ordinal`;
  await sql.end();
  assert.equal(rows.length, blocks.length);
  rows.forEach(({ visible }, i) => assert.equal(visible, blocks[i]!.map(seen).join("")));
});

function seen(text: string): string {
  if (/[\n\v\f\r\x85\u2028\u2029]/.test(text)) return "\n.";
  // An empty pattern of Braille is no white space to Unicode, and U+FEFF is some to JavaScript alone.
  if (/[\s\u2800]/.test(text) && !text.startsWith("\ufeff")) return " .";
  return visibleText(text);
}

Deno.test("private.utf16_length counts as JavaScript does", async () => {
  const texts = ["", "Zoë", "中文", "😀", "👩‍👩‍👧‍👦!", "🇺🇸", "𝐒𝐓𝐎𝐏"];
  const sql = connect(readStackInfo().db_url);
  const rows = await sql<{ text: string; length: number }[]>`
    select t.text, private.utf16_length(t.text) as length from unnest(${texts}::text[]) t (text)`;
  await sql.end();
  assert.deepEqual(rows.map(({ text }) => text), texts);
  for (const { text, length } of rows) assert.equal(length, text.length, text);
});
