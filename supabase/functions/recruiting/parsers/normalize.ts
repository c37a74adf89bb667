import type { Json } from "../../_shared/json.ts";
import { toE164 } from "../../_shared/phone.ts";
import { sha256Hex } from "../../_shared/secrets.ts";
import { failure, success } from "../../_shared/result.ts";
import { type ConsentFields, readBoolean, readConsent } from "./consent.ts";
import { countryCode, diallingCode } from "./countries.ts";
import { compact, Fields, isEmpty, toText } from "./fields.ts";
import { describeOtherFiles, mayBeFile, withoutFiles } from "./files.ts";
import { splitName, withoutCredentials } from "./names.ts";
import type { ParsedLead, Parser } from "./parser.ts";
import { readResume, type ResumeFields } from "./resume.ts";
import { stateCode } from "../../_shared/states.ts";
import { readTime } from "./time.ts";

/** A lead as a parser found it, before normalizeLead(). Any field may have any value. */
export interface RawLead {
  first_name?: Json;
  last_name?: Json;
  full_name?: Json;
  email?: Json;
  phone?: Json;
  address?: Json;
  city?: Json;
  state?: Json;
  zip?: Json;
  country?: Json;
  /** The country of a phone number without a country code, or its dialing code. Defaults to `country`. */
  phone_country?: Json;
  vendor_lead_id?: Json;
  resume?: ResumeFields;
  is_test?: Json;
  /** When the applicant sent the application or form, in one of the formats of readTime(). */
  submitted_at?: Json;
  consent?: ConsentFields | Json;
  /** Additional fields, under the names that all vendors share: `job_id`, `answers`, … An empty list counts as none. */
  more?: Record<string, Json | undefined>;
  /**
   * The vendor's payload after the parser has read it. Values that are not in the lead are kept under `vendor_fields`.
   */
  fields?: Fields;
}

/**
 * Creates a parser from a function that reads one vendor's fields.
 *
 * @param read returns the lead as found, or the error if the payload is not a lead
 */
export function parserOf(
  read: (fields: Fields, payload: Json, config: Json) => RawLead | string,
): Parser {
  return (payload, config) => {
    const fields = new Fields(payload);
    const found = read(fields, payload, config);
    return typeof found === "string" ? failure(found) : success(normalizeLead({ ...found, fields }));
  };
}

/** The database's unique index accepts ids of at most this many characters. A longer id is replaced by its digest. */
const MAX_ID_LENGTH = 512;

/**
 * Normalizes names, phone, state, email, id, resume, times, consent and the test mark in the same way for every vendor.
 * Leaves files out of the metadata. Values of the payload that these fields do not contain are kept under
 * `vendor_fields`.
 */
export function normalizeLead(raw: RawLead): ParsedLead {
  const fullName = toText(raw.full_name);
  const split = fullName === undefined ? undefined : splitName(fullName);
  const phone = toText(raw.phone);
  const givenCountry = toText(raw.country);
  // Some forms have the dialing code in the field for the country.
  const country = givenCountry && diallingCode(givenCountry) ? undefined : givenCountry;
  const countryOfLead = country && countryCode(country);
  const e164 = phone && readPhone(phone, toText(raw.phone_country), givenCountry);
  const state = toText(raw.state);
  const code = state && isUs(countryOfLead) ? stateCode(state) : undefined;
  const email = toText(raw.email);
  const zip = toText(raw.zip);
  const { resume, resume_url, resume_skipped } = given(raw.resume, readResume) ?? {};

  const first_name = givenName(raw.first_name) ?? split?.first_name;
  const vendor_lead_id = shortId(withoutPlaceholder(toText(raw.vendor_lead_id)));
  const metadata = withoutFiles(compact({
    ...given(raw.more, withoutEmptyLists),
    full_name: fullName,
    last_name: givenName(raw.last_name) ?? split?.last_name,
    email: email && readEmail(email),
    phone: e164,
    phone_raw: phone,
    address: toText(raw.address),
    city: toText(raw.city),
    state: code,
    state_raw: code === undefined ? state : undefined,
    zip: code === undefined ? zip : zip?.replace(SHORT_ZIP, (digits) => digits.padStart(5, "0")),
    country,
    is_test: given(raw.is_test, readBoolean) || undefined,
    submitted_at: given(raw.submitted_at, readTime),
    consent: given(raw.consent, readConsent),
    resume_url,
    resume_skipped: resume_skipped ?? raw.more?.resume_skipped,
  }));
  const file = resume && mayBeFile(resume.base64) ? resume.base64 : undefined;
  const rest = raw.fields?.rest(compact({ first_name, vendor_lead_id, metadata, file }));
  const vendor_fields = given(rest, (rest) => describeOtherFiles(rest, file));
  return {
    first_name,
    vendor_lead_id,
    resume,
    vendor_metadata: isEmpty(vendor_fields) ? metadata : compact({ ...metadata, vendor_fields }),
  };
}

/**
 * Applies a function to a value that is present: most leads have few of the fields, and an absent field costs nothing.
 */
function given<Value, Read>(value: Value | undefined, read: (value: Value) => Read): Read | undefined {
  return value === undefined ? undefined : read(value);
}

function withoutEmptyLists(fields: Record<string, Json | undefined>) {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => !Array.isArray(value) || value.length > 0),
  );
}

/** @param countries names, two-letter codes, or dialing codes; the first valid one counts */
function readPhone(phone: string, ...countries: (string | undefined)[]): string | undefined {
  const given = countries.find((text) => text !== undefined && (diallingCode(text) ?? countryCode(text)));
  if (given === undefined) return toE164(phone);
  const dialling = diallingCode(given);
  const dialled = dialling && !phone.startsWith("+") ? toE164(`+${dialling} ${phone}`) : undefined;
  return dialled ?? toE164(phone, countryCode(given));
}

/** A ZIP code that was converted to a number on its way, and so lost its leading zeros. */
const SHORT_ZIP = /^\d{3,4}$/;

/** A complete address: alone, after `mailto:`, in `Ann Lee <ann@example.com>`, or the first of several. */
const EMAIL = /^(?:mailto:|[^<>]*<)?([^\s<>,;@]+@[^\s<>,;@]+)(?:>|[,;].*)?$/is;

function readEmail(email: string): string {
  return (EMAIL.exec(email)?.[1] ?? email).toLowerCase();
}

/** Titles, credentials and remarks are separate words, so a name of one word has none. */
const SEVERAL_WORDS = /[\s,;|]/;

function givenName(value: Json | undefined): string | undefined {
  const name = toText(value);
  return name !== undefined && SEVERAL_WORDS.test(name) ? withoutCredentials(name) : name;
}

/** The countries whose addresses have a USPS state code: the United States and its territories. */
const US_COUNTRIES = ["US", "AS", "GU", "MP", "PR", "VI"];

// An unknown country counts as the United States, as for the phone.
function isUs(country: string | undefined): boolean {
  return !country || US_COUNTRIES.includes(country);
}

// A template that finds no id writes one of these. All its leads except the first would be duplicates.
function withoutPlaceholder(id: string | undefined): string | undefined {
  return id !== undefined && /^(?:null|undefined|nan|none|n\/a)$/i.test(id) ? undefined : id;
}

function shortId(id: string | undefined): string | undefined {
  return id === undefined || id.length <= MAX_ID_LENGTH ? id : `sha256:${sha256Hex(id)}`;
}
