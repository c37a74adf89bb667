import assert from "node:assert/strict";
import { getExpectedTwilioSignature } from "twilio/lib/webhooks/webhooks.js";
import { assertError, assertResponse, send, sql, stack } from "../support/client.ts";
import {
  type Conversation,
  createConversation,
  messages,
  newSid,
  type Parameters,
  report,
  sendSigned,
  storeOutbound,
} from "../support/sms.ts";

const PATH = "/recruiting/sms/status";
const UPDATED = { status: "updated" };
const IGNORED = { status: "ignored" };

/** Makes a conversation with an outbound message. */
async function createOutbound(): Promise<{ conversation: Conversation; sid: string }> {
  const [conversation, sid] = [await createConversation(), newSid()];
  await storeOutbound(conversation, sid);
  return { conversation, sid };
}

/** The stored callbacks of a message, oldest first. */
function events(sid: string) {
  return sql`
    select provider_status, status, error_code from public.recruiting_message_events
    where provider_message_id = ${sid} order by received_at, id`;
}

Deno.test("SPEC 3, 4.6: a message takes the status of each callback, with its time and error code, and each is kept", async () => {
  const { conversation, sid } = await createOutbound();
  const responses = [];
  for (const status of ["queued", "sending", "sent", "sent", "read", "delivered"]) {
    responses.push((await report(sid, status)).body.status);
  }
  assert.deepEqual(responses, ["updated", "ignored", "updated", "updated", "ignored", "updated"]);
  const [delivered] = await messages(conversation);
  assert.equal(delivered!.status, "delivered");
  assert(delivered!.sent_at <= delivered!.delivered_at);
  assert.equal(delivered!.failed_at, null);

  assertResponse(await report(sid, "undelivered", { ErrorCode: "30003" }), 200, UPDATED);
  const [failed] = await messages(conversation);
  assert.deepEqual([failed!.status, failed!.error_code], ["failed", "30003"]);
  assert.notEqual(failed!.failed_at, null);
  assert.deepEqual((await events(sid)).map(({ provider_status, status }) => `${provider_status} ${status}`), [
    ...["queued queued", "sending null", "sent sent", "sent sent", "read null", "delivered delivered"],
    "undelivered failed",
  ]);
});

Deno.test("race: a callback that comes while its message is stored is always applied", async () => {
  const conversation = await createConversation();
  const sids = Array.from({ length: 20 }, newSid);
  await Promise.all(sids.flatMap((sid) => [report(sid, "delivered"), storeOutbound(conversation, sid)]));
  const stored = await messages(conversation);
  assert.deepEqual(stored.map(({ status }) => status), Array(20).fill("delivered"));
});

Deno.test("missing and odd values get 200 and change nothing else", async () => {
  const { conversation, sid } = await createOutbound();
  const without: Parameters[] = [{}, { MessageStatus: "sent" }, { MessageSid: "", MessageStatus: "sent" }, {
    MessageSid: sid,
  }];
  for (const parameters of without) assertResponse(await sendSigned(PATH, parameters), 200, IGNORED);
  for (const query of ["?message=", "?message=1", `?message=${crypto.randomUUID()}`, "?other=x"]) {
    const parameters = { MessageSid: newSid(), MessageStatus: "sent" };
    assertResponse(await sendSigned(PATH + query, parameters), 200, IGNORED);
  }
  const long = "x".repeat(20_000);
  for (const value of ["\0", long, "'; drop table leads; --", "🙂", "\ufffd"]) {
    assertResponse(await report(sid, value, { ErrorCode: value }), 200, IGNORED);
    assertResponse(await report(value, "sent"), 200, IGNORED);
  }
  assert.equal((await messages(conversation))[0]!.status, null);
  await report(sid, "failed", { ErrorCode: long });
  assert.equal((await messages(conversation))[0]!.status, "failed");
});

Deno.test("SPEC 5, 7: without a valid signature, or with one for the other webhook, the request is UNAUTHORIZED", async () => {
  const sid = newSid();
  const parameters = { MessageSid: sid, MessageStatus: "sent" };
  const forInbound = getExpectedTwilioSignature(
    stack.twilio_auth_token,
    `${stack.functions_url}/recruiting/sms/inbound`,
    parameters,
  );
  for (const signature of ["", forInbound]) {
    const headers = { "x-twilio-signature": signature };
    const response = await send(PATH, { headers, body: new URLSearchParams(parameters) });
    assertError(response, 401, "UNAUTHORIZED", /X-Twilio-Signature/);
  }
  assert.equal((await events(sid)).length, 0);
});
