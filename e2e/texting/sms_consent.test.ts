/** The changes by texts and callbacks besides the message: consent, the outbox and the notifications. */
import assert from "node:assert/strict";
import { signInNewAgent } from "../support/agents.ts";
import { ingest } from "../support/applications.ts";
import { assertResponse, atOnce, createAgency, createVendor, sql } from "../support/client.ts";
import {
  type Conversation,
  createConversation,
  greetWaiting,
  newPhone,
  newSid,
  receive,
  sendSigned,
} from "../support/sms.ts";

interface Texting extends Conversation {
  agency_id: string;
}

/** Makes an agency with a number, and a conversation at it that its agent has taken over. */
async function createTexting(): Promise<Texting> {
  const { id: agency_id, agent_ids } = await createAgency();
  const conversation = await createConversation(agency_id, agent_ids[0]);
  const { service } = conversation;
  await sql`insert into public.service_numbers (phone, agency_id) values (${service}, ${agency_id})`;
  return { ...conversation, agency_id };
}

/** Puts a text into the outbox, as it is while a worker sends it. */
async function sending({ id }: Texting): Promise<string> {
  const [message] = await sql`
    insert into public.recruiting_messages (conversation_id, direction, sender_type, body)
    values (${id}, 'outbound', 'agent', 'Hi') returning id`;
  await sql`
    insert into public.text_outbox (message_id, kind, state, attempt, lease_until, attempted_at)
    values (${message!.id}, 'agent', 'sending', 1, 'infinity', now())`;
  return message!.id;
}

/** The words of the recruit about texts, in order, and the consent that holds. */
async function consent({ agency_id, recruit }: Texting): Promise<string[]> {
  const events = await sql`
    select state || ' ' || source as said from public.text_consent_events
    where agency_id = ${agency_id} and phone = ${recruit} order by occurred_at`;
  const [held] = await sql`
    select state from public.text_consents where agency_id = ${agency_id} and phone = ${recruit}`;
  return [...events.map(({ said }) => said), ...held ? [held.state] : []];
}

/** The notifications of the agent, in order. */
async function notified({ id }: Texting): Promise<string[]> {
  const rows = await sql`
    select n.kind from public.agent_notifications n join public.recruiting_messages m on m.id = n.message_id
    where n.conversation_id = ${id} order by m.created_at, n.kind`;
  return rows.map(({ kind }) => kind);
}

/** A callback with the query that one of our texts has. */
function callback(query: string, parameters: Record<string, string>) {
  return sendSigned(`/recruiting/sms/status${query}`, parameters);
}

Deno.test("an opt-out holds with the text, by the words or by Twilio's OptOutType, and the response stays the same", async () => {
  const texting = await createTexting();
  const stop = newSid();
  for (
    const fields of [
      { Body: "Hi" },
      { Body: "“Stop.”", MessageSid: stop },
      { Body: "Start" },
      { Body: "arret", OptOutType: "STOP" },
      { Body: "START", OptOutType: "HELP" },
      { Body: "yes" },
      { Body: "“Stop.”", MessageSid: stop },
    ]
  ) {
    assertResponse(await receive(texting, fields), 200, { status: "received" });
  }
  assert.deepEqual(await consent(texting), [
    "opted_out keyword",
    "opted_in keyword",
    "opted_out provider",
    "opted_in keyword",
    "opted_in",
  ]);
  assert.deepEqual(await notified(texting), ["text", "opt_out", "text", "opt_out", "text", "text"]);
});

Deno.test("an opt-out holds for an agency's number without a conversation, once however often it comes at once", async () => {
  const texting = await createTexting();
  const stranger = { ...texting, recruit: newPhone() };
  const MessageSid = newSid();
  const responses = await atOnce(10, () => receive(stranger, { Body: "STOP", MessageSid }));
  for (const response of responses) assertResponse(response, 200, { status: "no_conversation" });
  assert.deepEqual(await consent(stranger), ["opted_out keyword", "opted_out"]);
});

