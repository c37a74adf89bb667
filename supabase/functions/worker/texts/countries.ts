import { type CountryCode, getCountryCallingCode, isSupportedCountry } from "libphonenumber-js";
import { ConfigurationError } from "../../_shared/configuration.ts";

/** The countries whose numbers are greeted by default. `TEXTING_COUNTRIES` overrides them. */
const GREETED = "US,CA";

/**
 * Returns the countries of `TEXTING_COUNTRIES` as ISO 3166-1 codes.
 *
 * @throws ConfigurationError if one of them is invalid.
 */
export function greetedCountries(): CountryCode[] {
  const codes = (Deno.env.get("TEXTING_COUNTRIES")?.trim() || GREETED).split(",").map((code) =>
    code.trim().toUpperCase()
  );
  if (!codes.every((code) => isSupportedCountry(code))) {
    throw new ConfigurationError("TEXTING_COUNTRIES is not a list of country codes such as US,CA");
  }
  return codes as CountryCode[];
}

/**
 * Returns whether a number may be greeted. A country with its own calling code is identified by it. The countries of
 * the North American Numbering Plan share `+1`, and are identified by the area code.
 *
 * @param phone in E.164
 * @param country of the area code; null if the area code is unknown, which counts as a US number
 * @throws ConfigurationError for the same reasons as {@link greetedCountries}.
 */
export function isGreeted(phone: string, country: string | null): boolean {
  const countries = greetedCountries();
  return phone.startsWith("+1")
    ? countries.some((code) => code === (country ?? "US"))
    : countries.some((code) => phone.startsWith(`+${getCountryCallingCode(code)}`));
}
