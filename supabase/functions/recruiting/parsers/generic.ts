import { isObject } from "../../_shared/json.ts";
import { type ConsentFields, readConsent } from "./consent.ts";
import { readContact } from "./contact.ts";
import { type Fields, toText } from "./fields.ts";
import { readFile } from "./files.ts";
import { parserOf } from "./normalize.ts";
import type { ResumeFields } from "./resume.ts";
import { readTime } from "./time.ts";

/** The usual spellings of the other fields, in the form that `plainKey` gives. The first one found wins. */
const VENDOR_LEAD_ID = [
  ...["vendorleadid", "leadid", "applicationid", "applicantid", "candidateid", "externalid"],
  ...["uniqueidentifier", "externalreferenceid", "submissionid", "responseid", "entryid", "id"],
];
const RESUME = [
  ...["resume", "resumepdf", "resumebase64", "resumefile", "resumedata", "cv", "cvbase64"],
];
const RESUME_CONTENT_TYPE = ["resumecontenttype", "resumetype", "resumemimetype"];
const RESUME_FILE_NAME = ["resumefilename", "resumename"];
const RESUME_URL = ["resumeurl", "resumelink", "cvurl"];
const IS_TEST = ["istest", "test", "testlead"];
const SUBMITTED_AT = [
  ...["submittedat", "submissiontime", "submissiondate", "originationdatetime"],
  ...["sourcetimestamp", "createdat", "createdtime", "datecreated"],
];
const CONSENT = ["consent", "consentgiven", "tcpaconsent", "tcpa"];
const CONSENT_TEXT = ["consenttext", "consentlanguage", "tcpatext", "tcpalanguage", "disclaimer"];
const CONSENT_URL = ["consenturl", "trustedformcerturl", "trustedformurl", "xxtrustedformcerturl"];
const CONSENT_AT = ["consentat", "consenttime", "consenttimestamp", "consentdate"];
const CONSENT_IP = ["consentip", "ipaddress", "ip"];

/**
 * A flat object with the fields of a lead in their usual spellings. Also the names of LeadConduit and boberdoo, through
 * which lead sellers deliver: `phone_1`, `trustedform_cert_url`, `Primary_Phone`, `TCPA_Consent`, …
 *
 * Source for LeadConduit: https://support.activeprospect.com/hc/en-us/articles/115003219546
 * No documentation of boberdoo's own was found in public. Its names are from a buyer's specification,
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
  // An address alone says nothing of a consent.
  return readConsent(consent) && { ip: text(CONSENT_IP), ...consent };
}

// A type or a name alone says nothing of a file.
function resumeOf(resume: ResumeFields): ResumeFields | undefined {
  return resume.data === undefined && resume.url === undefined ? undefined : resume;
}

// An object in which no file is found is given as the file itself. The lead then says that it is not stored.
function readResume(fields: Fields): ResumeFields {
  const key = fields.spelt(...RESUME).find((key) => (fields.peek(key) ?? null) !== null);
  if (key === undefined) return {};
  const given = fields.peek(key);
  const file = Object.entries(readFile(fields, key)).filter(([, value]) => value !== undefined);
  const isUnknown = file.length === 0 && isObject(given) &&
    Object.values(given).some((value) => value !== null);
  return isUnknown ? { data: given } : Object.fromEntries(file);
}
