/** The texts that are sent, how they arrive at Twilio, and that none goes to a recruit who has said STOP. */
import assert from "node:assert/strict";
import { ingest } from "../support/applications.ts";
import { assertResponse, createVendor, sql, stack } from "../support/client.ts";
import { newPhone, newSid, sendSigned } from "../support/sms.ts";
import {
  awaitState,
  awaitStatus,
  type Conversation,
  createAgentsConversation,
  createConversation,
  createSender,
  double,
  outboxText,
  queueText,
  sentBodies,
  work,
} from "./texts.ts";
import { eventually } from "../support/processes.ts";

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

Deno.test("a text that Twilio refuses, or does not deliver, is failed with the code, its agent is notified, and the next one is sent", async () => {
  const { agent, ...conversation } = await createAgentsConversation();
  double.fail({ to: conversation.recruit, status: 400, code: 21614 });
  const refused = await queueText(conversation, "1");
  await work();
  double.callBack({ statuses: ["sent", "undelivered"], error_code: 30003 });
  const undelivered = await queueText(conversation, "2");
  await work();
  double.callBack();
  await awaitStatus(undelivered, "failed");
  const codes = await Promise.all([refused, undelivered].map(outboxText));
  assert.deepEqual(codes.map(({ state, status, error_code }) => [state, status, error_code]), [
    ["failed", "failed", "21614"],
    ["accepted", "failed", "30003"],
  ]);
  assert.deepEqual(sentBodies(conversation), ["2"]);
  const { data } = await agent.client.from("agent_notifications").select("kind, message_id").order("created_at");
  assert.deepEqual(data, [{ kind: "failed", message_id: refused }, { kind: "failed", message_id: undelivered }]);
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

Deno.test("a lead is greeted where its order and its vendor say so, and Twilio may not keep it until quiet hours", async () => {
  const { agency_id, phone: service } = await createSender();
  const [vendor, silent] = [await createVendor(), await createVendor()];
  const [state, area_code] = ["QZ", "998"];
  // Somewhere it is noon.
  const hours = new Date().getUTCHours() - 12;
  await sql`
    insert into public.area_codes (area_code, state, country, timezones, source)
    values (${area_code}, ${state}, 'US', ${[`Etc/GMT${hours < 0 ? "" : "+"}${hours}`]}, 'a test')`;
  await sql`
    insert into public.texting_hours (state, opens, closes, source) values (${state}, '08:00', '14:00', 'a test')`;
  try {
    await sql`update public.vendors set has_text_consent = true where id = ${vendor.id}`;
    await sql`
      insert into public.recruiting_orders (agency_id, vendor_id, quantity, priority, greeting_template)
      select ${agency_id}, v.id, 10, 1000, 'Hi {first_name}, {agency} here. Reply STOP to opt out.'
      from public.vendors v where v.id in ${sql([vendor.id, silent.id])}`;
    const recruit = newPhone().replace("+1312", `+1${area_code}`);
    for (const [sender, phone] of [[silent, newPhone()], [vendor, recruit], [vendor, recruit]] as const) {
      const body = assertResponse(await ingest(sender, { first_name: "Ada", phone }), 201);
      assert.equal(body.distributed_to.agency_id, agency_id);
    }
    await work();
    const sent = double.log().messages.filter(({ from }) => from === service);
    assert.deepEqual(sent.map(({ to, body }) => [to, body]), [
      [recruit, "Hi Ada, An agency under test here. Reply STOP to opt out."],
    ]);
    const validity = Number(double.sentTo(recruit)[0]!.parameters.ValidityPeriod);
    assert(validity > 3_500 && validity <= 7_200, String(validity));
  } finally {
    await sql`delete from public.texting_hours where state = ${state}`;
    await sql`delete from public.area_codes where area_code = ${area_code}`;
  }
});

/** Sends a text of the recruit. */
async function receive(
  { recruit, phone }: Conversation,
  Body: string,
  more: Record<string, string> = {},
): Promise<void> {
  const parameters = { From: recruit, To: phone, Body, MessageSid: newSid(), ...more };
  const { status, body } = await sendSigned("/recruiting/sms/inbound", parameters);
  assert.deepEqual([status, body], [200, { status: "received" }]);
}

async function consentOf({ agency_id, recruit }: Conversation): Promise<string | undefined> {
  const [row] = await sql`
    select state from public.text_consents where agency_id = ${agency_id} and phone = ${recruit}`;
  return row?.state;
}

Deno.test("race: in 20 rounds of STOP against two texts, none is sent after the response to STOP, and none twice", async () => {
  const sender = await createSender();
  const rounds = await Promise.all(Array.from({ length: 20 }, async () => {
    const conversation = await createConversation(sender);
    const ids = [await queueText(conversation, "1"), await queueText(conversation, "2")];
    return { conversation, ids, stoppedAt: new Date() };
  }));
  await Promise.all([
    work(),
    work(),
    ...rounds.map(async (round) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 150));
      await receive(round.conversation, "STOP");
      round.stoppedAt = new Date();
    }),
  ]);
  await work();
  const log = double.log();
  let sent = 0;
  for (const { conversation, ids, stoppedAt } of rounds) {
    const texts = await Promise.all(ids.map(outboxText));
    const bodies = log.messages.filter(({ to }) => to === conversation.recruit)
      .map(({ body }) => body);
    assert.deepEqual(bodies, ["1", "2"].slice(0, bodies.length));
    for (const [n, { state, attempted_at }] of texts.entries()) {
      assert.equal(state, n < bodies.length ? "accepted" : "refused");
      if (state === "accepted") assert(attempted_at <= stoppedAt);
    }
    sent += bodies.length;
  }
  // Else it was no race.
  assert(sent > 0 && sent < 2 * rounds.length, `${sent} sent`);
});

Deno.test("an opt-out at Twilio counts, whether a response, a callback or an OptOutType tells of it", async () => {
  const { agent, ...byResponse } = await createAgentsConversation();
  double.receive({ from: byResponse.recruit, to: byResponse.phone, body: "STOP" });
  const ids = [await queueText(byResponse, "1"), await queueText(byResponse, "2")];

  double.callBack({ statuses: ["failed"], error_code: 21610 });
  const byCallback = await createConversation();
  ids.push(await queueText(byCallback, "1"));
  await work();
  double.callBack();
  const byType = await createConversation();
  ids.push(await queueText(byType, "1"));
  await receive(byType, "arret", { OptOutType: "STOP" });
  for (const conversation of [byResponse, byCallback, byType]) {
    await eventually(10, async () => assert.equal(await consentOf(conversation), "opted_out"));
  }
  const texts = await Promise.all(ids.map(outboxText));
  assert.deepEqual(texts.map(({ status, error_code }) => [status, error_code]), ids.map(() => ["failed", "21610"]));
  await work();
  assert.deepEqual([sentBodies(byResponse), sentBodies(byType)], [[], []]);
  const { error, status } = await agent.client.rpc("send_text", {
    conversation_id: byResponse.id,
    body: "Hi",
    client_message_id: crypto.randomUUID(),
  });
  assert.equal(status, 403);
  assert.match(error!.message, /opted out/);
});
