import assert from "node:assert/strict";
import { countryCode, diallingCode } from "./countries.ts";

for (
  const [name, code] of [
    ["mx", "MX"],
    [" US ", "US"],
    ["U.S.A.", "US"],
    ["United States of America", "US"],
    ["the United States", "US"],
    ["ESTADOS UNIDOS", "US"],
    ["États-Unis", "US"],
    ["Mexico", "MX"],
    ["México", "MX"],
    ["Me\u0301xico", "MX"],
    ["France", "FR"],
    ["Deutschland", "DE"],
    ["UK", "GB"],
    ["England", "GB"],
    ["Brasil", "BR"],
    ["Puerto Rico", "PR"],
    ["The Netherlands", "NL"],
    ["Trinidad and Tobago", "TT"],
    ["Georgia", "GE"],
  ] as const
) {
  Deno.test(`the country ${JSON.stringify(name)} is ${code}`, () => {
    assert.equal(countryCode(name), code);
  });
}

for (
  const text of ["", " ", "Texas", "XX", "Atlantis", "+1", "constructor", "US".repeat(500_000)]
) {
  Deno.test(`${JSON.stringify(text.slice(0, 20))} is no country`, () => {
    assert.equal(countryCode(text), undefined);
  });
}

Deno.test("a dialling code, with a plus or without", () => {
  assert.equal(diallingCode("+44"), "44");
  assert.equal(diallingCode("1"), "1");
  assert.equal(diallingCode("353"), "353");
  for (const code of ["840", "+999", "044", "44 ", "US", "+", ""]) {
    assert.equal(diallingCode(code), undefined, code);
  }
});
