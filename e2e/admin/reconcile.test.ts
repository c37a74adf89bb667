/** `npm run admin -- text reconcile`: what Twilio has and we do not. */
import assert from "node:assert/strict";
import { twilioAccount } from "../../supabase/functions/worker/twilio/account.ts";
import { createMessage } from "../../supabase/functions/worker/twilio/api.ts";
import type { TwilioDouble } from "../../dev/testing/twilio/double.ts";
import { admin, adminJson, assertRefused } from "../support/admin.ts";
import { sql } from "../support/client.ts";
import { withDouble } from "../support/double.ts";
import { eventually } from "../support/processes.ts";
import { type Conversation, createConversation, messages, newPhone, storeOutbound } from "../support/sms.ts";

const SINCE = `--since ${new Date(Date.now() - 3_600_000).toISOString()}`;
const NOTHING = { received: 0, no_conversation: 0, updated: 0, found: 0, files: 0 };

/** Lets Twilio send a text of which our callbacks tell nothing. */
async function sendByTwilio({ recruit, service }: Conversation, body: string): Promise<string> {
  const exchange = await createMessage({
    to: recruit,
    from: service,
    messagingServiceSid: null,
    body,
    mediaUrls: [],
    statusCallback: "http://127.0.0.1:1/nobody",
    validityPeriod: null,
  }, { account: twilioAccount() });
  assert(exchange.kind === "response" && exchange.status === 201);
  return (exchange.body as { sid: string }).sid;
}

/** Puts a text into the outbox, which nobody sends. Returns its id. */
async function queueText({ id }: Conversation, body: string): Promise<string> {
  const [message] = await sql`
    insert into public.recruiting_messages (conversation_id, direction, sender_type, body)
    values (${id}, 'outbound', 'agent', ${body}) returning id`;
  await sql`
    insert into public.text_outbox (message_id, kind, due_at) values (${message!.id}, 'agent', 'infinity')`;
  return message!.id;
}

/** Waits until Twilio has nothing more to send. */
function delivered(double: TwilioDouble): Promise<void> {
  return eventually(10, () => {
    const { messages } = double.log();
    assert(messages.every(({ status }) => ["delivered", "received"].includes(status)));
  });
}

Deno.test("texts that never arrived and unknown statuses are stored, once", async () => {
  await withDouble(async (double) => {
    const conversation = await createConversation();
    const { recruit: from, service: to } = conversation;
    const stored = double.receive({ from, to, body: "Here is my resume" });
    await sql`
      select public.receive_sms(${from}, ${to}, ${stored.sid}, 'Here is my resume', '[]')`;
    const media = [{ url: "https://example.com/1.jpg", content_type: "image/jpeg" }];
    const lost = double.receive({ from, to, body: "And a photo", media });
    const nobody = newPhone();
    double.receive({ from: nobody, to, body: "Hi" });

    const sent = await sendByTwilio(conversation, "Hello");
    await storeOutbound(conversation, sent);
    const unconfirmed = await queueText(conversation, "Are you there?");
    await sql`
      update public.text_outbox set state = 'unconfirmed', attempted_at = now()
      where message_id = ${unconfirmed}`;
    const found = await sendByTwilio(conversation, "Are you there?");
    await sendByTwilio(conversation, "Are you there?");
    // As after a restore of the database.
    const restored = await queueText(conversation, "See you");
    await sendByTwilio(conversation, "See you");
    // Not this one: the same words were sent before.
    const waiting = await queueText(conversation, "Bye");
    await sendByTwilio(conversation, "Bye");
    await sql`
      update public.text_outbox set created_at = now() + interval '1 minute' where message_id = ${waiting}`;
    await delivered(double);

    const counts = await adminJson(`text reconcile ${SINCE}`);
    assert.deepEqual(counts, { listed: 8, received: 1, no_conversation: 1, updated: 1, found: 2, files: 0 });
    const rows = await messages(conversation);
    const row = (sid: string) => rows.find((row) => row.provider_message_id === sid)!;
    assert.partialDeepStrictEqual(row(lost.sid), { direction: "inbound", body: "And a photo" });
    assert.match(row(lost.sid).media[0].url, new RegExp(`^${double.url}/.*/Media/ME[0-9a-f]{32}$`));
    assert.equal(row(lost.sid).media[0].content_type, "image/jpeg");
    assert.equal(row(sent).status, "delivered");
    assert.equal(row(found).id, unconfirmed);
    assert.equal(row(found).status, "delivered");
    const outbox = await sql`
      select o.message_id, o.state from public.text_outbox o where o.conversation_id = ${conversation.id}`;
    assert.deepEqual(
      new Map(outbox.map(({ message_id, state }) => [message_id, state])),
      new Map([[unconfirmed, "accepted"], [restored, "accepted"], [waiting, "pending"]]),
    );

    assert.deepEqual(await adminJson(`text reconcile ${SINCE}`), { listed: 8, ...NOTHING });
    assert.deepEqual(await messages(conversation), rows);

    // A file of a text that came while no account was set.
    const earlier = double.receive({ from, to, body: "My ID", media });
    await sql`
      select public.receive_sms(${from}, ${to}, ${earlier.sid}, 'My ID', ${sql.json(media)})`;
    const queued = await adminJson(`text reconcile ${SINCE}`);
    assert.deepEqual(queued, { listed: 9, ...NOTHING, files: 1 });
    const waiting_files = await sql`
      select c.state from public.media_copies c join public.recruiting_messages m on m.id = c.message_id
      where m.conversation_id = ${conversation.id}`;
    assert.deepEqual([...waiting_files], [{ state: "waiting" }, { state: "waiting" }], "those of the lost text too");
    assert.deepEqual(await adminJson(`text reconcile ${SINCE}`), { listed: 9, ...NOTHING });

    // Only what concerns one number.
    double.receive({ from: nobody, to: newPhone(), body: "Hi" });
    const one = await adminJson(`text reconcile ${SINCE} --number ${to}`);
    assert.deepEqual(one, { listed: 9, ...NOTHING });
  });
});

