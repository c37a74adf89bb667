import assert from "node:assert/strict";
import { parsePhoneNumberFromString } from "libphonenumber-js/max";
import { connect, readStackInfo } from "../../../dev/local/mod.ts";

/** Exchanges, the next three digits. Where libphonenumber knows an area code, it knows numbers in one of these. */
const EXCHANGES = [266, 468, 235, 677, 349, 510];

/** The territories, which have a country code of their own. */
const TERRITORIES = ["AS", "GU", "MP", "PR", "VI"];

/** The country of a geographic area code as libphonenumber knows it; undefined for any other three digits. */
function countryOf(areaCode: number): string | undefined {
  for (const exchange of EXCHANGES) {
    const number = parsePhoneNumberFromString(`+1${areaCode}${exchange}5678`);
    const isGeographic = ["FIXED_LINE", "MOBILE", "FIXED_LINE_OR_MOBILE"].includes(number?.getType() ?? "");
    if (!isGeographic || number?.country === undefined) continue;
    return TERRITORIES.includes(number.country) ? "US" : number.country;
  }
}

Deno.test("the area codes are those that libphonenumber knows, in the same countries", async () => {
  const known: [string, string][] = [];
  for (let areaCode = 200; areaCode < 1_000; areaCode++) {
    const country = countryOf(areaCode);
    if (country !== undefined) known.push([String(areaCode), country]);
  }
  assert(known.length >= 442);

  const sql = connect(readStackInfo().db_url);
  const rows = await sql<{ area_code: string; country: string }[]>`
    select area_code, country from public.area_codes`;
  await sql.end();
  const ours = new Map(rows.map(({ area_code, country }) => [area_code, country]));
  const missing = known.filter(([areaCode, country]) => ours.get(areaCode) !== country);
  const told = missing.map((row) => row.join(" ")).join(", ");
  assert.equal(missing.length, 0, `area_codes lacks ${told}: add the rows to a migration by hand`);
});
