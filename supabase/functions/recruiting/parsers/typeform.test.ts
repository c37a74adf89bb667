import assert from "node:assert/strict";
import type { Json, JsonObject } from "../../_shared/json.ts";
import { holds, parse } from "./fixtures/parsed.ts";
import { typeform } from "./typeform.ts";

/** Creates a response with these questions: type and title, and the answer's type and value. */
function response(items: [title: string, type: string, value: Json][], more: JsonObject = {}) {
  return {
    token: "t",
    definition: { fields: items.map(([title], id) => ({ id: `q${id}`, title })) },
    answers: items.map(([, type, value], id) => ({ type, [type]: value, field: { id: `q${id}` } })),
    ...more,
  };
}

Deno.test("typeform: hidden fields count if the form does not ask for them", () => {
  const hidden = { email: "hidden@example.com", phone: "3125550187", name: "Hidden Name" };
  const asked = parse(typeform, response([["Your name", "text", "Ann Lee"]], { hidden }));
  assert.equal(asked.vendor_metadata.email, "hidden@example.com");
  assert.equal(asked.vendor_metadata.phone, "+13125550187");
  assert.equal(asked.first_name, "Ann");
  assert.ok(holds(asked.vendor_metadata.vendor_fields!, "Hidden Name"));

  const email = parse(typeform, response([["E-mail", "email", "asked@example.com"]], { hidden }));
  assert.equal(email.vendor_metadata.email, "asked@example.com");
  assert.equal(email.first_name, "Hidden");
});

Deno.test("typeform: if two answers have the same field, the first counts and the other is an answer", () => {
  const { vendor_metadata } = parse(
    typeform,
    response([
      ["Your name", "text", "Ann Lee"],
      ["Your e-mail", "email", "ann@example.com"],
      ["Who sent you?", "email", "ben@example.com"],
    ]),
  );
  assert.equal(vendor_metadata.email, "ann@example.com");
  assert.deepEqual(vendor_metadata.answers, [{ question: "Who sent you?", answer: "ben@example.com" }]);
});

Deno.test("typeform: a yes or no to a contact question is an answer", () => {
  const { vendor_metadata } = parse(
    typeform,
    response([
      ["Your name", "text", "Ann"],
      ["Do you have a phone?", "boolean", true],
      ["Do you have an e-mail?", "choice", { label: "Yes" }],
    ]),
  );
  assert.equal(vendor_metadata.phone_raw, undefined);
  assert.equal(vendor_metadata.email, undefined);
  assert.deepEqual(vendor_metadata.answers, [
    { question: "Do you have a phone?", answer: "true" },
    { question: "Do you have an e-mail?", answer: "Yes" },
  ]);
});

Deno.test("typeform: choices as a list, a free choice, a file other than a resume, and a question in a group", () => {
  const lead = response([
    ["Your name", "text", "Ann"],
    ["What do you sell?", "choices", [{ label: "Life" }, { label: "Health" }]],
    ["Where from?", "choice", { other: "A friend" }],
    ["A photo of your license", "file_url", "https://f.example.com/license.jpg"],
  ]);
  const grouped = {
    ...lead,
    definition: { fields: [{ id: "group", properties: { fields: lead.definition.fields } }] },
  };
  for (const payload of [lead, grouped]) {
    const { vendor_metadata } = parse(typeform, payload);
    assert.equal(vendor_metadata.resume_url, undefined);
    assert.deepEqual(vendor_metadata.answers, [
      { question: "What do you sell?", answer: ["Life", "Health"] },
      { question: "Where from?", answer: "A friend" },
      { question: "A photo of your license", answer: "https://f.example.com/license.jpg" },
    ]);
  }
});

Deno.test("typeform: an answer of another type stays as sent", () => {
  const payment = { amount: "1", last4: "4242", name: "Ann Lee" };
  const { vendor_metadata } = parse(
    typeform,
    response([["First name", "text", "Ann"], ["Pay here", "payment", payment]]),
  );
  assert.equal(vendor_metadata.answers, undefined);
  assert.ok(holds(vendor_metadata.vendor_fields!, "4242"));
});