Deno.test("of a STOP and a START that never arrived, the later one holds", async () => {
  await withDouble(async (double) => {
    const { recruit: from, service: to } = await createConversation();
    const other = await createConversation();
    double.receive({ from, to, body: "STOP" });
    double.receive({ from, to, body: "START" });
    double.receive({ from: other.recruit, to: other.service, body: "START" });
    // Twilio tells the time in whole seconds.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    // This one arrived.
    const stop = double.receive({ from: other.recruit, to: other.service, body: "STOP" });
    await sql`select public.receive_sms(${other.recruit}, ${other.service}, ${stop.sid}, 'STOP', '[]')`;

    const { received } = await adminJson(`text reconcile ${SINCE}`);
    assert.equal(received, 3);
    const states = await sql`
      select c.phone, c.state from public.text_consents c where c.phone in (${from}, ${other.recruit})`;
    assert.deepEqual(
      Object.fromEntries(states.map(({ phone, state }) => [phone, state])),
      { [from]: "opted_in", [other.recruit]: "opted_out" },
    );
  });
});

Deno.test("a text that is still in Twilio's queue is found, and a status that is later here stays", async () => {
  await withDouble(async (double) => {
    const conversation = await createConversation();
    const text = await queueText(conversation, "Hello");
    await sql`
      update public.text_outbox set state = 'failed', reason = 'unconfirmed', attempted_at = now()
      where message_id = ${text}`;
    double.callBack({ statuses: [] });
    const queued = await sendByTwilio(conversation, "Hello");
    double.callBack({ statuses: ["sent"] });
    const delivered = await sendByTwilio(conversation, "Bye");
    await storeOutbound(conversation, delivered);
    await sql`select public.update_sms_status(${delivered}, 'delivered', null)`;
    await eventually(10, () => assert.equal(double.log().messages[1]!.status, "sent"));

    const counts = await adminJson(`text reconcile ${SINCE}`);
    assert.deepEqual(counts, { listed: 1, ...NOTHING, found: 1 });
    const rows = await messages(conversation);
    const row = (sid: string) => rows.find(({ provider_message_id }) => provider_message_id === sid);
    assert.equal(row(queued)!.id, text);
    assert.equal(row(delivered)!.status, "delivered");
    assertRefused(await admin(`text retry ${text} --yes`), 1, /the provider has accepted this/);
  });
});

Deno.test("where Twilio cannot be asked, the reason is said", async () => {
  const reconcile = () => admin(`text reconcile ${SINCE}`);
  assertRefused(await reconcile(), 1, /^TWILIO_ACCOUNT_SID/);
  await withDouble(async () => {
    Deno.env.set("TWILIO_API_SECRET", "wrong");
    assertRefused(await reconcile(), 1, /^Twilio: 20003\. What was stored before stays; run it again/);
    Deno.env.set("TWILIO_API_BASE_URL", "http://127.0.0.1:1");
    assertRefused(await reconcile(), 1, /^Twilio: no_response\./);
  });
  assertRefused(await admin("text reconcile"), 2, /^required option '--since <time>'/);
});
