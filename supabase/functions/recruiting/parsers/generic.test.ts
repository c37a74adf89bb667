import assert from "node:assert/strict";
import type { JsonObject } from "../../_shared/json.ts";
import { parse, parsed, PDF } from "./fixtures/parsed.ts";
import { generic } from "./generic.ts";

Deno.test("generic: the flat object as documented", () => {
  assert.deepEqual(parsed(generic, "generic"), {
    first_name: "Sam",
    vendor_lead_id: "lead-1",
    resume: { base64: PDF, type: "pdf" },
    vendor_metadata: {
      last_name: "Rivera",
      email: "sam.rivera@example.com",
      phone: "+17025550155",
      phone_raw: "(702) 555-0155",
      address: "1 Main St",
      city: "Las Vegas",
      state: "NV",
      zip: "89101",
      vendor_fields: { campaign: "spring" },
    },
  });
});

Deno.test("generic: other spellings, a full name alone, a numeric id of 21 digits, a test mark", () => {
  assert.deepEqual(parsed(generic, "generic_spellings"), {
    first_name: "Samuel",
    vendor_lead_id: "987654321012345678901",
    resume: { base64: PDF, type: "pdf" },
    vendor_metadata: {
      full_name: "Dr. Samuel van der Berg Jr.",
      last_name: "van der Berg",
      email: "sam@example.com",
      phone: "+17025550156",
      phone_raw: "7025550156",
      state: "NV",
      zip: "89101",
      is_test: true,
    },
  });
});

for (const key of ["first_name", "firstName", "First Name", "FIRSTNAME", "first-name", "fname"]) {
  Deno.test(`generic: ${key} is the first name`, () => {
    assert.equal(parse(generic, { [key]: " Ann " }).first_name, "Ann");
  });
}

Deno.test("generic: the first spelling wins, and the other stays with the vendor's fields", () => {
  const { vendor_lead_id, vendor_metadata } = parse(generic, { id: 1, lead_id: "L-1" });
  assert.equal(vendor_lead_id, "L-1");
  assert.deepEqual(vendor_metadata.vendor_fields, { id: 1 });
});

for (
  const [name, payload, base64] of [
    ["none", {}, undefined],
    ["null", { resume: null }, undefined],
    ["blank", { resume: "  " }, undefined],
    ["an empty object", { resume: {} }, undefined],
    ["an object without content", { resume: { data: null, file_name: "cv.pdf" } }, undefined],
    ["base64", { resume_base64: PDF }, PDF],
    ["an object in camelCase", { resume: { base64: PDF, fileName: "cv.pdf" } }, PDF],
  ] as [string, JsonObject, string | undefined][]
) {
  Deno.test(`generic: a resume that is ${name}`, () => {
    assert.equal(parse(generic, payload).resume?.base64, base64);
  });
}

Deno.test("generic: a resume that is no file at all is still given, so that it is refused", () => {
  for (const resume of [5, true, ["x"], { unknown: 1 }]) {
    assert.notEqual(parse(generic, { resume }).resume, undefined);
  }
});

Deno.test("generic: a URL is kept, not taken for a file", () => {
  const url = "https://files.example.com/cv.pdf";
  const payloads: JsonObject[] = [{ resume: url }, { resume_url: url }, { resume: { url } }];
  for (const payload of payloads) {
    const { resume, vendor_metadata } = parse(generic, payload);
    assert.equal(resume, undefined);
    assert.equal(vendor_metadata.resume_url, url);
  }
});
