import assert from "node:assert/strict";
import { countryCode, diallingCode } from "./countries.ts";

const NAMES: Record<string, string[]> = {
  MX: ["mx", "Mexico", "México", "Me\u0301xico"],
  US: [" US ", "U.S.A.", "United States of America", "the United States", "ESTADOS UNIDOS", "États-Unis"],
  FR: ["France"],
  DE: ["Deutschland"],
  GB: ["UK", "England"],
  BR: ["Brasil"],
  PR: ["Puerto Rico"],
  NL: ["The Netherlands"],
  TT: ["Trinidad and Tobago"],
  GE: ["Georgia"],
};
Deno.test("names of countries", () => {
  for (const [code, names] of Object.entries(NAMES)) {
    for (const name of names) assert.equal(countryCode(name), code, name);
  }
});

Deno.test("what is not a country", () => {
  for (
    const text of ["", " ", "Texas", "XX", "Atlantis", "+1", "constructor", "US".repeat(500_000)]
  ) {
    assert.equal(countryCode(text), undefined);
  }
});

Deno.test("a dialing code, with or without a plus", () => {
  assert.equal(diallingCode("+44"), "44");
  assert.equal(diallingCode("1"), "1");
  assert.equal(diallingCode("353"), "353");
  for (const code of ["840", "+999", "044", "44 ", "US", "+", ""]) {
    assert.equal(diallingCode(code), undefined, code);
  }
});
