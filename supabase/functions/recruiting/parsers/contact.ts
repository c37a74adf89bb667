import { type Fields, plainKey } from "./fields.ts";
import type { RawLead } from "./normalize.ts";
import { wordList } from "../../_shared/word_list.ts";

/** Returns a name with the prefixes that forms and lead sellers use: `Applicant Phone`, `Lead.Phone`. */
function theirs(name: string): string[] {
  return ["applicant", "candidate", "contact", "lead"].map((whose) => whose + name);
}

/**
 * The usual spellings of each contact field, normalized by `plainKey`. The first one found wins. The Spanish,
 * Portuguese, German and French spellings come from Meta's forms in these languages.
 */
const SPELLINGS = {
  first_name: [
    ...["firstname", "fname", "givenname", "forename", ...theirs("firstname")],
    ...wordList`primernombre primeironome vorname prenom`,
  ],
  last_name: [
    ...["lastname", "lname", "surname", "familyname", ...theirs("lastname")],
    ...wordList`apellido apellidos sobrenome nachname nomdefamille`,
  ],
  full_name: [
    ...["fullname", "name", ...theirs("name"), ...theirs("fullname")],
    ...wordList`firstandlastname firstlastname`,
    ...wordList`nombrecompleto nombreyapellido nombreyapellidos nomecompleto`,
    ...wordList`vollstandigername nomcomplet`,
  ],
  email: [
    ...wordList`email emailaddress email1 mail primaryemail useremail workemail`,
    ...theirs("email"),
    ...wordList`correoelectronico direcciondecorreoelectronico correo emailadresse`,
  ],
  phone: [
    ...wordList`phone phonenumber phone1 mobile mobilephone mobilephonenumber`,
    ...["mobilenumber"],
    ...wordList`cell cellphone cellphonenumber telephone tel`,
    ...wordList`primaryphone userphone homephone workphone workphonenumber`,
    ...[...theirs("phone"), ...theirs("phonenumber"), ...theirs("homephone")],
    ...wordList`numerodetelefono telefono celular movil`,
    ...wordList`numerodetelefone telefone telemovel`,
    ...wordList`telefonnummer telefon numerodetelephone`,
    ...wordList`whatsappnumber numerodewhatsapp`,
  ],
  address: ["address", "streetaddress", "street", "address1", "addressline1", "direccion", "endereco", "adresse"],
  city: ["city", "town", "towncity", "ciudad", "cidade", "stadt", "wohnort", "ville"],
  state: ["state", "statecode", "province", "region", "stateprovince", "estado", "provincia", "bundesland"],
  zip: wordList`
    zip zipcode postalcode postcode zippostalcode
    codigopostal cep postleitzahl plz codepostal
  `,
  country: ["country", "countrycode", "pais", "pays", "land"],
};

/** Names only if both are present: `first` alone may be a question. */
const FIRST = ["first"];
const LAST = ["last"];

/** The first name in Spanish and Portuguese beside a last name; otherwise possibly the full name. */
const FIRST_OR_FULL = ["nombre", "nome"];

/** The last name in French beside a first name; otherwise possibly the full name. */
const LAST_OR_FULL = ["nom"];

/** A contact field of a lead. */
export type ContactField = keyof typeof SPELLINGS;

const FIELDS = new Map(
  Object.entries({
    ...SPELLINGS,
    full_name: [...SPELLINGS.full_name, ...FIRST_OR_FULL, ...LAST_OR_FULL],
  }).flatMap(([field, spellings]) => spellings.map((spelling) => [spelling, field as ContactField])),
);

/** Returns the contact field for a usual spelling; undefined for any other name. */
export function contactFieldNamed(name: string): ContactField | undefined {
  return FIELDS.get(plainKey(name));
}

/** Takes the contact fields of a flat object, in any of the usual spellings. */
export function readContact(fields: Fields): Pick<RawLead, ContactField> {
  const text = (spellings: string[]) => fields.text(...fields.spelt(...spellings));
  const contact: Pick<RawLead, ContactField> = Object.fromEntries(
    Object.entries(SPELLINGS).map(([field, spellings]) => [field, text(spellings)]),
  );
  if ([FIRST, LAST].every((spellings) => fields.spelt(...spellings).length > 0)) {
    contact.first_name ??= text(FIRST);
    contact.last_name ??= text(LAST);
  }
  contact[contact.last_name === undefined ? "full_name" : "first_name"] ??= text(FIRST_OR_FULL);
  contact[contact.first_name === undefined ? "full_name" : "last_name"] ??= text(LAST_OR_FULL);
  return contact;
}
