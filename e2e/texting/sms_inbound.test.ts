import assert from "node:assert/strict";
import fc from "fast-check";
import { assertError, assertResponse, atOnce, send, sql, stack } from "../support/client.ts";
import { type Conversation, createConversation, messages, newSid, receive, sendSigned } from "../support/sms.ts";

const PATH = "/recruiting/sms/inbound";
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
    assertResponse(await sendSigned(PATH + query, parameters), 200, RECEIVED);
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
    assertError(await send(PATH, { headers, body }), 401, "UNAUTHORIZED", /X-Twilio-Signature/);
  }
  assert.equal((await messages(conversation)).length, 0);
});

Deno.test("property: every signed form gets 200 and loses no text", async () => {
  const conversation = await createConversation();
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.string());
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
    { numRuns: 20 },
  );
  assert.equal((await messages(conversation)).length, sent);
});
