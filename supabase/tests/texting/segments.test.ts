import assert from "node:assert/strict";
import fc from "fast-check";
import { SegmentedMessage } from "sms-segments-calculator";
import { connect, readStackInfo } from "../../../dev/local/mod.ts";

const GSM = [..."aZ09 @£$¥èéÇ\nØ\rÅΔ_ΦßÉ!\"#¤%&'-/ñ¿€[]{}|~^\\\f"];
const OTHER = ["\t", "\r\n", ..."ç ’ ж 中 ` e\u0301 😀 👍🏽 👩‍👩‍👧‍👦 🏳️‍🌈 ☎️ 🇺🇸".split(" ")];

/** Texts of a few different characters, so that the same one often lies between two segments. */
const body = (characters: string[]) =>
  fc.uniqueArray(fc.constantFrom(...characters), { minLength: 1, maxLength: 4 }).chain((few) =>
    fc.array(fc.constantFrom(...few), { maxLength: 700, size: "max" }).map((used) => used.join(""))
  );

Deno.test("private.text_segments counts as Twilio's calculator does", async () => {
  const bodies = [
    "",
    ...[160, 161, 306, 307, 1600].map((length) => "a".repeat(length)),
    ...[70, 71, 134, 135, 1600].map((length) => "ж".repeat(length)),
    ...[80, 81].map((length) => "€".repeat(length)),
    ...[35, 36, 66, 67].map((length) => "😀".repeat(length)),
    ...fc.sample(fc.oneof(body(GSM), body([...GSM, ...OTHER]), body(OTHER)), 150),
  ];
  const sql = connect(readStackInfo().db_url);
  const rows = await sql<{ body: string; segments: number }[]>`
    select body, private.text_segments(body) as segments from unnest(${bodies}::text[]) b (body)`;
  await sql.end();
  assert.equal(rows.length, bodies.length);
  for (const { body, segments } of rows) {
    assert.equal(segments, new SegmentedMessage(body).segmentsCount, JSON.stringify(body));
  }
});
