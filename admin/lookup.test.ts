import assert from "node:assert/strict";
import { UsageError } from "./errors.ts";
import { mostSimilar, readPhone, readServicePhone } from "./lookup.ts";

Deno.test("a phone number is read in E.164, and one of ours may be a short code", () => {
  for (const read of [readPhone, readServicePhone]) {
    assert.equal(read("(312) 555-0142"), "+13125550142");
    assert.equal(read("+44 20 7946 0018"), "+442079460018");
    for (const given of ["4711", "+1312", "", "none"]) assert.throws(() => read(given), UsageError);
  }
  assert.equal(readServicePhone("31255"), "31255");
  assert.throws(() => readPhone("31255"), UsageError);
});

for (
  const [given, expected] of [
    ["Lakshore Insurance", "Lakeshore Insurance Group"],
    ["lakeshore insurance gruop", "Lakeshore Insurance Group"],
    ["amce", "acme"],
    ["acm3", "acme"],
    ["zzz", undefined],
  ] as const
) {
  Deno.test(`"${given}" ${expected ? `probably means ${expected}` : "is near no name"}`, () => {
    const names = ["Summit Life Partners", "Lakeshore Insurance Group", "acme"];
    assert.equal(mostSimilar(given, names), expected);
  });
}
