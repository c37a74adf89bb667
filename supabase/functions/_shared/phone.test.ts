import assert from "node:assert/strict";
import { toE164 } from "./phone.ts";

for (
  const [given, country, expected] of [
    ["(312) 555-1234", undefined, "+13125551234"],
    ["1-312-555-1234 ext. 5", undefined, "+13125551234"],
    ["+1 5555551234", undefined, "+15555551234"],
    ["+60 11 3741 1760", undefined, "+601137411760"],
    ["020 7946 0958", "GB", "+442079460958"],
    ["020 7946 0958", "gb", "+442079460958"],
    ["3125551234", "Atlantis", "+13125551234"],
    ["+62 1234567890123", undefined, "+621234567890123"],
    ["+62 12345678901234", undefined, undefined],
    ["123", undefined, undefined],
    ["call me", undefined, undefined],
    ["", undefined, undefined],
  ] as const
) {
  Deno.test(`phone ${JSON.stringify(given)} (${country ?? "no country"}) → ${expected}`, () => {
    assert.equal(toE164(given, country), expected);
  });
}
