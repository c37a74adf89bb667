/** What Twilio sends: the texts of recruits, and callbacks. */
import assert from "node:assert/strict";
import fc, { character } from "fast-check";
import { assertError, assertResponse, atOnce, send, sql, stack } from "../support/client.ts";
import {
  type Conversation,
  createConversation,
  messages,
  newSid,
  type Parameters,
  receive,
  report,
  sendSigned,
  storeOutbound,
} from "../support/sms.ts";
import { getExpectedTwilioSignature } from "twilio/lib/webhooks/webhooks.js";

const INBOUND = "/recruiting/sms/inbound";
const RECEIVED = { status: "received" };

/** The conversation as it is stored. */
async function stored({ id }: Conversation) {
  const [row] = await sql`
    select last_message_at, status from public.recruiting_conversations where id = ${id}`;
  return row;
}

Deno.test("SPEC 2.4, 4.5: a message is stored with direction, sender, MessageSid and text, and sets last_message_at", async () => {
  const conversation = await createConversation();
  const sid = newSid();
  const response = await receive(conversation, { MessageSid: sid, Body: "Yes, Tuesday!" });
  assertResponse(response, 200, RECEIVED);
  const { id: _, created_at, updated_at: __, ...message } = (await messages(conversation))[0]!;
  assert.deepEqual(message, {
    conversation_id: conversation.id,
    direction: "inbound",
    sender_type: "recruit",
    provider_message_id: sid,
    body: "Yes, Tuesday!",
    media: [],
    sent_by: null,
    status: null,
    error_code: null,
    sent_at: null,
    delivered_at: null,
    failed_at: null,
    heard: null,
  });
  assert.deepEqual(await stored(conversation), { last_message_at: created_at, status: "bot" });
});

Deno.test("a text is stored exactly as sent but for U+0000, and with its files in order", async () => {
  const conversation = await createConversation();
  const texts = [
    ...["  line 1\r\nline 2\n\t ", "50% off & more = a+b; ?x=1#y", "Grüße 你好 שלום नमस्ते 🙂👩‍👩‍👧"],
    ...[`'; drop table leads; -- "\\`, "", "x".repeat(1_600), "x".repeat(60_000), "a\0b"],
  ];
  for (const Body of texts) assertResponse(await receive(conversation, { Body }), 200, RECEIVED);
  const media = Array.from({ length: 11 }, (_, i) => ({
    url: `https://api.twilio.com/media/${i}`,
    content_type: i === 4 ? null : "image/jpeg",
  }));
  const fields = Object.fromEntries(media.flatMap(({ url, content_type }, i) => [
    [`MediaUrl${i}`, i === 0 ? `${url}\0` : url],
    [`MediaContentType${i}`, content_type ?? undefined],
  ]));
  await receive(conversation, { Body: undefined, NumMedia: "11", ...fields });
  const stored = await messages(conversation);
  assert.deepEqual(stored.slice(0, -1).map(({ body }) => body), texts.map((text) => text.replace("\0", "")));
  assert(!stored.at(-1)!.body);
  assert.deepEqual(stored.at(-1)!.media, media);
});

Deno.test("SPEC 4.5: without a conversation for From and To no message is stored, and the text is kept", async () => {
  const conversation = await createConversation();
  const { recruit, service } = conversation;
  for (
    const fields of [
      { From: service, To: recruit },
      { To: recruit },
      { From: undefined },
      { To: undefined },
      { From: "" },
      { From: undefined, To: undefined, Body: undefined, MessageSid: undefined },
      { From: "x".repeat(10_000) },
      { From: "\0" },
      { From: `whatsapp:${recruit}` },
    ]
  ) {
    assertResponse(await receive(conversation, fields), 200, { status: "no_conversation" });
  }
  assert.equal((await messages(conversation)).length, 0);
  const [kept] = await sql`
    select body from public.unmatched_texts
    where recruit_phone = ${service} and service_phone = ${recruit}`;
  assert.deepEqual({ ...kept }, { body: "Hi" });
});

Deno.test("race: a message that comes twenty times at once is stored once", async () => {
  const conversation = await createConversation();
  const sid = newSid();
  const responses = await atOnce(20, () => receive(conversation, { MessageSid: sid }));
  for (const response of responses) assertResponse(response, 200, RECEIVED);
  assert.equal((await messages(conversation)).length, 1);
  const before = await stored(conversation);
  await receive(conversation, { MessageSid: sid, Body: "again" });
  assert.deepEqual(await stored(conversation), before);
});

Deno.test("SPEC 5: repeated, empty and unknown parameters, and a query, are signed with the rest", async () => {
  const { recruit, service } = await createConversation();
  const parameters = {
    From: recruit,
    To: service,
    Body: "Hi",
    MessageSid: newSid(),
    Digits: ["5678", "1234", "1234"],
    FromCity: "",
    Ünknown: "ü",
    MessagingServiceSid: "MG1",
  };
  for (const query of ["", "?a=1&b=two%20words", "?quote=it's", "?"]) {
    assertResponse(await sendSigned(INBOUND + query, parameters), 200, RECEIVED);
  }
});

Deno.test("SPEC 5, 7: without a valid signature the request is UNAUTHORIZED and nothing is stored", async () => {
  const conversation = await createConversation();
  const { recruit: From, service: To } = conversation;
  const body = new URLSearchParams({ From, To, Body: "Hi", MessageSid: newSid() });
  const forwarded = { "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" };
  const signatures: Record<string, string>[] = [
    {},
    { "x-twilio-signature": "" },
    { "x-twilio-signature": "RSOYDt4T1cUTdK1PDd93/VVr8B8=", ...forwarded },
    { authorization: `Bearer ${stack.service_role_key}` },
  ];
  for (const headers of signatures) {
    assertError(await send(INBOUND, { headers, body }), 401, "UNAUTHORIZED", /X-Twilio-Signature/);
  }
  assert.equal((await messages(conversation)).length, 0);
});

Deno.test("property: every signed form gets 200 and loses no text", async () => {
  const conversation = await createConversation();
  const text = fc.oneof(fc.string({ unit: character }), fc.string());
  const extra = fc.dictionary(text, fc.oneof(text, fc.array(text, { minLength: 1 })));
  let sent = 0;
  await fc.assert(
    fc.asyncProperty(text, extra, async (body, fields) => {
      const wellFormed = JSON.parse(
        JSON.stringify(fields),
        (_, value) => typeof value === "string" ? value.toWellFormed() : value,
      );
      const Body = body.toWellFormed();
      assertResponse(await receive(conversation, { ...wellFormed, Body }), 200, RECEIVED);
      sent++;
    }),
    { numRuns: 10 },
  );
  assert.equal((await messages(conversation)).length, sent);
});

const STATUS = "/recruiting/sms/status";
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
  for (const parameters of without) assertResponse(await sendSigned(STATUS, parameters), 200, IGNORED);
  for (const query of ["?message=", "?message=1", `?message=${crypto.randomUUID()}`, "?other=x"]) {
    const parameters = { MessageSid: newSid(), MessageStatus: "sent" };
    assertResponse(await sendSigned(STATUS + query, parameters), 200, IGNORED);
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
    const response = await send(STATUS, { headers, body: new URLSearchParams(parameters) });
    assertError(response, 401, "UNAUTHORIZED", /X-Twilio-Signature/);
  }
  assert.equal((await events(sid)).length, 0);
});
