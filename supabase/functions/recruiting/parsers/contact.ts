import { type Fields, plainKey } from "./fields.ts";
import type { RawLead } from "./normalize.ts";

/**
 * The usual spellings of each contact field, in the form that `plainKey` gives. The first one found wins. The Spanish
 * and Portuguese ones are those of Meta's forms in these languages.
 */
const SPELLINGS = {
  first_name: [
    ...["firstname", "fname", "givenname", "forename", "first"],
    ...["primernombre", "primeironome"],
  ],
  last_name: [
    ...["lastname", "lname", "surname", "familyname", "last"],
    ...["apellido", "apellidos", "sobrenome"],
  ],
  full_name: [
    ...["fullname", "name", "applicantname", "candidatename", "contactname"],
    ...["firstandlastname", "firstlastname"],
    ...["nombrecompleto", "nombreyapellido", "nombreyapellidos", "nomecompleto"],
  ],
  email: [
    ...["email", "emailaddress", "email1", "mail", "primaryemail", "useremail", "workemail"],
    ...["correoelectronico", "direcciondecorreoelectronico", "correo"],
  ],
  phone: [
    ...["phone", "phonenumber", "phone1", "mobile", "mobilephone", "mobilenumber"],
    ...["cell", "cellphone", "cellphonenumber", "telephone", "tel"],
    ...["primaryphone", "userphone", "homephone", "workphone", "workphonenumber"],
    ...["numerodetelefono", "telefono", "celular", "movil"],
    ...["numerodetelefone", "telefone", "telemovel"],
  ],
  address: [
    ...["address", "streetaddress", "street", "address1", "addressline1"],
    ...["direccion", "endereco"],
  ],
  city: ["city", "town", "ciudad", "cidade"],
  state: ["state", "statecode", "province", "region", "estado", "provincia"],
  zip: ["zip", "zipcode", "postalcode", "postcode", "codigopostal", "cep"],
  country: ["country", "countrycode", "pais"],
};

/** The first name in Spanish and Portuguese where a last name stands beside it; else it may be the full name. */
const NAME = ["nombre", "nome"];

/** A contact field of a lead. */
export type ContactField = keyof typeof SPELLINGS;

const FIELDS = new Map(
  Object.entries({ ...SPELLINGS, full_name: [...SPELLINGS.full_name, ...NAME] })
    .flatMap(([field, spellings]) =>
      spellings.map((spelling) => [spelling, field as ContactField])
    ),
);

/** The contact field of which this is a usual spelling; undefined where it is none. */
export function contactFieldNamed(name: string): ContactField | undefined {
  return FIELDS.get(plainKey(name));
}

/** Takes the contact fields of a flat object, in any of the usual spellings. */
export function readContact(fields: Fields): Pick<RawLead, ContactField> {
  const text = (spellings: string[]) => fields.text(...fields.spelt(...spellings));
  const contact: Pick<RawLead, ContactField> = Object.fromEntries(
    Object.entries(SPELLINGS).map(([field, spellings]) => [field, text(spellings)]),
  );
  const name = contact.last_name === undefined ? "full_name" : "first_name";
  return { ...contact, [name]: contact[name] ?? text(NAME) };
}
