import assert from "node:assert/strict";
import type { JsonObject } from "../../_shared/json.ts";
import { parse, parsed } from "./fixtures/parsed.ts";
import { greenhouse } from "./greenhouse.ts";
import { readFixture } from "./fixtures/read.ts";
import { NOT_A_NEW_APPLICATION } from "./parser.ts";

Deno.test("greenhouse: a candidate as partners push it; the mobile number is preferred", () => {
  const { emails, phone_numbers, addresses } = readFixture("greenhouse");
  assert.deepEqual(parsed(greenhouse, "greenhouse"), {
    first_name: "Harper",
    vendor_lead_id: "24680",
    vendor_metadata: {
      job_id: "12345",
      last_name: "Nguyen",
      email: "harper.nguyen@example.com",
      phone: "+12065550134",
      phone_raw: "206-555-0134",
      address: "12 Pine St\nSeattle, WA 98101",
      resume_url: "https://files.example.com/harper.pdf",
      vendor_fields: {
        prospect: "true",
        company: "Lakeside Bank",
        title: "Teller",
        phone_numbers,
        emails,
        addresses,
        notes: "Referred by a friend",
      },
    },
  });
});

Deno.test("greenhouse: Greenhouse's own webhook; the application's id counts", () => {
  const { first_name, vendor_lead_id, resume, vendor_metadata } = parsed(
    greenhouse,
    "greenhouse_webhook",
  );
  assert.equal(first_name, "Harper");
  assert.equal(vendor_lead_id, "71980812");
  assert.equal(resume, undefined);
  assert.equal(vendor_metadata.email, "harper.nguyen@example.com");
  assert.equal(vendor_metadata.phone, "+12065550134");
  assert.equal(vendor_metadata.job_id, "274075");
  assert.equal(vendor_metadata.job_title, "Insurance Agent");
  assert.equal(vendor_metadata.resume_url, "https://files.example.com/r");
});

Deno.test("greenhouse: an event that is no new application makes no lead", () => {
  const { payload } = readFixture("greenhouse_webhook") as { payload: JsonObject };
  for (
    const action of [
      ...["reject_candidate", "unreject_candidate", "hire_candidate", "unhire_candidate"],
      ...["candidate_stage_change", "update_candidate", "application_updated"],
      ...["delete_application", "delete_candidate", "merge_candidate", "candidate_anonymized"],
      ...["new_prospect_application", "scorecard_deleted", "interview_deleted", "ping"],
      ...["offer_created", "offer_approved", "job_created", "job_updated", "job_approved"],
    ]
  ) {
    const { data, error } = greenhouse({ action, payload }, {});
    assert.deepEqual([data, error], [null, NOT_A_NEW_APPLICATION], action);
  }
  assert.equal(parse(greenhouse, { payload }).first_name, "Harper", "a relay may drop the action");
});
