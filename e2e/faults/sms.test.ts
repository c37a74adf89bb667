import assert from "node:assert/strict";
import { assertResponse, atOnce } from "../support/client.ts";
import { eventually, loggedErrors } from "../support/processes.ts";
import { createConversation, messages, newSid, receive } from "../support/sms.ts";
import { hangFor, kill, whileHanging } from "../../dev/testing/faults/parts.ts";

const RECEIVED = { status: "received" };

Deno.test("fault: a message that comes while PostgREST hangs for 3 s is stored once", async () => {
  const conversation = await createConversation();
  const MessageSid = newSid();
  const hanging = hangFor("postgrest", 3);
  const responses = await atOnce(2, () => receive(conversation, { MessageSid }));
  await hanging;
  for (const response of responses) assertResponse(response, 200, RECEIVED);
  assert.equal((await messages(conversation)).length, 1);
});

Deno.test("fault: messages that come while PostgREST is gone are stored once it is back", async () => {
  const conversation = await createConversation();
  await kill("postgrest");
  const responses = await atOnce(10, () => receive(conversation));
  for (const response of responses) assertResponse(response, 200, RECEIVED);
  await eventually(5, async () => assert.equal((await messages(conversation)).length, 10));
});

Deno.test("fault: when the database hangs for long the response is 200 and `error` within 10 s, the MessageSid is logged, and the message can be sent again", async () => {
  const conversation = await createConversation();
  const MessageSid = newSid();
  const started = performance.now();
  await whileHanging("postgrest", async () => {
    assertResponse(await receive(conversation, { MessageSid }), 200, { status: "error" });
    assert(performance.now() - started < 15_000, "Twilio has hung up");
    await eventually(2, () => Promise.resolve(assert(loggedErrors().includes(MessageSid))));
  });
  assertResponse(await receive(conversation, { MessageSid }), 200, RECEIVED);
  assert.equal((await messages(conversation)).length, 1);
});
