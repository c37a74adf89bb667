import * as z from "zod";
import { isObject } from "../../_shared/json.ts";
import { type ConsentFields, readConsent } from "./consent.ts";
import { readContact } from "./contact.ts";
import { type Fields, isEmpty, toText } from "./fields.ts";
import { leaveOutFiles, readFile, withOthers } from "./files.ts";
import { parserOf } from "./normalize.ts";
import { isWebUrl, type ResumeFields } from "./resume.ts";
import { readTime } from "./time.ts";
import { wordList } from "../../_shared/word_list.ts";

/** The usual spellings of the other fields, normalized by `plainKey`. The first one found wins. */
const VENDOR_LEAD_ID = wordList`
  vendorleadid leadid applicationid applicantid candidateid externalid
  uniqueidentifier externalreferenceid submissionid responseid entryid id
`;
const RESUME = wordList`
  resume resumepdf resumebase64 resumefile resumedata cv cvbase64
  resumes resumefiles cvs
`;
const RESUME_CONTENT_TYPE = ["resumecontenttype", "resumetype", "resumemimetype"];
const RESUME_FILE_NAME = ["resumefilename", "resumename"];
const RESUME_URL = ["resumeurl", "resumelink", "cvurl"];
const IS_TEST = ["istest", "test", "testlead"];
const SUBMITTED_AT = wordList`
  submittedat submissiontime submissiondate originationdatetime
  sourcetimestamp createdat createdtime datecreated
`;
const CONSENT = ["consent", "consentgiven", "tcpaconsent", "tcpa"];
const CONSENT_TEXT = ["consenttext", "consentlanguage", "tcpatext", "tcpalanguage", "disclaimer"];
const CONSENT_URL = ["consenturl", "trustedformcerturl", "trustedformurl", "xxtrustedformcerturl"];
const CONSENT_AT = ["consentat", "consenttime", "consenttimestamp", "consentdate"];
const CONSENT_IP = ["consentip", "ipaddress", "ip"];

const text = z.string().optional();
const textOrNumber = z.union([z.string(), z.number()]).optional();
const readable = z.union([z.boolean(), z.string(), z.number()]).optional();

/** The fields that the parser reads, with one spelling each. */
const genericLead = z.looseObject({
  vendor_lead_id: textOrNumber.describe("Your id of the application. The same id again is a duplicate."),
  first_name: text.describe("`first_name` or `full_name` is required."),
  last_name: text,
  full_name: text.describe("Split into first and last name, unless these are given."),
  email: text,
  phone: textOrNumber.describe("In any notation; of the applicant's country, else of the US."),
  address: text,
  city: text,
  state: text.describe("By name or code."),
  zip: textOrNumber,
  country: text.describe("By name or code."),
  resume: z.union([
    z.string().describe("A file in base64 or as a `data:` URL, or a web address."),
    z.looseObject({ data: z.string(), content_type: text, file_name: text }),
  ]).optional(),
  resume_url: text,
  submitted_at: textOrNumber.describe("ISO 8601 or Unix time; without a zone it is UTC."),
  consent: z.union([
    z.boolean(),
    z.string(),
    z.number(),
    z.looseObject({ given: readable, text, url: text, at: textOrNumber, ip: text }),
  ]).optional(),
  is_test: readable.describe("True: the lead is stored, marked, and distributed to nobody."),
}).meta({
  id: "GenericLead",
  description: "What the parser `generic` reads. docs/vendors.md has the other spellings of each field.",
});

/** One applicant, as documented for the routes. */
export const recruitingLead = z.union([genericLead, z.looseObject({})]).meta({
  id: "RecruitingLead",
  description:
    "One applicant: the generic parser's lead, or the vendor's own format. After parsing there must be a first name. " +
    "A vendor_lead_id deduplicates. Everything else is kept as metadata. A resume that cannot be stored does not cost " +
    "the lead. docs/parsers.md lists what each parser reads.",
});

/**
 * A flat object with the fields of a lead in their usual spellings, including the names of LeadConduit and boberdoo,
 * through which lead sellers deliver: `phone_1`, `trustedform_cert_url`, `Primary_Phone`, `TCPA_Consent`, …
 *
 * Source for LeadConduit: https://support.activeprospect.com/hc/en-us/articles/115003219546
 * boberdoo has no public documentation. Its names are from a buyer's specification,
 * https://inquirly.com/l, and `origination_datetime` and `lead_mode` are from PX's,
 * https://support.px.com/hc/en-us/articles/115004727127
 */
export const generic = parserOf((fields) => {
  const text = (spellings: string[]) => fields.text(...fields.spelt(...spellings));
  return {
    ...readContact(fields),
    vendor_lead_id: text(VENDOR_LEAD_ID) ?? fields.text("lead.id"),
    resume: resumeOf({
      content_type: text(RESUME_CONTENT_TYPE),
      file_name: text(RESUME_FILE_NAME),
      url: text(RESUME_URL),
      ...readResume(fields),
    }),
    is_test: fields.value(...fields.spelt(...IS_TEST)) ?? isTestMode(fields),
    submitted_at: fields.first(readTime, ...fields.spelt(...SUBMITTED_AT)),
    consent: consentOf(fields),
  };
});

// PX's `lead_mode` is 0 for a test and 1 for a live lead.
function isTestMode(fields: Fields): true | undefined {
  return fields.spelt("leadmode").some((key) => toText(fields.peek([key])) === "0") || undefined;
}

function consentOf(fields: Fields): ConsentFields | undefined {
  const text = (spellings: string[]) => fields.text(...fields.spelt(...spellings));
  const given = fields.value(...fields.spelt(...CONSENT));
  const consent: ConsentFields = {
    text: text(CONSENT_TEXT),
    url: text(CONSENT_URL),
    at: text(CONSENT_AT),
    ...(isObject(given) ? given : { given }),
  };
  if (Object.values(consent).every((value) => value === undefined)) return undefined;
  // An IP address alone does not prove consent.
  return readConsent(consent) && { ip: text(CONSENT_IP), ...consent };
}

// A type or a name alone is not a file.
function resumeOf(resume: ResumeFields): ResumeFields | undefined {
  return resume.data === undefined && resume.url === undefined ? undefined : resume;
}

/**
 * Returns the resume under the first key with a file, otherwise a web address. Descriptions of the files under other
 * keys follow it. An object in which no file is found is returned as the file itself, so that the lead records that it
 * is not stored.
 */
function readResume(fields: Fields): ResumeFields {
  const keys = fields.spelt(...RESUME).filter((key) => !isEmpty(fields.peek([key])));
  const isAddress = (key: string) => isWebUrl(toText(fields.peek([key])) ?? "");
  const key = keys.find((key) => !isAddress(key)) ?? keys[0];
  if (key === undefined) return {};
  const given = fields.peek([key]);
  const read = readFile(fields, [key]);
  const url = fields.text(...keys.filter((other) => other !== key && isAddress(other)).map((key) => [key]));
  const others = keys.filter((other) => other !== key && fields.peek([other]) !== given)
    .flatMap((other) => leaveOutFiles(fields, other));
  const file = Object.entries(withOthers({ ...read, url: read.url ?? url }, others))
    .filter(([, value]) => value !== undefined);
  const isUnknown = file.length === 0 && isObject(given) &&
    Object.values(given).some((value) => value !== null);
  return isUnknown ? { data: given } : Object.fromEntries(file);
}
