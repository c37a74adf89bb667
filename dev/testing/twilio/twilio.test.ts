import assert from "node:assert/strict";
import twilio from "twilio";
import { freePorts } from "../../local/mod.ts";
import { TwilioDouble } from "./double.ts";

// The port of its variable is that of the double that the stack of the other tests sends to.
const double = await TwilioDouble.start(freePorts(1)[0]!);
Deno.test.afterAll(() => double.stop());

/** The official client, with nothing changed but the address. */
function client(username = double.account.apiKey, password = double.account.apiSecret) {
  const official = twilio(username, password, { accountSid: double.account.sid });
  official.api.baseUrl = double.url;
  return official;
}

const FROM = "+12025550100";
let lastNumber = 0;
const newNumber = () => `+1213555${String(++lastNumber).padStart(4, "0")}`;

async function assertRefused(parameters: object, code: number, status = 400): Promise<void> {
  const sent = client().messages.create({ from: FROM, to: newNumber(), body: "Hi", ...parameters } as never);
  await assert.rejects(sent, (error: InstanceType<typeof twilio.RestException>) => {
    assert.equal(error.code, code);
    assert.equal(error.status, status);
    assert.equal(error.moreInfo, `https://www.twilio.com/docs/errors/${code}`);
    return true;
  });
}

Deno.test("the official client creates, fetches and lists a message, also of a messaging service with media", async () => {
  const to = newNumber();
  const created = await client().messages.create({ from: FROM, to, body: "Hi", validityPeriod: 60 });
  assert.match(created.sid, /^SM[0-9a-f]{32}$/);
  assert.equal(created.status, "queued");
  assert.equal(created.direction, "outbound-api");
  assert.equal(created.dateSent, null);
  assert(Math.abs(created.dateCreated.getTime() - Date.now()) < 60_000);

  const fetched = await client().messages(created.sid).fetch();
  assert.deepEqual([fetched.sid, fetched.to, fetched.from, fetched.body], [created.sid, to, FROM, "Hi"]);
  const [listed, ...others] = await client().messages.list({ to, from: FROM });
  assert.equal(listed?.sid, created.sid);
  assert.deepEqual(others, []);
  const [logged] = double.sentTo(to);
  assert.equal(logged?.parameters.ValidityPeriod, "60");

  const service = { messagingServiceSid: `MG${"0".repeat(32)}`, mediaUrl: ["https://example.com/one.jpg"] };
  const accepted = await client().messages.create({ from: FROM, to: newNumber(), ...service });
  assert.match(accepted.sid, /^MM/);
  assert.deepEqual([accepted.status, accepted.numMedia], ["accepted", "1"]);
  const media = await client().messages(accepted.sid).media.list();
  assert.deepEqual(media.map(({ parentSid }) => parentSid), [accepted.sid]);
});

Deno.test("wrong parameters are refused with Twilio's codes", async () => {
  await assertRefused({ to: "12" }, 21211);
  await assertRefused({ from: undefined }, 21603);
  await assertRefused({ body: "" }, 21602);
  await assertRefused({ body: "x".repeat(1_601) }, 21617);
  await assertRefused({ validityPeriod: 0 }, 21624);
  await assertRefused({ validityPeriod: 36_001 }, 21624);
  await assertRefused({ mediaUrl: Array(11).fill("https://example.com/one.jpg") }, 21623);
  await assertRefused({ statusCallback: "nowhere" }, 21609);
});

Deno.test("the account's sid with its token, or an API key, is needed", async () => {
  const { sid, authToken } = double.account;
  await client(sid, authToken).messages.list({ limit: 1 });
  await assert.rejects(client(sid, "wrong").messages.list({ limit: 1 }), { code: 20003, status: 401 });
  const other = twilio(sid, authToken, { accountSid: `AC${"f".repeat(32)}` });
  other.api.baseUrl = double.url;
  await assert.rejects(other.messages.list({ limit: 1 }), { code: 20404, status: 404 });
  await assert.rejects(client().messages(`SM${"f".repeat(32)}`).fetch(), { code: 20404 });
});
