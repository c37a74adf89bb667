import assert from "node:assert/strict";
import { eventually, loggedErrors, pidOf } from "./support/processes.ts";
import { createConversation, messages, newSid, receive } from "./support/sms.ts";

Deno.test("fault: a message that comes while PostgREST hangs for 3 s is stored once", async () => {
  const conversation = await createConversation();
  const pid = pidOf("postgrest");
  Deno.kill(pid, "SIGSTOP");
  const resume = setTimeout(() => Deno.kill(pid, "SIGCONT"), 3_000);
  try {
    const sid = newSid();
    const responses = await Promise.all([
      receive(conversation, { MessageSid: sid }),
      receive(conversation, { MessageSid: sid }),
    ]);
    assert.deepEqual(responses.map(({ body }) => body), Array(2).fill({ status: "received" }));
  } finally {
    clearTimeout(resume);
    Deno.kill(pid, "SIGCONT");
  }
  assert.equal((await messages(conversation)).length, 1);
});

Deno.test("fault: messages that come while PostgREST is gone are stored once it is back", async () => {
  const conversation = await createConversation();
  Deno.kill(pidOf("postgrest"), "SIGKILL");
  const responses = await Promise.all(Array.from({ length: 10 }, () => receive(conversation)));
  assert.deepEqual(responses.map(({ body }) => body), Array(10).fill({ status: "received" }));
  await eventually(5, async () => assert.equal((await messages(conversation)).length, 10));
});

Deno.test("fault: when the database hangs for long the response is 200 and `error` within 10 s, the MessageSid is logged, and the message can be sent again", async () => {
  const conversation = await createConversation();
  const MessageSid = newSid();
  const pid = pidOf("postgrest");
  Deno.kill(pid, "SIGSTOP");
  const started = performance.now();
  try {
    const { status, body } = await receive(conversation, { MessageSid });
    assert.deepEqual([status, body], [200, { status: "error" }]);
    assert(performance.now() - started < 15_000, "Twilio has hung up");
    await eventually(2, () => Promise.resolve(assert(loggedErrors().includes(MessageSid))));
  } finally {
    Deno.kill(pid, "SIGCONT");
  }
  assert.deepEqual((await receive(conversation, { MessageSid })).body, { status: "received" });
  assert.equal((await messages(conversation)).length, 1);
});
