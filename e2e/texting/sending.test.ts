/** The texts that are sent, and how they arrive at Twilio. */
import assert from "node:assert/strict";
import { sql, stack } from "../support/client.ts";
import { eventually } from "../support/processes.ts";
import { newPhone } from "../support/sms.ts";
import {
  awaitState,
  awaitStatus,
  createAgentsConversation,
  createConversation,
  createSender,
  double,
  outboxText,
  queueText,
  sentBodies,
  work,
} from "./texts.ts";

Deno.test("an agent's text is sent once, and its callbacks tell when it was delivered", async () => {
  const { agent, id, recruit, phone } = await createAgentsConversation();
  const text = { conversation_id: id, body: "Can you start on Monday? 😀", client_message_id: crypto.randomUUID() };
  // Two clicks.
  const calls = await Promise.all([agent.client.rpc("send_text", text), agent.client.rpc("send_text", text)]);
  assert.deepEqual(calls.map(({ error }) => error), [null, null]);
  assert.deepEqual(calls.map(({ data }) => data.status).sort(), ["duplicate", "queued"]);
  const { message_id } = calls[0].data;

  const counts = await Promise.all([work(), work(), work()]);
  assert.equal(counts.reduce((sum, { accepted }) => sum + accepted!, 0), 1);
  const sent = double.sentTo(recruit);
  assert.equal(sent.length, 1);
  assert.partialDeepStrictEqual(sent[0]!.parameters, {
    To: recruit,
    From: phone,
    Body: text.body,
    StatusCallback: `${stack.functions_url}/recruiting/sms/status?message=${message_id}`,
  });
  assert.equal(sent[0]!.parameters.ValidityPeriod, undefined);
  const row = await awaitState(message_id, "accepted");
  assert.equal(row.provider_message_id, sent[0]!.sid);
  await awaitStatus(message_id, "delivered");
});

Deno.test("callbacks may come doubled, in another order, or before the response", async () => {
  const sender = await createSender();
  const send = async (plan: Parameters<typeof double.callBack>[0], final: string) => {
    double.callBack(plan);
    const conversation = await createConversation(sender);
    // Its callbacks come while the response is still on its way.
    double.fail({ to: conversation.recruit, accepted: true, delay_ms: 200 });
    const id = await queueText(conversation, "Hi");
    await work();
    double.callBack();
    await eventually(10, async () => {
      const { state, status, delivered_at } = await outboxText(id);
      assert.deepEqual([state, status], ["accepted", final]);
      assert(delivered_at instanceof Date);
    });
    assert.deepEqual(sentBodies(conversation), ["Hi"]);
  };
  await send({ copies: 3 }, "delivered");
  await send({ statuses: ["sent", "delivered"], delay_ms: 0 }, "delivered");
  // The specification has the status of the callback that came last.
  await send({ statuses: ["delivered", "sent"] }, "sent");
});

Deno.test("a text that is not delivered is failed with the code, and its agent is notified", async () => {
  const { agent, ...conversation } = await createAgentsConversation();
  double.callBack({ statuses: ["sent", "undelivered"], error_code: 30003 });
  const id = await queueText(conversation, "Hi");
  await work();
  double.callBack();
  await awaitStatus(id, "failed");
  assert.equal((await outboxText(id)).error_code, "30003");
  const { data } = await agent.client.from("agent_notifications").select("kind, message_id");
  assert.deepEqual(data, [{ kind: "failed", message_id: id }]);
});

Deno.test("a text that Twilio refuses for good is failed with the code, and the next one is sent", async () => {
  const { agent, ...conversation } = await createAgentsConversation();
  double.fail({ to: conversation.recruit, status: 400, code: 21614 });
  const refused = await queueText(conversation, "1");
  const next = await queueText(conversation, "2");
  await work();
  assert.partialDeepStrictEqual(await outboxText(refused), { state: "failed", status: "failed", error_code: "21614" });
  await awaitState(next, "accepted");
  assert.deepEqual(sentBodies(conversation), ["2"]);
  const { data } = await agent.client.from("agent_notifications").select("message_id");
  assert.deepEqual(data, [{ message_id: refused }]);
});

Deno.test("a number that is not registered pauses, holds its texts, and sends them once it is active", async () => {
  const { agent, ...conversation } = await createAgentsConversation();
  double.fail({ to: conversation.recruit, status: 400, code: 30034 });
  const id = await queueText(conversation, "Hi");
  await work();
  const [number] = await sql`
    select status, paused_reason from public.service_numbers where phone = ${conversation.phone}`;
  assert.deepEqual({ ...number }, { status: "paused", paused_reason: "30034" });
  assert.partialDeepStrictEqual(await outboxText(id), { state: "pending", reason: "number_paused" });
  const { data } = await agent.client.rpc("send_text", {
    conversation_id: conversation.id,
    body: "Later",
    client_message_id: crypto.randomUUID(),
  });
  assert.equal(data.status, "held");
  await work();
  assert.deepEqual(sentBodies(conversation), []);

  await sql`update public.service_numbers set status = 'active' where phone = ${conversation.phone}`;
  await work();
  assert.deepEqual(sentBodies(conversation), ["Hi", "Later"]);
});

