import {
  type CountryCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from "libphonenumber-js";

/** A plus and 15 digits (ITU-T E.164, 6.2.1); the plans of some countries, as the library has them, go beyond. */
const MAX_LENGTH = 16;

/**
 * The number in E.164 where it can be read, e.g. `(555) 555-1234` → `+15555551234`. It need only be possible (a
 * length the country uses), not in service: vendors send placeholders, and a lead is worth more than a tidy field.
 *
 * @param country ISO 3166-1 alpha-2, for a number without a country code; anything else counts as `US`.
 */
export function toE164(phone: string, country?: string): string | undefined {
  const region = (country ?? "").toUpperCase();
  const number = parsePhoneNumberFromString(phone, {
    defaultCountry: isSupportedCountry(region) ? (region as CountryCode) : "US",
  });
  return number?.isPossible() && number.number.length <= MAX_LENGTH ? number.number : undefined;
}
