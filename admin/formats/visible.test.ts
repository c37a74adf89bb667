import assert from "node:assert/strict";
import { visibleJson, visibleText } from "./visible.ts";

/** A text with characters of each kind that is not printed, and the same as a person may see it. */
const HIDDEN = "\x1b[31mAda\u202e \u200b\u2066Love\u00adlace\u200d\ufe0f\u{e0041}\u009d\u007f\ufff9\r\n\tNo. 1\u2028";
const SEEN = "[31mAda Lovelace\n\tNo. 1";

Deno.test("a text for a terminal has no control character and no invisible one, but its lines and tabs", () => {
  assert.equal(visibleText(HIDDEN), SEEN);
});

Deno.test("JSON has them as escapes, and means the same", () => {
  const json = visibleJson({ [HIDDEN]: [HIDDEN] });
  assert.deepEqual(JSON.parse(json), { [HIDDEN]: [HIDDEN] });
  assert.equal(visibleText(json), json);
  assert.doesNotMatch(json.replaceAll("\n", ""), /\p{C}/u);
});
