import assert from "node:assert/strict";
import { mailOf } from "./mail.ts";

const LEAD = {
  id: "b6b1b9c4-52b4-44c5-8bb7-0cb5a1d0a001",
  vendor: { slug: "acme", name: "Acme Leads" },
  first_name: "Zoë",
  last_name: "Adams",
  email: "zoe@example.com",
  phone: "+12025550101",
  city: null,
  state: "TX",
  zip: null,
  received_at: "2026-11-24T20:00:00.000Z",
  answers: [{ question: "Licensed?", answer: "Yes" }],
  metadata: { secret: "not for the mail" },
  has_resume: false,
  link: "https://desk.example/#/recruits/1",
};
const event = (type: string, data = {}) => ({ type, timestamp: LEAD.received_at, data: { lead: LEAD, ...data } });

Deno.test("an e-mail says what an agency needs to call a recruit", () => {
  const agent = { id: "1", first_name: "Grace", last_name: "Hopper", email: "grace@example.com" };
  assert.deepEqual(mailOf(event("lead.distributed", { agent, order_id: null })), {
    subject: "New lead: Zoë Adams",
    text: `Name: Zoë Adams
Phone: +12025550101
E-mail: zoe@example.com
State: TX
Received: 2026-11-24T20:00:00.000Z
Vendor: Acme Leads
Agent: Grace Hopper
Licensed?: Yes

https://desk.example/#/recruits/1`,
  });
});

Deno.test("each event has a subject", () => {
  for (
    const [type, data, subject] of [
      ["lead.returned", { reason: "wrong number" }, "Lead returned: Zoë Adams"],
      ["lead.reassigned", {}, "Lead reassigned: Zoë Adams"],
      ["recruit.replied", { text: { body: "Hi", received_at: "" } }, "Reply from Zoë Adams"],
      ["agent.lead", { others: 2 }, "Zoë Adams (and 2 more) is a new recruit"],
      ["agent.recruit_waiting", { others: 0 }, "Zoë Adams is waiting for an answer"],
      ["recruit.screened", {}, "Screening completed: Zoë Adams"],
      ["recruit.opted_out", {}, "Opted out: Zoë Adams"],
      ["recruit.stage_changed", { stage: "hired" }, "Zoë Adams is now in the stage hired"],
      ["test", { lead: null }, "This is a test"],
    ] as const
  ) assert.equal(mailOf(event(type, data)).subject, subject);
  assert.match(mailOf(event("lead.returned", { reason: "wrong number" })).text, /^Reason: wrong number$/m);
  assert.match(mailOf(event("recruit.replied", { text: { body: "Hi" } })).text, /^Text: Hi$/m);
});

Deno.test("an agent's e-mail about recruits names one by the first name, and links it", () => {
  const lead = { first_name: "Ada", link: LEAD.link };
  assert.equal(mailOf(event("agent.lead", { lead, others: 2 })).text, `Name: Ada\n\n${LEAD.link}`);
});

Deno.test("an e-mail about an erased recruit has the id alone", () => {
  const { subject, text } = mailOf({ type: "recruit.erased", data: { lead: { id: "an-id" } } });
  assert.equal(subject, "Please erase a recruit's data");
  assert.equal(text, "The data of the recruit an-id has been erased. Please erase it in your systems too.");
});

Deno.test("a name cannot add a line to the subject", () => {
  const lead = { ...LEAD, first_name: "Zoë\r\nBcc: all@example.com", last_name: "x".repeat(500) };
  const { subject } = mailOf(event("lead.distributed", { lead }));
  assert.match(subject, /^New lead: Zoë Bcc: all@example.com x+$/);
  assert.equal(subject.length, 200);
});

Deno.test("the answers to the bot are in the e-mail about the screening", () => {
  const screening = [{ question: "Are you licensed?", answer: "yes" }];
  const { text } = mailOf({ type: "recruit.screened", data: { lead: { first_name: "Ada" }, screening } });
  assert.equal(text, "Name: Ada\nAre you licensed?: yes");
});
