/** `npm run admin -- number` and `consent`: what is texted from, and who may be texted. */
import assert from "node:assert/strict";
import { admin, adminJson, assertAllRefused, assertRefused } from "../support/admin.ts";
import { createAgency, sql } from "../support/client.ts";
import { newPhone } from "../support/sms.ts";

const number = (line: string) => admin(`number ${line}`);

/** Puts a text to a recruit into the outbox, to be sent from this number. */
async function queueText(agency: string, service: string, recruit = newPhone()): Promise<string> {
  const [queued] = await sql`
    with conversation as (
      insert into public.recruiting_conversations (agency_id, recruit_phone, service_phone)
      values (${agency}, ${recruit}, ${service}) returning id
    ), message as (
      insert into public.recruiting_messages (conversation_id, direction, sender_type, body)
      select id, 'outbound', 'bot', 'Hello' from conversation returning id
    )
    select id from message`;
  await sql`
    insert into public.text_outbox (message_id, kind, due_at) values (${queued!.id}, 'bot', 'infinity')`;
  return queued!.id;
}

Deno.test("a number is added, changed, paused, resumed and removed", async () => {
  const agency = await createAgency();
  const phone = newPhone();
  const service = `MG${"0a".repeat(16)}`;
  const written = `(${phone.slice(2, 5)}) ${phone.slice(5, 8)}-${phone.slice(8)}`;
  const added = await adminJson(`number add "${written}" --agency ${agency.id}
    --messaging-service ${service}`);
  assert.partialDeepStrictEqual(added, {
    phone,
    agency_id: agency.id,
    messaging_service_sid: service,
    segments_per_second: "1",
    status: "active",
  });
  await adminJson(`number set ${phone} --messaging-service none`);
  await adminJson(`number set ${phone} --segments-per-second 4.5`);
  await queueText(agency.id, phone);

  await adminJson(`number pause ${phone} --reason "not registered yet"`);
  const [listed] = await adminJson(`number list --agency ${agency.id}`);
  assert.partialDeepStrictEqual(listed, {
    phone,
    agency_id: agency.id,
    agency: "An agency under test",
    status: "paused",
    paused_reason: "not registered yet",
    messaging_service_sid: null,
    segments_per_second: 4.5,
    conversations: 1,
    waiting: 1,
  });
  assert.match((await number(`resume ${phone}`)).out, /is active\. Texts that wait for it: 1$/m);
  const [resumed] = await adminJson(`number list --agency ${agency.id}`);
  assert.equal(resumed.status, "active");
  assert.equal(resumed.paused_reason, null);

  assertRefused(await number(`remove ${phone}`), 2, /^1 texts wait to be sent from .* --yes$/);
  assert.equal((await number(`remove ${phone} --yes`)).code, 0);
  assert.deepEqual(await adminJson(`number list --agency ${agency.id}`), []);
  assert.match(
    (await number(`list --agency ${agency.id}`)).out,
    /^No number is ours yet, so nothing is/,
  );
});

Deno.test("a short code is a number too, and removed without a question when nothing waits", async () => {
  const agency = await createAgency();
  const phone = String(10_000 + Math.floor(Math.random() * 900_000));
  assert.equal((await adminJson(`number add ${phone} --agency ${agency.id}`)).phone, phone);
  assert.equal((await number(`remove ${phone}`)).code, 0);
});

Deno.test("a mistake with a number is named, and changes nothing", async () => {
  const agency = await createAgency();
  const phone = newPhone();
  const add = `number add ${phone} --agency ${agency.id}`;
  await assertAllRefused(
    [2, /^"4711" is not a phone number such as \+13125550100$/, add.replace(phone, "4711")],
    [2, /^--messaging-service: "MG1"/, `${add} --messaging-service MG1`],
    [2, /^--segments-per-second: "0" is not a number above 0$/, `${add} --segments-per-second 0`],
  );
  assert.deepEqual(await adminJson(`number list --agency ${agency.id}`), []);
  await adminJson(add);
  const unknown = /^\+\d+ is not one of our numbers\. See /;
  await assertAllRefused(
    [1, /is one of our numbers already: npm run admin -- number list$/, add],
    [1, unknown, `number pause ${newPhone()}`],
    [1, unknown, `number resume ${newPhone()}`],
    [1, unknown, `number remove ${newPhone()}`],
    [2, /^set: give what to change, such as --messaging/, `number set ${phone}`],
  );
});

Deno.test("a consent is recorded with its reason, shown with its history, and listed", async () => {
  const agency = await createAgency();
  const phone = newPhone();
  const record = (state: string, reason: string, more = "") =>
    admin(`consent record ${phone} --agency ${agency.id} --state ${state} --reason "${reason}"
      ${more}`);
  assert.match((await admin(`consent show ${phone}`)).out, /has said nothing to any agency/);

  assert.equal((await record("opted_out", "by phone, July 1")).code, 0);
  assertRefused(
    await record("opted_in", "by e-mail, July 2"),
    2,
    /has opted out of texts from "An agency under test"\. Has the recruit agreed\? .* --yes$/,
  );
  assert.equal((await record("opted_in", "by e-mail, July 2", "--yes")).code, 0);
  const { consents, events } = await adminJson(`consent show ${phone}`);
  assert.partialDeepStrictEqual(consents, [
    { agency_id: agency.id, state: "opted_in", source: "admin" },
  ]);
  assert.deepEqual(
    events.map(({ state, reason }: Record<string, string>) => [state, reason]),
    [["opted_out", "by phone, July 1"], ["opted_in", "by e-mail, July 2"]],
  );
  assert.match(
    (await admin(`consent show ${phone}`)).out,
    /^changed_at +phone +agency .*\n.* opted_in .*\n\noccurred_at +phone +agency +state +source +reason/,
  );

  const listed = await adminJson(`consent list --agency ${agency.id} --state opted_in`);
  assert.deepEqual(listed.map((row: { phone: string }) => row.phone), [phone]);
  const out = await admin(`consent list --agency ${agency.id} --state opted_out`);
  assert.match(out.out, /^No recruit has opted out\.$/m);
  assertRefused(await admin(`consent record ${phone}`), 2, /^required option '--agency <agency>'/);
  assertRefused(await record("stop", "x"), 2, /^--state: "stop" is not opted_in or opted_out$/);
});
