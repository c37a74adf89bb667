import { isObject, type Json } from "../../_shared/json.ts";
import { Fields } from "./fields.ts";
import { normalizeLead } from "./normalize.ts";
import type { Parser } from "./parser.ts";

/**
 * The usual spellings of each field, as compared: lower case, letters and digits only, so that `firstName`,
 * `First Name` and `first_name` are one. Earlier spellings win.
 */
const SPELLINGS = {
  vendor_lead_id: [
    "vendorleadid",
    "leadid",
    "applicationid",
    "applicantid",
    "candidateid",
    "externalid",
    "id",
  ],
  first_name: ["firstname", "fname", "givenname", "forename", "first"],
  last_name: ["lastname", "lname", "surname", "familyname", "last"],
  full_name: [
    "fullname",
    "name",
    "applicantname",
    "candidatename",
    "contactname",
  ],
  email: ["email", "emailaddress", "mail", "primaryemail"],
  phone: [
    "phone",
    "phonenumber",
    "mobile",
    "mobilephone",
    "mobilenumber",
    "cell",
    "cellphone",
    "cellphonenumber",
    "telephone",
    "tel",
    "primaryphone",
    "homephone",
  ],
  address: ["address", "streetaddress", "street", "address1", "addressline1"],
  city: ["city", "town"],
  state: ["state", "statecode", "province", "region"],
  zip: ["zip", "zipcode", "postalcode", "postcode"],
  country: ["country", "countrycode"],
  resume: [
    "resume",
    "resumepdf",
    "resumebase64",
    "resumefile",
    "resumedata",
    "cv",
    "cvbase64",
  ],
  resume_url: ["resumeurl", "resumelink", "cvurl"],
  resume_content_type: ["resumecontenttype", "resumetype", "resumemimetype"],
  resume_file_name: ["resumefilename", "resumename"],
  is_test: ["istest", "test", "testlead"],
};

/**
 * A flat object with `first_name, last_name, email, phone, address, city, state, zip, vendor_lead_id, resume` in their
 * usual spellings, or a full name alone. `resume` is base64, a `data:` URL, a web address, or an object
 * `{data, content_type, file_name}`.
 */
export const generic: Parser = (payload: Json) => {
  const fields = new Fields(payload);
  const keys = Map.groupBy(
    isObject(payload) ? Object.keys(payload) : [],
    (key) => key.toLowerCase().replace(/[^a-z0-9]/g, ""),
  );
  const spelt = (names: string[]) =>
    names.flatMap((name) => keys.get(name) ?? []);
  const text = (field: keyof typeof SPELLINGS) =>
    fields.text(...spelt(SPELLINGS[field]));
  const file = fields.value(...spelt(SPELLINGS.resume)) ?? null;

  return normalizeLead({
    vendor_lead_id: text("vendor_lead_id"),
    first_name: text("first_name"),
    last_name: text("last_name"),
    full_name: text("full_name"),
    email: text("email"),
    phone: text("phone"),
    address: text("address"),
    city: text("city"),
    state: text("state"),
    zip: text("zip"),
    country: text("country"),
    resume: {
      content_type: text("resume_content_type"),
      file_name: text("resume_file_name"),
      ...(isObject(file) && "data" in file ? file : { data: file }),
      url: text("resume_url"),
    },
    is_test: fields.value(...spelt(SPELLINGS.is_test)),
    vendor_fields: fields.rest(),
  });
};
