import assert from "node:assert/strict";
import type { Json, JsonObject } from "../../_shared/json.ts";
import { Fields } from "./fields.ts";
import { readFile } from "./files.ts";
import { normalizeLead, type RawLead } from "./normalize.ts";

Deno.test("a full name is split, and kept", () => {
  const { first_name, vendor_metadata } = normalizeLead({ full_name: "  Smith,  Jordan " });
  assert.deepEqual([first_name, vendor_metadata], ["Jordan", { full_name: "Smith,  Jordan", last_name: "Smith" }]);
});

Deno.test("separate name parts take precedence over the full name", () => {
  const lead = normalizeLead({ full_name: "M. Garcia Soto", first_name: "Maria" });
  assert.equal(lead.first_name, "Maria");
  assert.equal(lead.vendor_metadata.last_name, "Soto");
});

Deno.test("a name or an id that is blank or no text is missing", () => {
  for (const blank of [undefined, null, "", "  \t", true, [], {}] as (Json | undefined)[]) {
    const lead = normalizeLead({ first_name: blank, full_name: blank, vendor_lead_id: blank });
    assert.equal(lead.first_name, undefined);
    assert.equal(lead.vendor_lead_id, undefined);
  }
});

Deno.test("a numeric id becomes text, and an id of more than 512 characters becomes its digest", () => {
  assert.equal(normalizeLead({ vendor_lead_id: 0 }).vendor_lead_id, "0");
  assert.equal(normalizeLead({ vendor_lead_id: " a " }).vendor_lead_id, "a");
  assert.equal(normalizeLead({ vendor_lead_id: "x".repeat(512) }).vendor_lead_id?.length, 512);
  assert.equal(
    normalizeLead({ vendor_lead_id: "x".repeat(513) }).vendor_lead_id,
    "sha256:35ade0090e64e74d6ad04204009c23a4e34b82bdf0f4f317fbcc5f26f9b10241",
  );
});

Deno.test("a separate name is stored as sent; a title or credential is kept in the metadata", () => {
  const named = (payload: JsonObject) => {
    const fields = new Fields(payload);
    const { first_name, vendor_metadata } = normalizeLead({
      first_name: fields.text("first_name"),
      last_name: fields.text("last_name"),
      fields,
    });
    return { first_name, ...vendor_metadata };
  };
  const asSent = { first_name: 'Zoë-Ann "Zo"', last_name: "Smith-Jones;" };
  assert.deepEqual(named(asSent), asSent);
  assert.deepEqual(named({ first_name: "Maria (Mary)" }), { first_name: "Maria (Mary)" });
  const titled = { first_name: "Dr. Maria (Mary)", last_name: "Smith, CLU, ChFC" };
  assert.deepEqual(named(titled), { first_name: "Maria (Mary)", last_name: "Smith", vendor_fields: titled });
});

Deno.test("a placeholder is not an id, and is kept", () => {
  for (const id of ["null", "undefined", " N/A ", "NaN", "None"]) {
    const fields = new Fields({ id });
    const lead = normalizeLead({ vendor_lead_id: fields.text("id"), fields });
    assert.equal(lead.vendor_lead_id, undefined);
    assert.deepEqual(lead.vendor_metadata.vendor_fields, { id });
  }
});

Deno.test("a phone that cannot be read keeps its text", () => {
  assert.deepEqual(normalizeLead({ phone: "call me" }).vendor_metadata, { phone_raw: "call me" });
});

Deno.test("a phone is read in the lead's country, or in the phone's country if the vendor sends one", () => {
  const phone = "020 7946 0958";
  assert.equal(normalizeLead({ phone, country: "GB" }).vendor_metadata.phone, "+442079460958");
  const { vendor_metadata } = normalizeLead({ phone, phone_country: "gb", country: "US" });
  assert.equal(vendor_metadata.phone, "+442079460958");
  assert.equal(vendor_metadata.country, "US");
});

