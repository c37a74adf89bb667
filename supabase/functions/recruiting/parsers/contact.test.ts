import assert from "node:assert/strict";
import type { JsonObject } from "../../_shared/json.ts";
import { readContact } from "./contact.ts";
import { compact, Fields } from "./fields.ts";

function contactIn(payload: JsonObject): JsonObject {
  return compact(readContact(new Fields(payload)));
}

for (
  const [key, field] of [
    ["First Name", "first_name"],
    ["first_name", "first_name"],
    ["firstName", "first_name"],
    ["FIRSTNAME", "first_name"],
    ["first-name", "first_name"],
    ["fname", "first_name"],
    ["LNAME", "last_name"],
    ["E-Mail", "email"],
    ["email_1", "email"],
    ["phone_1", "phone"],
    ["phone1", "phone"],
    ["address_1", "address"],
    ["postal_code", "zip"],
    ["nombre_completo", "full_name"],
    ["nombre_y_apellidos", "full_name"],
    ["apellidos", "last_name"],
    ["correo_electrónico", "email"],
    ["Correo electronico", "email"],
    ["número_de_teléfono", "phone"],
    ["nu\u0301mero de tele\u0301fono", "phone"],
    ["dirección", "address"],
    ["ciudad", "city"],
    ["provincia", "state"],
    ["código_postal", "zip"],
    ["país", "country"],
    ["nome_completo", "full_name"],
    ["sobrenome", "last_name"],
    ["telefone", "phone"],
    ["número_de_telefone", "phone"],
    ["endereço", "address"],
    ["cidade", "city"],
    ["estado", "state"],
    ["CEP", "zip"],
    ["vollständiger_name", "full_name"],
    ["Vorname", "first_name"],
    ["nachname", "last_name"],
    ["e-mail-adresse", "email"],
    ["telefonnummer", "phone"],
    ["postleitzahl", "zip"],
    ["stadt", "city"],
    ["nom_complet", "full_name"],
    ["prénom", "first_name"],
    ["numéro_de_téléphone", "phone"],
    ["adresse", "address"],
    ["ville", "city"],
    ["code_postal", "zip"],
    ["pays", "country"],
    ["Applicant E-mail", "email"],
    ["candidate_phone", "phone"],
    ["candidateFirstName", "first_name"],
    ["Contact Last Name", "last_name"],
    ["Lead.FirstName", "first_name"],
    ["lead_phone_number", "phone"],
    ["lead_name", "full_name"],
    ["whatsapp_number", "phone"],
    ["towncity", "city"],
    ["State / Province", "state"],
    ["ZIP / Postal Code", "zip"],
  ] as const
) {
  Deno.test(`contact: ${key} is the ${field}`, () => {
    assert.deepEqual(contactIn({ [key]: " x " }), { [field]: "x" });
  });
}

// Each is close to a spelling above and means something else.
for (
  const key of [
    ...["phone_2", "email_opt_in", "phone_type", "company_name", "user_name", "name_of_your_bank"],
    ...["estado_civil", "nombre_de_la_empresa", "segundo_apellido", "apelido", "state_licensed"],
    ...["país_de_nacimiento", "ciudad_de_nacimiento", "correo_postal", "zip_file"],
    ...["first", "Last?", "nom_de_l'entreprise", "candidate_state", "emergency_contact_phone"],
  ]
) {
  Deno.test(`contact: ${key} is no contact field`, () => {
    assert.deepEqual(contactIn({ [key]: "x" }), {});
  });
}

Deno.test("contact: nombre is the first name beside a last name, and else the full name", () => {
  assert.deepEqual(contactIn({ nombre: "María José", apellidos: "García" }), {
    first_name: "María José",
    last_name: "García",
  });
  assert.deepEqual(contactIn({ Nome: "Ana Reis" }), { full_name: "Ana Reis" });
  assert.deepEqual(contactIn({ nombre: "x", full_name: "Ana Reyes" }), { full_name: "Ana Reyes" });
});

Deno.test("contact: nom is the last name beside a first name, and else the full name", () => {
  assert.deepEqual(contactIn({ prénom: "Élodie", nom: "Dupont" }), {
    first_name: "Élodie",
    last_name: "Dupont",
  });
  assert.deepEqual(contactIn({ nom: "Élodie Dupont" }), { full_name: "Élodie Dupont" });
  assert.deepEqual(contactIn({ nombre: "Ana Reyes", nom: "x" }), { full_name: "Ana Reyes" });
});

Deno.test("contact: first and last are names where both are there", () => {
  assert.deepEqual(contactIn({ first: "Ann", last: "Lee" }), {
    first_name: "Ann",
    last_name: "Lee",
  });
  assert.deepEqual(contactIn({ full_name: "Ann Lee", "First?": "Yes" }), { full_name: "Ann Lee" });
});
