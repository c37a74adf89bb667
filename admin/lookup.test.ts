import assert from "node:assert/strict";
import { UsageError } from "./errors.ts";
import { idRange, mostSimilar, phoneDigits, readPhone, readServicePhone } from "./lookup.ts";

const ID = "5f0c6a3e-6f0f-4b6e-9d0e-3a4f6f1d2c11";

for (
  const [text, expected] of [
    [ID, { first: ID, last: ID }],
    [ID.toUpperCase(), { first: ID, last: ID }],
    ["5f0c6a3e", {
      first: "5f0c6a3e-0000-0000-0000-000000000000",
      last: "5f0c6a3e-ffff-ffff-ffff-ffffffffffff",
    }],
    ["5f0c6a3e-6", {
      first: "5f0c6a3e-6000-0000-0000-000000000000",
      last: "5f0c6a3e-6fff-ffff-ffff-ffffffffffff",
    }],
    ["5f0c6a3", undefined],
    ["5f0c6a3e6f", undefined],
    [`${ID}0`, undefined],
    ["readme-1", undefined],
  ] as const
) {
  Deno.test(`"${text}" is ${expected ? "the beginning of an id" : "no id"}`, () => {
    assert.deepEqual(idRange(text), expected);
  });
}

for (
  const [text, expected] of [
    ["(312) 555-0142", "3125550142"],
    ["+1 312.555.0142", "3125550142"],
    ["+44 20 7946 0018", "442079460018"],
    ["4711", undefined],
    ["readme-3125550142", undefined],
  ] as const
) {
  Deno.test(`"${text}" ${expected ? "is a phone number" : "is no phone number"}`, () => {
    assert.equal(phoneDigits(text), expected);
  });
}

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
