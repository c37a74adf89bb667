import type { Fields } from "./fields.ts";
import type { RawLead } from "./normalize.ts";

/** The usual spellings of each contact field, in the form that `plainKey` gives. The first one found wins. */
const SPELLINGS = {
  first_name: ["firstname", "fname", "givenname", "forename", "first"],
  last_name: ["lastname", "lname", "surname", "familyname", "last"],
  full_name: ["fullname", "name", "applicantname", "candidatename", "contactname"],
  email: ["email", "emailaddress", "mail", "primaryemail", "useremail", "workemail"],
  phone: [
    ...["phone", "phonenumber", "mobile", "mobilephone", "mobilenumber"],
    ...["cell", "cellphone", "cellphonenumber", "telephone", "tel"],
    ...["primaryphone", "userphone", "homephone", "workphone", "workphonenumber"],
  ],
  address: ["address", "streetaddress", "street", "address1", "addressline1"],
  city: ["city", "town"],
  state: ["state", "statecode", "province", "region"],
  zip: ["zip", "zipcode", "postalcode", "postcode"],
  country: ["country", "countrycode"],
};

type ContactField = keyof typeof SPELLINGS;

/** Takes the contact fields of a flat object, in any of the usual spellings. */
export function readContact(fields: Fields): Pick<RawLead, ContactField> {
  return Object.fromEntries(
    Object.entries(SPELLINGS).map((
      [field, spellings],
    ) => [field, fields.text(...fields.spelt(...spellings))]),
  );
}
