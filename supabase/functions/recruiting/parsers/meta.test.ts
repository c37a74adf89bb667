import assert from "node:assert/strict";
import type { Json, JsonObject } from "../../_shared/json.ts";
import { parse } from "./fixtures/parsed.ts";
import { readSent } from "./fixtures/read.ts";
import { meta, NO_CONTACT_DETAILS } from "./meta.ts";

for (
  const [name, payload] of Object.entries({
    "whole": readSent("meta_notification"),
    "its value alone": { leadgen_id: "123", page_id: "4", form_id: "5", created_time: 1785312000 },
  })
) {
  Deno.test(`meta: the error for a bare notification (${name}) says what to send instead`, () => {
    const { error } = meta(payload, {});
    assert.equal(error, NO_CONTACT_DETAILS);
    assert.match(NO_CONTACT_DETAILS, /leadgen notification.*GET \/\{leadgen_id\}.*field_data/);
  });
}

Deno.test("meta: a notification with contact details added by a relay is read", () => {
  const { first_name, vendor_lead_id } = parse(meta, { leadgen_id: 77, name: "Lee W" });
  assert.equal(first_name, "Lee");
  assert.equal(vendor_lead_id, "77");
});

Deno.test("meta: a lead without a name is not a notification", () => {
  for (
    const contact of [
      { email: "lee@example.com" },
      { field_data: [{ name: "licensed?", values: ["yes"] }] },
    ] as JsonObject[]
  ) {
    const { first_name, vendor_lead_id } = parse(meta, { leadgen_id: 77, ...contact });
    assert.deepEqual([first_name, vendor_lead_id], [undefined, "77"]);
  }
});

Deno.test("meta: a notification with answers added by a relay is read", () => {
  const value = {
    leadgen_id: "77",
    form_id: "5",
    created_time: 1785312000,
    field_data: [{ name: "full_name", values: ["Lee Whitfield"] }],
  };
  const notification = (...values: Json[]) => ({
    object: "page",
    entry: [{ id: "4", changes: values.map((value) => ({ field: "leadgen", value })) }],
  });
  const { first_name, vendor_lead_id, vendor_metadata } = parse(meta, notification(value));
  assert.deepEqual([first_name, vendor_lead_id], ["Lee", "77"]);
  assert.equal(vendor_metadata.form_id, "5");
  assert.equal(vendor_metadata.submitted_at, "2026-07-29T08:00:00.000Z");
  assert.equal(meta(notification(value, value), {}).error, NO_CONTACT_DETAILS);
});

for (
  const [shape, answers] of [
    ["a list with one value each", {
      field_data: [{ name: "full_name", value: "Lee W" }, { name: "licensed?", value: "yes" }],
    }],
    ["an object", { field_data: { full_name: "Lee W", "licensed?": "yes" } }],
    ["an object beside an empty list", { field_data: [], data: { full_name: "Lee W", "licensed?": ["yes"] } }],
  ] as [string, JsonObject][]
) {
  Deno.test(`meta: the answers as ${shape}`, () => {
    const { first_name, vendor_metadata } = parse(meta, { leadgen_id: "998", ...answers });
    assert.equal(first_name, "Lee");
    assert.deepEqual(vendor_metadata.answers, [{ question: "licensed?", answer: "yes" }]);
  });
}

Deno.test("meta: forms in German and French", () => {
  const forms: [Record<string, string>, JsonObject][] = [
    [
      { "vollständiger_name": "Jürgen Groß", "e-mail-adresse": "a@example.com" },
      { full_name: "Jürgen Groß", last_name: "Groß", email: "a@example.com" },
    ],
    [
      { vorname: "Jürgen", nachname: "Groß", telefonnummer: "+4915112345678" },
      { last_name: "Groß", phone: "+4915112345678", phone_raw: "+4915112345678" },
    ],
    [
      { prénom: "Élodie", nom: "Dupont", numéro_de_téléphone: "0612345678", pays: "FR" },
      { last_name: "Dupont", phone: "+33612345678", phone_raw: "0612345678", country: "FR" },
    ],
  ];
  for (const [form, expected] of forms) {
    const field_data = Object.entries(form).map(([name, value]) => ({ name, values: [value] }));
    const { first_name, vendor_metadata } = parse(meta, { field_data });
    const { vendor_fields: _, ...others } = vendor_metadata;
    assert.ok(["Jürgen", "Élodie"].includes(first_name ?? ""));
    assert.deepEqual(others, expected);
  }
});

