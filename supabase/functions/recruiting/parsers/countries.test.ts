import assert from "node:assert/strict";
import { countryCode } from "./countries.ts";

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
