import assert from "node:assert/strict";
import fc, { character } from "fast-check";
import { exposition } from "./exposition.ts";

/** Returns the value of the label `vendor` in a line, decoded as Prometheus does. */
function vendorOf(line: string): string {
  const [, text] = /^lead_intake_leads_total\{vendor="((?:[^"\\\n]|\\["\\n])*)"\} 1$/.exec(line) ?? assert.fail(line);
  return text!.replace(/\\(.)/g, (_, character) => character === "n" ? "\n" : character);
}

Deno.test("a label with any characters stays on one line and is decoded unchanged", () => {
  const hostile = fc.string({ unit: fc.constantFrom('"', "\\", "\n", "\r", "n", "{", "}", ",", "=", "#", " ", "é") });
  fc.assert(fc.property(fc.oneof(hostile, fc.string({ unit: character })), (vendor) => {
    const text = exposition([{ name: "lead_intake_leads_total", labels: { vendor }, value: 1 }]);
    const lines = text.split("\n").filter((line) => line.startsWith("lead_intake_"));
    assert.deepEqual(lines.map(vendorOf), [vendor]);
  }));
});

Deno.test("a metric without a description is an error", () => {
  assert.throws(() => exposition([{ name: "surprise", labels: {}, value: 1 }]), /METRICS lacks surprise/);
});
