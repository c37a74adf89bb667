import assert from "node:assert/strict";
import { parse, parsed } from "./fixtures/parsed.ts";
import { linkedin } from "./linkedin.ts";

Deno.test("linkedin: an exported application; its resume is a URL to keep", () => {
  assert.deepEqual(parsed(linkedin, "linkedin"), {
    first_name: "Priya",
    vendor_lead_id: "urn:li:jobApplication:4433221100",
    vendor_metadata: {
      job_id: "agent-fl-3",
      answers: [
        { question: "years", answer: "4" },
        { question: "licensed", answer: ["yes"] },
      ],
      last_name: "Raman",
      email: "priya.raman@example.com",
      phone: "+13055550160",
      phone_raw: "(305) 555-0160",
      resume_url: "https://www.linkedin.com/ambry/?x-li-ambry-ep=example",
      vendor_fields: {
        type: "EXPORT_JOB_APPLICATION",
        appliedAt: 1785312000000,
        jobApplicant: "urn:li:person:qZ8xkN",
        questionResponses: {
          contactInformationQuestionResponses: {
            cellphoneNumberQuestionAnswer: { countryCode: "US", extension: "" },
          },
          resumeQuestionResponses: {
            resumeQuestionAnswer: { mediaUrn: "urn:li:media:/AgAAAA/resume" },
          },
        },
      },
    },
  });
});

for (
  const [countryCode, nationalNumber, phone] of [
    ["gb", "020 7946 0958", "+442079460958"],
    ["+44", "20 7946 0958", "+442079460958"],
    ["1", "305 555 0160", "+13055550160"],
    ["", "305 555 0160", "+13055550160"],
    [null, "305 555 0160", "+13055550160"],
  ] as const
) {
  Deno.test(`linkedin: the phone ${nationalNumber} of country ${countryCode}`, () => {
    const cellphoneNumberQuestionAnswer = { countryCode, nationalNumber };
    const { vendor_metadata } = parse(linkedin, {
      questionResponses: { contactInformationQuestionResponses: { cellphoneNumberQuestionAnswer } },
    });
    assert.equal(vendor_metadata.phone, phone);
  });
}
