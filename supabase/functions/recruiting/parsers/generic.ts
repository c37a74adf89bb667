import { isObject, type Json } from "../../_shared/json.ts";
import { success } from "../../_shared/result.ts";
import { readContact } from "./contact.ts";
import { Fields } from "./fields.ts";
import { readFile } from "./files.ts";
import { normalizeLead } from "./normalize.ts";
import type { Parser } from "./parser.ts";
import type { ResumeFields } from "./resume.ts";

/** The usual spellings of the other fields, in the form that `plainKey` gives. The first one found wins. */
const VENDOR_LEAD_ID = [
  ...["vendorleadid", "leadid", "applicationid", "applicantid", "candidateid", "externalid"],
  "id",
];
const RESUME = [
  "resume",
  "resumepdf",
  "resumebase64",
  "resumefile",
  "resumedata",
  "cv",
  "cvbase64",
];
const RESUME_CONTENT_TYPE = ["resumecontenttype", "resumetype", "resumemimetype"];
const RESUME_FILE_NAME = ["resumefilename", "resumename"];
const RESUME_URL = ["resumeurl", "resumelink", "cvurl"];
const IS_TEST = ["istest", "test", "testlead"];

/**
 * A flat object with `first_name, last_name, email, phone, address, city, state, zip, vendor_lead_id, resume` in their
 * usual spellings; a full name may stand for the name's parts. `resume` is base64, a `data:` URL, a web URL, or an
 * object `{data, content_type, file_name}`.
 */
export const generic: Parser = (payload: Json) => {
  const fields = new Fields(payload);
  const text = (spellings: string[]) => fields.text(...fields.spelt(...spellings));
  return success(normalizeLead({
    ...readContact(fields),
    vendor_lead_id: text(VENDOR_LEAD_ID),
    resume: {
      content_type: text(RESUME_CONTENT_TYPE),
      file_name: text(RESUME_FILE_NAME),
      url: text(RESUME_URL),
      ...readResume(fields),
    },
    is_test: fields.value(...fields.spelt(...IS_TEST)),
    vendor_fields: fields.rest(),
  }));
};

// An object in which no file is found is given as the file itself. It is then refused, instead of being lost.
function readResume(fields: Fields): ResumeFields {
  const key = fields.spelt(...RESUME).find((key) => (fields.peek(key) ?? null) !== null);
  if (key === undefined) return {};
  const given = fields.peek(key);
  const file = Object.entries(readFile(fields, key)).filter(([, value]) => value !== undefined);
  const isUnknown = file.length === 0 && isObject(given) &&
    Object.values(given).some((value) => value !== null);
  return isUnknown ? { data: given } : Object.fromEntries(file);
}
