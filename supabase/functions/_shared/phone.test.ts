import assert from "node:assert/strict";
import fc from "fast-check";
import { parsePhoneNumberFromString } from "libphonenumber-js";
import { toE164 } from "./phone.ts";

Deno.test("a phone number is read in its country, and what is none is not", () => {
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
      ["06 12 34 56 78", "FR", "+33612345678"],
      ["55 1234 5678", "MX", "+525512345678"],
      ["+33 6 12 34 56 78", "US", "+33612345678"],
      ["011 44 20 7946 0958", undefined, "+442079460958"],
      ["0044 20 7946 0958", undefined, "+442079460958"],
      ["001 (312) 555-1234", undefined, "+13125551234"],
      ["00 33 6 12 34 56 78", "FR", "+33612345678"],
      ["0000000000", undefined, undefined],
      ["0612345678", undefined, undefined],
      ["06 12 34 56 78", "Atlantis", undefined],
      ["1234567890", undefined, undefined],
      ["+1 (123) 456-7890", undefined, undefined],
      ["+1 012 345 6789", "FR", undefined],
      ["3125551234", "FR", undefined],
      ["123", undefined, undefined],
      ["call me", undefined, undefined],
      ["", undefined, undefined],
    ] as const
  ) {
    assert.equal(toE164(given, country), expected);
  }
});

Deno.test("property: a text that is almost a US number is read as the library reads it", () => {
  const almost = fc.string({ unit: fc.constantFrom(..."0123456789 .-()+x"), maxLength: 18 });
  fc.assert(fc.property(almost, readAsByLibrary), { numRuns: 2_000 });
});

function readAsByLibrary(phone: string): void {
  // The library treats 00 as an international prefix only in other countries.
  fc.pre(!/^ *00/.test(phone));
  const number = parsePhoneNumberFromString(phone, { defaultCountry: "US" });
  const isE164 = number?.isPossible() === true && number.number.length <= 16 &&
    !/^\+1[01]/.test(number.number);
  assert.equal(toE164(phone), isE164 ? number?.number : undefined);
}