Deno.test("a phone is read in the lead's country, by its name", () => {
  for (
    const [phone, country, expected] of [
      ["55 1234 5678", "México", "+525512345678"],
      ["(312) 555-0187", "Atlantis", "+13125550187"],
      ["0612345678", undefined, undefined],
    ] as const
  ) {
    const { vendor_metadata } = normalizeLead({ phone, country });
    assert.equal(vendor_metadata.phone, expected);
    assert.equal(vendor_metadata.phone_raw, phone);
    assert.equal(vendor_metadata.country, country);
  }
});

Deno.test("a dialling code is the country of the phone alone", () => {
  for (
    const [phone, country, expected] of [
      ["7911 123456", "+44", "+447911123456"],
      ["+1 312 555 0187", "+44", "+13125550187"],
    ] as const
  ) {
    const fields = new Fields({ country });
    const lead = normalizeLead({ phone, country: fields.text("country"), state: "IL", fields });
    const { state, vendor_fields, ...others } = lead.vendor_metadata;
    assert.deepEqual(others, { phone: expected, phone_raw: phone });
    assert.deepEqual([state, vendor_fields], ["IL", { country }]);
  }
});

Deno.test("an e-mail is in lower case, without what surrounds it", () => {
  for (
    const [given, email] of [
      [" Ann@Example.com ", "ann@example.com"],
      ["mailto:Ann@example.com", "ann@example.com"],
      ["Ann Lee <Ann@example.com>", "ann@example.com"],
      ["ann@example.com, bob@example.com", "ann@example.com"],
      ["ann lee@example.com", "ann lee@example.com"],
      ["None", "none"],
      [`${"@".repeat(200_000)} `, "@".repeat(200_000)],
      [`${"<".repeat(200_000)}`, "<".repeat(200_000)],
    ] as const
  ) {
    assert.equal(normalizeLead({ email: given }).vendor_metadata.email, email);
  }
});

const STATES: Record<string, string[]> = {
  TX: [
    ...["texas", " tx ", "Austin, TX", "Austin, Texas", "austin, tx"],
    ...["Austin TX", "Austin, TX 78701", "Austin, TX 78701-1234, USA"],
    ...["TX (Texas)", "Texas (TX)", "Texas, USA", "TX, United States"],
    ...["State of Texas", "Texas USA", "TX/Texas", "Texas & TX"],
  ],
  DC: ["D.C.", "Washington, D.C.", "Washington DC"],
  NY: ["US-NY", "New York, NY", "new_york"],
  NC: ["North  Carolina", "Winston-Salem, NC", "North-Carolina"],
  PR: ["Puerto Rico"],
  FL: ["FL - Florida", "FL-Florida"],
  MO: ["Kansas City, MO", "Nevada, MO"],
  NJ: ["NewJersey"],
  WA: ["Washington State"],
  CA: ["Los Angeles CA USA"],
  AL: ["Mobile, AL 36602 US"],
};
const NO_STATES = [
  ...["Mobile", "live in us", "Ontario", "ZZ", "USA", "78701", "TX, FL"],
  ...["TX, FL, and GA", "Florida/Georgia", "CA, Mexico"],
  ...["Vancouver, BC, CA", "Tijuana, BC, Mexico", "Texas and Florida"],
  ...["looking for work in", "call me", "constructor"],
];
Deno.test("texts of states, and of none", () => {
  for (const [code, texts] of [...Object.entries(STATES), ["", NO_STATES] as const]) {
    for (const state of texts) {
      const { vendor_metadata } = normalizeLead({ state });
      assert.deepEqual(vendor_metadata, code ? { state: code } : { state_raw: state });
    }
  }
});

Deno.test("a state's ZIP code regains the leading zeros that a number has lost", () => {
  const zipOf = (zip: Json, others: RawLead = { state: "MA" }) => normalizeLead({ zip, ...others }).vendor_metadata.zip;
  assert.equal(zipOf(2110), "02110");
  assert.equal(zipOf("601", { state: "PR" }), "00601");
  assert.equal(zipOf("02110-1234"), "02110-1234");
  assert.equal(zipOf(2110, {}), "2110");
  assert.equal(zipOf("2110", { state: "NSW", country: "Australia" }), "2110");
});

