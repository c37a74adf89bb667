import { type CountryCode, getCountries, getCountryCallingCode, isSupportedCountry } from "libphonenumber-js";

/** The languages of the names. If two countries share a name, the earlier language decides. */
const LANGUAGES = ["en", "es", "pt", "fr", "de"];

/** Common names and codes that are missing in Unicode's lists. */
const OTHER_NAMES: Partial<Record<CountryCode, string[]>> = {
  BR: ["BRA"],
  CA: ["CAN"],
  CI: ["Ivory Coast"],
  CZ: ["Czech Republic"],
  DE: ["DEU"],
  ES: ["ESP"],
  FR: ["FRA"],
  GB: ["GBR", "Great Britain", "England", "Scotland", "Wales", "Northern Ireland"],
  KR: ["Korea", "Republic of Korea"],
  MX: ["MEX"],
  NL: ["Holland"],
  RU: ["Russian Federation"],
  TR: ["Turkey"],
  US: [
    "USA",
    "United States of America",
    "America",
    "Estados Unidos de América",
    "EEUU",
    "EUA",
    "États-Unis d'Amérique",
    "Vereinigte Staaten von Amerika",
  ],
  VN: ["Viet Nam"],
};

/** A longer text is not a country's name. */
const MAX_LENGTH = 100;

let codeOfName: Map<string, CountryCode> | undefined;

/**
 * Returns the ISO 3166-1 alpha-2 code of a country, given its code or its name in English, Spanish, Portuguese, French
 * or German: `mx`, `Mexico`, `México`, `U.S.A.`. Returns undefined for anything else. Source of the names: Unicode
 * CLDR, as included in the runtime.
 */
export function countryCode(country: string): CountryCode | undefined {
  if (country.length > MAX_LENGTH) return undefined;
  const plain = plainName(country);
  if (isSupportedCountry(plain)) return plain;
  // Created for the first name: it takes about 10 ms, and most vendors send codes.
  codeOfName ??= namesOfCountries();
  return codeOfName.get(plain);
}

const DIALLING_CODES = new Set<string>(getCountries().map((code) => getCountryCallingCode(code)));

/**
 * Returns the digits of a country's dialing code: `44` for `+44`; undefined for anything else, such as ISO's number
 * 840.
 */
export function diallingCode(code: string): string | undefined {
  const digits = code.replace(/^\+/, "");
  return DIALLING_CODES.has(digits) ? digits : undefined;
}

function namesOfCountries(): Map<string, CountryCode> {
  const names = LANGUAGES.flatMap((language) =>
    (["long", "short"] as const).flatMap((style) => {
      const inLanguage = new Intl.DisplayNames(language, { type: "region", style });
      return getCountries().map((code) => [inLanguage.of(code) ?? code, code] as const);
    })
  );
  const others = Object.entries(OTHER_NAMES).flatMap(([code, names]) =>
    names.map((name) => [name, code as CountryCode] as const)
  );
  // The last entry of a name wins.
  return new Map(
    [...names.reverse(), ...others].map(([name, code]) => [plainName(name), code]),
  );
}

/**
 * Returns the letters of a name in upper case, without accents: `The U.S.A.` becomes `USA`, `São Tomé` becomes
 * `SAOTOME`.
 */
function plainName(name: string): string {
  return name.normalize("NFD").toUpperCase().replace(/^\s*THE\s/, "").replace("&", " AND ")
    .replace(/[^\p{L}]/gu, "");
}
