/** USPS codes by upper-case name, including the territories and the military "states". */
const CODE_OF_NAME: Record<string, string> = {
  "ALABAMA": "AL",
  "ALASKA": "AK",
  "AMERICAN SAMOA": "AS",
  "ARIZONA": "AZ",
  "ARKANSAS": "AR",
  "ARMED FORCES AMERICAS": "AA",
  "ARMED FORCES EUROPE": "AE",
  "ARMED FORCES PACIFIC": "AP",
  "CALIFORNIA": "CA",
  "COLORADO": "CO",
  "CONNECTICUT": "CT",
  "DELAWARE": "DE",
  "DISTRICT OF COLUMBIA": "DC",
  "FLORIDA": "FL",
  "GEORGIA": "GA",
  "GUAM": "GU",
  "HAWAII": "HI",
  "IDAHO": "ID",
  "ILLINOIS": "IL",
  "INDIANA": "IN",
  "IOWA": "IA",
  "KANSAS": "KS",
  "KENTUCKY": "KY",
  "LOUISIANA": "LA",
  "MAINE": "ME",
  "MARYLAND": "MD",
  "MASSACHUSETTS": "MA",
  "MICHIGAN": "MI",
  "MINNESOTA": "MN",
  "MISSISSIPPI": "MS",
  "MISSOURI": "MO",
  "MONTANA": "MT",
  "NEBRASKA": "NE",
  "NEVADA": "NV",
  "NEW HAMPSHIRE": "NH",
  "NEW JERSEY": "NJ",
  "NEW MEXICO": "NM",
  "NEW YORK": "NY",
  "NORTH CAROLINA": "NC",
  "NORTH DAKOTA": "ND",
  "NORTHERN MARIANA ISLANDS": "MP",
  "OHIO": "OH",
  "OKLAHOMA": "OK",
  "OREGON": "OR",
  "PENNSYLVANIA": "PA",
  "PUERTO RICO": "PR",
  "RHODE ISLAND": "RI",
  "SOUTH CAROLINA": "SC",
  "SOUTH DAKOTA": "SD",
  "TENNESSEE": "TN",
  "TEXAS": "TX",
  "UTAH": "UT",
  "VERMONT": "VT",
  "VIRGIN ISLANDS": "VI",
  "VIRGINIA": "VA",
  "WASHINGTON": "WA",
  "WASHINGTON DC": "DC",
  "WEST VIRGINIA": "WV",
  "WISCONSIN": "WI",
  "WYOMING": "WY",
};

const CODES = new Set(Object.values(CODE_OF_NAME));

/**
 * The USPS two-letter code of a state, given its name or code in any usual spelling: `texas`, ` TX `, `D.C.`, `US-TX`.
 * Undefined for anything else.
 * Source: USPS Publication 28, appendix B.
 */
export function stateCode(state: string): string | undefined {
  const plain = state.toUpperCase().replace(/^US-/, "").replaceAll(".", "")
    .replace(/\s+/g, " ")
    .trim();
  return CODES.has(plain) ? plain : CODE_OF_NAME[plain];
}