Deno.test("a state is read only for the United States", () => {
  const inCountry = (country: string) => normalizeLead({ state: "CA", country, city: "A" }).vendor_metadata;
  assert.deepEqual(inCountry("Italy"), { city: "A", state_raw: "CA", country: "Italy" });
  for (const country of ["US", "United States", "PR", "unknown"]) {
    assert.deepEqual(inCountry(country), { city: "A", state: "CA", country });
  }
});

Deno.test("marks of a test, and other values", () => {
  for (const mark of [true, "true", "YES", " y ", 1, "1", "T", "on", "Sí"]) {
    assert.equal(normalizeLead({ is_test: mark }).vendor_metadata.is_test, true, String(mark));
  }
  const others = [false, "false", "no", 0, "F", "off", "Não", null, "test", {}, [true]];
  for (const mark of others as Json[]) {
    assert.equal("is_test" in normalizeLead({ is_test: mark }).vendor_metadata, false);
  }
});

Deno.test("an additional field does not replace a normalized one", () => {
  const { vendor_metadata } = normalizeLead({ more: { email: "x", job_id: "7" }, email: "A@b.C" });
  assert.deepEqual(vendor_metadata, { email: "a@b.c", job_id: "7" });
});

Deno.test("consent contains the values that the vendor sends", () => {
  const all = {
    given: "Yes",
    text: " I agree ",
    url: "https://c.test/1",
    at: 1785312000,
    ip: "::1",
  };
  assert.deepEqual(normalizeLead({ consent: all }).vendor_metadata.consent, {
    given: true,
    text: "I agree",
    url: "https://c.test/1",
    at: "2026-07-29T08:00:00.000Z",
    ip: "::1",
  });
  const { vendor_metadata } = normalizeLead({ consent: { given: 0, text: " ", at: "later" } });
  assert.deepEqual(vendor_metadata.consent, { given: false });
  assert.deepEqual(normalizeLead({ consent: "no" }).vendor_metadata.consent, { given: false });
  assert.deepEqual(normalizeLead({ consent: "I agree" }).vendor_metadata.consent, { text: "I agree" });
});

Deno.test("a consent that is blank or of another shape is unknown", () => {
  for (const given of [undefined, null, "", " ", [true], {}] as (Json | undefined)[]) {
    assert.deepEqual(normalizeLead({ consent: { given } }).vendor_metadata, {});
  }
});

Deno.test("an unreadable resume is kept as sent", () => {
  for (
    const resume of [
      { file_name: "cv.txt", content_type: "text/plain", data: "See my site, ann.example.com" },
      { data: { pages: ["one", 2] }, url: ["x"] },
      "on request",
      7,
      { unknown: true },
    ] as Json[]
  ) {
    const fields = new Fields({ resume });
    const { vendor_metadata } = normalizeLead({ resume: readFile(fields, "resume"), fields });
    assert.deepEqual(vendor_metadata, { vendor_fields: { resume } });
  }
});

Deno.test("a text equal to an invalid resume is kept", () => {
  const fields = new Fields({ resume: "none", city: "None", nickname: "none" });
  const lead = normalizeLead({ resume: readFile(fields, "resume"), city: fields.text("city"), fields });
  assert.deepEqual(lead.vendor_metadata, { city: "None", vendor_fields: { nickname: "none" } });
});

Deno.test("a value that the lead contains in another form is kept as sent", () => {
  const payload = { state: "Texas", is_test: "no", id: "x".repeat(513), phone: "+1 512 555 0142 x5" };
  const fields = new Fields(payload);
  const { vendor_metadata } = normalizeLead({
    state: fields.text("state"),
    is_test: fields.value("is_test"),
    vendor_lead_id: fields.text("id"),
    phone: fields.text("phone"),
    fields,
  });
  const { phone: _, ...rest } = payload;
  assert.equal(vendor_metadata.state, "TX");
  assert.equal(vendor_metadata.phone_raw, payload.phone);
  assert.deepEqual(vendor_metadata.vendor_fields, rest);
});
