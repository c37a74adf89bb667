import { type CountryCode, getCountryCallingCode, isSupportedCountry } from "libphonenumber-js";
import { ConfigurationError } from "../../_shared/configuration.ts";

/** The countries whose numbers are greeted unless `TEXTING_COUNTRIES` names others. */
const GREETED = "US,CA";

/**
 * The countries of `TEXTING_COUNTRIES`, as ISO 3166-1 has them.
 *
 * @throws ConfigurationError where one of them is none.
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
 * Whether a number may be greeted. Countries with a calling code of their own are told by that. Those of the North
 * American Numbering Plan share `+1`, and are told by the area code.
 *
 * @param phone in E.164
 * @param country of its area code; null: it has none that is known, and counts as one of the US
 * @throws ConfigurationError as {@link greetedCountries}.
 */
export function isGreeted(phone: string, country: string | null): boolean {
  const countries = greetedCountries();
  return phone.startsWith("+1")
    ? countries.some((code) => code === (country ?? "US"))
    : countries.some((code) => phone.startsWith(`+${getCountryCallingCode(code)}`));
}