Deno.test("1,600 characters are sent as one message, and files by URLs that open for a day", async () => {
  const { agent, ...conversation } = await createAgentsConversation();
  const path = `text-media/${conversation.id}/flyer.png`;
  const service = (name: string, init: RequestInit) =>
    fetch(`${stack.api_url}/storage/v1/${name}`, {
      ...init,
      headers: { authorization: `Bearer ${stack.service_role_key}`, "content-type": "image/png" },
    });
  const uploaded = await service(`object/${path}`, { method: "POST", body: "a picture" });
  assert.equal(uploaded.status, 200, await uploaded.text());

  const long = "ä€".repeat(800);
  const send = (body: string | null, media: object[] = []) =>
    agent.client.rpc("send_text", {
      conversation_id: conversation.id,
      body,
      media,
      client_message_id: crypto.randomUUID(),
    });
  const first = await send(long);
  assert.equal(first.error, null);
  assert.equal(first.data.segments, 16);
  const external = "https://example.com/one.jpg";
  const second = await send("", [
    { url: path, content_type: "image/png" },
    { url: external, content_type: "image/jpeg" },
  ]);
  assert.equal(second.error, null);
  const withoutBody = await send(null, [{ url: external, content_type: "image/jpeg" }]);
  assert.equal(withoutBody.error, null);
  assert.match((await send(`${long}x`)).error!.message, /^body: /);

  await work();
  const sent = double.sentTo(conversation.recruit);
  assert.deepEqual(sent.map(({ body }) => body), [long, "", ""]);
  const [signed, plain] = sent[1]!.media;
  assert.equal(plain!.url, external);
  const opened = await fetch(signed!.url);
  assert.equal(await opened.text(), "a picture");
});

Deno.test("a number sends at its own rate, and does not hold up others", async () => {
  const slow = await createSender(2);
  const quick = await createSender();
  const slowOnes = await Promise.all([1, 2, 3, 4, 5].map(() => createConversation(slow)));
  for (const conversation of slowOnes) await queueText(conversation, "Hi");
  const other = await createConversation(quick);
  const otherId = await queueText(other, "Hi");
  const working = work();
  await awaitState(otherId, "accepted");
  assert((await working).accepted! >= 6);
  const times = (await Promise.all(slowOnes.map(({ recruit }) => double.sentTo(recruit))))
    .map(([message]) => Date.parse(message!.date_created)).sort((one, another) => one - another);
  // Five segments at two a second, of which the first second's may go at once.
  assert(times.at(-1)! - times[0]! >= 1_000, String(times));
});

Deno.test("quiet hours hold a greeting, and Twilio may not keep it longer than they leave open", async () => {
  const state = "QZ";
  const area_code = "998";
  // Somewhere it is noon.
  const hours = new Date().getUTCHours() - 12;
  const timezone = `Etc/GMT${hours < 0 ? "" : "+"}${hours}`;
  await sql`
    insert into public.area_codes (area_code, state, country, timezones, source)
    values (${area_code}, ${state}, 'US', ${[timezone]}, 'a test')`;
  const setHours = async (opens: string, closes: string) => {
    await sql`delete from public.texting_hours where state = ${state}`;
    await sql`
      insert into public.texting_hours (state, opens, closes, source)
      values (${state}, ${opens}, ${closes}, 'a test')`;
  };
  try {
    await setHours("12:00", "12:00");
    const recruit = newPhone().replace("+1312", `+1${area_code}`);
    const conversation = await createConversation(undefined, recruit);
    const greeting = await queueText(conversation, "Hello from the agency", { kind: "greeting" });
    const reply = await queueText(conversation, "A reply");
    await work();
    assert.partialDeepStrictEqual(await outboxText(greeting), { state: "pending", reason: "quiet_hours" });
    await awaitState(reply, "accepted");

    await setHours("08:00", "14:00");
    await sql`update public.text_outbox set due_at = now() where message_id = ${greeting}`;
    await work();
    const [, sent] = double.sentTo(recruit);
    assert.equal(sent!.body, "Hello from the agency");
    const validity = Number(sent!.parameters.ValidityPeriod);
    assert(validity > 3_500 && validity <= 7_200, String(validity));
  } finally {
    await sql`delete from public.texting_hours where state = ${state}`;
    await sql`delete from public.area_codes where area_code = ${area_code}`;
  }
});
