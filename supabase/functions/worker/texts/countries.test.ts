import assert from "node:assert/strict";
import { greetedCountries, isGreeted } from "./countries.ts";

function withCountries<Value>(countries: string, run: () => Value): Value {
  Deno.env.set("TEXTING_COUNTRIES", countries);
  try {
    return run();
  } finally {
    Deno.env.delete("TEXTING_COUNTRIES");
  }
}

Deno.test("a phone is greeted in the countries of TEXTING_COUNTRIES, by default the US and Canada", () => {
  for (
    const [countries, phone, country, expected] of [
      ["", "+13125550142", "US", true],
      ["", "+14165550142", "CA", true],
      ["", "+18765550142", "JM", false],
      ["", "+442079460018", null, false],
      // A new area code, or a toll-free number.
      ["", "+19995550142", null, true],
      ["US", "+14165550142", "CA", false],
      ["us, jm", "+18765550142", "JM", true],
      ["GB", "+442079460018", null, true],
      ["GB", "+13125550142", "US", false],
      ["GB", "+33123456789", null, false],
      ["MX,US", "+525512345678", null, true],
    ] as const
  ) assert.equal(withCountries(countries, () => isGreeted(phone, country)), expected, `${countries} ${phone}`);
});

Deno.test("a wrong value of TEXTING_COUNTRIES is an error, and never means every country", () => {
  for (const countries of ["USA", "US,", "US;CA", "+1", "XX"]) {
    assert.throws(() => withCountries(countries, greetedCountries), { name: "ConfigurationError" }, countries);
  }
});