for (
  const [form, first_name, last_name] of [
    [{ nombre_completo: "Ana Reyes" }, "Ana", "Reyes"],
    [{ nombre: "María José", apellidos: "García" }, "María José", "García"],
    [{ nome_completo: "João da Silva" }, "João", "da Silva"],
  ] as [Record<string, string>, string, string][]
) {
  const contact = {
    ...form,
    "correo_electrónico": "a@example.com",
    "número_de_teléfono": "+12025550116",
    provincia: "TX",
    "código_postal": "78701",
  };

  Deno.test(`meta: the form ${Object.keys(form)} and its flattened lead`, () => {
    const field_data = Object.entries(contact).map(([name, value]) => ({ name, values: [value] }));
    const payloads: Json[] = [{ id: "1", field_data }, { "Lead ID": "1", ...contact }];
    for (const payload of payloads) {
      const lead = parse(meta, payload);
      assert.equal(lead.vendor_lead_id, "1");
      assert.equal(lead.first_name, first_name);
      assert.equal(lead.vendor_metadata.last_name, last_name);
      assert.equal(lead.vendor_metadata.email, "a@example.com");
      assert.equal(lead.vendor_metadata.phone, "+12025550116");
      assert.equal(lead.vendor_metadata.state, "TX");
      assert.equal(lead.vendor_metadata.zip, "78701");
      assert.equal(lead.vendor_metadata.answers, undefined);
    }
  });
}

Deno.test("meta: the other fields of a flattened lead in another spelling", () => {
  const { vendor_lead_id, vendor_metadata } = parse(meta, {
    "ID": 12,
    "Full Name": "Lee W",
    "Form ID": 13,
    campaignId: 14,
    "Ad ID": "ag:15",
    "Created Time": "2026-07-29 08:00:00",
  });
  assert.equal(vendor_lead_id, "12");
  const { form_id, campaign_id, ad_id, submitted_at } = vendor_metadata;
  assert.deepEqual({ form_id, campaign_id, ad_id, submitted_at }, {
    form_id: "13",
    campaign_id: "14",
    ad_id: "ag:15",
    submitted_at: "2026-07-29T08:00:00.000Z",
  });
});

for (const key of ["Lead ID", "leadID", "lead_id", "leadgen_id"]) {
  Deno.test(`meta: ${key} of a flattened lead is its id`, () => {
    assert.equal(parse(meta, { [key]: 12, full_name: "Lee W" }).vendor_lead_id, "12");
  });
}

Deno.test("meta: a checked box of the disclaimer is a consent", () => {
  const consentFor = (...checked: Json[]) => {
    const custom_disclaimer_responses = checked.map((is_checked, i) => ({
      checkbox_key: `optional_${i + 1}`,
      is_checked,
    }));
    const { vendor_metadata } = parse(meta, { full_name: "Lee W", custom_disclaimer_responses });
    if (checked.length > 0) {
      assert.deepEqual(vendor_metadata.vendor_fields, { custom_disclaimer_responses });
    }
    return vendor_metadata.consent;
  };
  assert.deepEqual(consentFor("1"), { given: true });
  assert.deepEqual(consentFor(true, "1"), { given: true });
  assert.deepEqual(consentFor(""), { given: false });
  assert.equal(consentFor("1", ""), undefined);
  assert.equal(consentFor("perhaps"), undefined);
  assert.equal(consentFor(), undefined);
});