Deno.test("a callback with our id finds a text whose response was lost, and one with another id changes nothing", async () => {
  const texting = await createTexting();
  const id = await sending(texting);
  const sid = newSid();
  for (
    const query of ["", "?message=", "?message=1", `?message=${crypto.randomUUID()}`, "?other=x"]
  ) {
    const response = await callback(query, { MessageSid: newSid(), MessageStatus: "sent" });
    assertResponse(response, 200, { status: "ignored" });
  }
  const found = await callback(`?message=${id}`, { MessageSid: sid, MessageStatus: "sent" });
  assertResponse(found, 200, { status: "updated" });
  const [row] = await sql`
    select m.provider_message_id, m.status, o.state from public.text_outbox o
    join public.recruiting_messages m on m.id = o.message_id where o.message_id = ${id}`;
  assert.deepEqual({ ...row }, { provider_message_id: sid, status: "sent", state: "accepted" });

  const failed = { MessageSid: sid, MessageStatus: "failed", ErrorCode: "21610" };
  await callback(`?message=${id}`, failed);
  assert.deepEqual(await consent(texting), ["opted_out provider", "opted_out"]);
  assert.deepEqual(await notified(texting), ["failed"]);
});

Deno.test("a lead is greeted where its order and its vendor say so, and the response is the usual one", async () => {
  const { agency_id, service } = await createTexting();
  const vendor = await createVendor();
  await sql`
    insert into public.recruiting_orders (agency_id, vendor_id, quantity, priority, greeting_template)
    values (${agency_id}, ${vendor.id}, 10, 1000, 'Hi {first_name}, {agency} here. Reply STOP to opt out.')`;
  const ingestFrom = async (phone: string) => {
    const body = assertResponse(await ingest(vendor, { first_name: "Ada", phone, state: "IL" }), 201);
    assert.equal(body.distributed_to.agency_id, agency_id);
  };
  const texts = async () => {
    await greetWaiting();
    return await sql`
      select c.service_phone, c.status, o.kind, m.body from public.text_outbox o
      join public.recruiting_messages m on m.id = o.message_id
      join public.recruiting_conversations c on c.id = m.conversation_id
      where c.agency_id = ${agency_id}`;
  };

  await ingestFrom("312-555-0123");
  assert.equal((await texts()).length, 0);
  await sql`update public.vendors set has_text_consent = true where id = ${vendor.id}`;
  await ingestFrom("312-555-0124");
  await ingestFrom("312-555-0124");
  assert.deepEqual((await texts()).map((row) => ({ ...row })), [{
    service_phone: service,
    status: "bot",
    kind: "greeting",
    body: "Hi Ada, An agency under test here. Reply STOP to opt out.",
  }]);
  // A later test finds nothing due.
  await sql`
    delete from public.text_outbox o using public.recruiting_messages m, public.recruiting_conversations c
    where m.id = o.message_id and c.id = m.conversation_id and c.agency_id = ${agency_id}`;
});

Deno.test("what agents may not do with conversations and consents gets a status and names the field", async () => {
  const { agency_id } = await createTexting();
  const [agent, manager] = await Promise.all([signInNewAgent(agency_id), signInNewAgent(agency_id, "manager")]);
  const phone = newPhone();
  const unknown = crypto.randomUUID();
  const consented = { phone, state: "opted_in", reason: "x" };
  const calls = [
    [agent, "start_conversation", { recruiting_lead_id: unknown }, 404, /^recruiting_lead_id: /],
    [agent, "hand_back_to_bot", { conversation_id: unknown }, 404, /^conversation_id: /],
    [agent, "record_text_consent", consented, 403, /manager/],
    [manager, "record_text_consent", { ...consented, phone: "1" }, 400, /^phone: /],
    [manager, "record_text_consent", { ...consented, state: "yes" }, 400, /^state: /],
    [manager, "record_text_consent", { ...consented, reason: " " }, 400, /^reason: /],
  ] as const;
  await Promise.all(calls.map(async ([{ client }, name, parameters, expected, message]) => {
    const { status, error } = await client.rpc(name, parameters);
    assert.equal(status, expected, name);
    assert.match(error!.message, message);
  }));
  const { data } = await manager.client.rpc("record_text_consent", {
    phone,
    state: "opted_out",
    reason: "Said so on the phone",
  });
  assert.deepEqual(data, { phone, state: "opted_out" });
});
