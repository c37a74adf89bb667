import assert from "node:assert/strict";
import type { JsonObject } from "../../_shared/json.ts";
import { readContact } from "./contact.ts";
import { compact, Fields } from "./fields.ts";

function contactIn(payload: JsonObject): JsonObject {
  return compact(readContact(new Fields(payload)));
}

/** The keys of each field, separated by semicolons. */
const SPELLINGS: Record<string, string> = {
  first_name:
    "First Name; first_name; firstName; FIRSTNAME; first-name; fname; Vorname; prénom; candidateFirstName; Lead.FirstName",
  last_name: "LNAME; apellidos; sobrenome; nachname; Contact Last Name",
  email: "E-Mail; email_1; correo_electrónico; Correo electronico; e-mail-adresse; Applicant E-mail",
  phone:
    "phone_1; phone1; número_de_teléfono; nu\u0301mero de tele\u0301fono; telefone; número_de_telefone; telefonnummer; numéro_de_téléphone; candidate_phone; lead_phone_number; whatsapp_number",
  address: "address_1; dirección; endereço; adresse",
  zip: "postal_code; código_postal; CEP; postleitzahl; code_postal; ZIP / Postal Code",
  full_name: "nombre_completo; nombre_y_apellidos; nome_completo; vollständiger_name; nom_complet; lead_name",
  city: "ciudad; cidade; stadt; ville; towncity",
  state: "provincia; estado; State / Province",
  country: "país; pays",
};
Deno.test("contact: the keys of each field", () => {
  for (const [field, keys] of Object.entries(SPELLINGS)) {
    for (const key of keys.split("; ")) assert.deepEqual(contactIn({ [key]: " x " }), { [field]: "x" }, key);
  }
});

// Each is similar to a spelling above but means something else.
const OTHERS = [
  ...["phone_2", "email_opt_in", "phone_type", "company_name", "user_name", "name_of_your_bank"],
  ...["estado_civil", "nombre_de_la_empresa", "segundo_apellido", "apelido", "state_licensed"],
  ...["país_de_nacimiento", "ciudad_de_nacimiento", "correo_postal", "zip_file"],
  ...["first", "Last?", "nom_de_l'entreprise", "candidate_state", "emergency_contact_phone"],
];
Deno.test("contact: keys that are not contact fields", () => {
  for (const key of OTHERS) assert.deepEqual(contactIn({ [key]: "x" }), {}, key);
});

Deno.test("contact: nombre is the first name beside a last name, otherwise the full name", () => {
  assert.deepEqual(contactIn({ nombre: "María José", apellidos: "García" }), {
    first_name: "María José",
    last_name: "García",
  });
  assert.deepEqual(contactIn({ Nome: "Ana Reis" }), { full_name: "Ana Reis" });
  assert.deepEqual(contactIn({ nombre: "x", full_name: "Ana Reyes" }), { full_name: "Ana Reyes" });
});

Deno.test("contact: nom is the last name beside a first name, otherwise the full name", () => {
  assert.deepEqual(contactIn({ prénom: "Élodie", nom: "Dupont" }), { first_name: "Élodie", last_name: "Dupont" });
  assert.deepEqual(contactIn({ nom: "Élodie Dupont" }), { full_name: "Élodie Dupont" });
  assert.deepEqual(contactIn({ nombre: "Ana Reyes", nom: "x" }), { full_name: "Ana Reyes" });
});

Deno.test("contact: first and last are names if both are present", () => {
  assert.deepEqual(contactIn({ first: "Ann", last: "Lee" }), { first_name: "Ann", last_name: "Lee" });
  assert.deepEqual(contactIn({ full_name: "Ann Lee", "First?": "Yes" }), { full_name: "Ann Lee" });
});
