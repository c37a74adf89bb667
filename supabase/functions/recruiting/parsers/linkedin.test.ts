import assert from "node:assert/strict";
import type { Json, JsonObject } from "../../_shared/json.ts";
import { parse } from "./fixtures/parsed.ts";
import { linkedin } from "./linkedin.ts";

Deno.test("linkedin: a phone with the code or the dialling code of its country", () => {
  for (
    const [countryCode, nationalNumber, phone] of [
      ["+44", "20 7946 0958", "+442079460958"],
      [null, "305 555 0160", "+13055550160"],
    ] as const
  ) {
    const cellphoneNumberQuestionAnswer = { countryCode, nationalNumber };
    const { vendor_metadata } = parse(linkedin, {
      questionResponses: { contactInformationQuestionResponses: { cellphoneNumberQuestionAnswer } },
    });
    assert.equal(vendor_metadata.phone, phone);
  }
});

Deno.test("linkedin: an answer of each kind", () => {
  for (
    const [answer, text] of [
      [{ textAnswerValue: { value: "Sold life insurance" } }, "Sold life insurance"],
      [{ numericAnswerValue: { integerValue: 0 } }, "0"],
      [{ numericAnswerValue: { decimalValue: 2.5 } }, "2.5"],
      [{ multipleChoiceAnswerValue: { symbolicNames: ["life", "health"] } }, ["life", "health"]],
      [{ dateAnswerValue: { year: 2026, month: 5, day: 1 } }, "2026-05-01"],
      [{ dateAnswerValue: { year: 2026, month: 5 } }, "2026-05"],
      [{ dateAnswerValue: { value: "May 2026" } }, "May 2026"],
      [{ dateAnswerValue: "2026-05-01" }, "2026-05-01"],
      [{ booleanAnswerValue: { value: true } }, "true"],
      [{ booleanAnswerValue: false }, "false"],
      [{ phoneNumberAnswerValue: { countryCode: "US", nationalNumber: "305 555 0161" } }, "305 555 0161"],
      [
        { DocumentAnswerValue: { mediaUrl: "https://www.linkedin.com/ambry/x" } },
        "https://www.linkedin.com/ambry/x",
      ],
      ["Yes", "Yes"],
    ] as [Json, Json][]
  ) {
    const { vendor_metadata } = parse(linkedin, application(answer));
    assert.deepEqual(vendor_metadata.answers, [{ question: "q1", answer: text }]);
  }
});

Deno.test("linkedin: an answer of an unknown shape is kept as sent", () => {
  for (
    const answer of [{ dateAnswerValue: { year: 2026, month: 13 } }, { otherValue: { a: [1] } }] as JsonObject[]
  ) {
    const { vendor_metadata } = parse(linkedin, application(answer));
    assert.equal(vendor_metadata.answers, undefined);
    assert.deepEqual(vendor_metadata.vendor_fields, application(answer));
  }
});

function application(answer: Json): JsonObject {
  const customQuestionResponses = [{ questionIdentifier: "q1", answer }];
  return {
    questionResponses: { additionalQuestionResponses: { customQuestionSetResponses: [{ customQuestionResponses }] } },
  };
}
