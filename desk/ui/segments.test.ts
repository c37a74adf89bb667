import assert from "node:assert/strict";
import { SegmentedMessage } from "sms-segments-calculator";
import { segmentsOf } from "./segments.ts";

const TEXTS = [
  "",
  "Hi Maya, when may I call?",
  "a".repeat(160),
  "a".repeat(161),
  "a".repeat(306),
  "a".repeat(307),
  "€".repeat(80),
  "€".repeat(81),
  `${"a".repeat(152)}€${"b".repeat(152)}€`,
  "é".repeat(161),
  "ç".repeat(70),
  "ç".repeat(71),
  "“Quoted” – with a dash",
  "😀".repeat(35),
  "😀".repeat(36),
  `${"x".repeat(66)}😀${"y".repeat(67)}`,
  "👩‍👩‍👧‍👦".repeat(20),
  "🇺🇸".repeat(40),
  "👍🏽".repeat(40),
  `${"ж".repeat(134)}`,
  `${"ж".repeat(135)}`,
  "[a]{b}|~^\\".repeat(20),
];

Deno.test("the segments of a text are counted as the provider counts them", () => {
  for (const text of TEXTS) {
    assert.equal(segmentsOf(text), Math.max(new SegmentedMessage(text).segmentsCount, 1), text);
  }
});
