import assert from "node:assert/strict";
import { parse } from "./fixtures/parsed.ts";
import { jazzhr } from "./jazzhr.ts";

Deno.test("jazzhr: a further application of an exported candidate is another lead, a repeated export is not", () => {
  const idOf = (...applications: number[]) =>
    parse(jazzhr, {
      candidate: {
        person: { id: { value: 311 }, name: { given: "Ann" } },
        profiles: applications.map((value) => ({ profileId: { value } })),
      },
    }).vendor_lead_id;
  assert.equal(idOf(311), "311");
  assert.equal(idOf(311, 352), "311,352");
  assert.equal(idOf(), "candidate-311");
});

Deno.test("jazzhr: the first non-empty email address and phone number are used", () => {
  const communication = {
    email: [{ address: "" }, { address: "ann@example.com" }, { address: "b@example.com" }],
    phone: [{ formattedNumber: null }, { formattedNumber: "(412) 555-0177" }],
  };
  const { vendor_metadata } = parse(jazzhr, { candidate: { person: { communication } } });
  assert.equal(vendor_metadata.email, "ann@example.com");
  assert.equal(vendor_metadata.phone, "+14125550177");
});

Deno.test("jazzhr: if there are several documents, none is recognized as the resume", () => {
  const attachments = [{ url: "https://d.example.com/1" }, { url: "https://d.example.com/2" }];
  const payload = { candidate: { person: { name: { given: "Ann" } }, profiles: [{ attachments }] } };
  const { vendor_metadata } = parse(jazzhr, payload);
  assert.equal(vendor_metadata.resume_url, undefined);
  assert.deepEqual(vendor_metadata.vendor_fields, { candidate: { profiles: [{ attachments }] } });
});
