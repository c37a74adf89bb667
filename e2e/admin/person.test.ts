/** `npm run admin -- person`: what is held of a person, and that only what was said about texts is left. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { dirname, join } from "node:path";
import { stackInfoFile } from "../../dev/local/mod.ts";
import type { TwilioDouble } from "../../dev/testing/twilio/double.ts";
import { admin, adminJson, assertRefused } from "../support/admin.ts";
import { signInNewAgent } from "../support/agents.ts";
import { ingest, ingestBulk, PDF_BASE64 } from "../support/applications.ts";
import { assertResponse, createOrder, createVendor, sql, stack } from "../support/client.ts";
import { withDouble } from "../support/double.ts";
import { withEnv } from "../support/env.ts";
import { importLeads, lead, logActivity } from "../support/leads.ts";
import { eventually } from "../support/processes.ts";
import { newPhone, receive } from "../support/sms.ts";
import { createWebhook, deliver } from "../support/webhooks.ts";

/** A name that nobody else has. */
function word(): string {
  return `x${crypto.randomUUID().slice(0, 8).replace(/\d/g, (digit) => "ghijklmnop"[Number(digit)]!)}`;
}

/** Somebody with a name, a phone and an address that nobody else has. */
function newPerson() {
  const phone = newPhone();
  const [first_name, last_name, address, notes] = [word(), word(), word(), word()];
  return { first_name, last_name, phone, email: `${word()}@example.com`, address, notes };
}

type Person = ReturnType<typeof newPerson>;

/** The number as people in the country write it. */
function national(phone: string): string {
  return `(${phone.slice(2, 5)}) ${phone.slice(5, 8)}-${phone.slice(8)}`;
}

/** The vendor and the agency. */
async function createMarket() {
  const vendor = await createVendor();
  const webhook = await createWebhook();
  const order = await createOrder(vendor);
  const agent = await signInNewAgent(order.agency_id, "manager");
  const [service, nobodys] = [newPhone(), newPhone()];
  await sql`insert into public.service_numbers (phone, agency_id) values (${service}, ${order.agency_id})`;
  return { vendor, webhook, order, agent, service, nobodys };
}

type Market = Awaited<ReturnType<typeof createMarket>>;

/** Sends a person through every route. */
async function sendEverywhere(market: Market, double: TwilioDouble, person: Person): Promise<void> {
  const { vendor, webhook, order, agent, service, nobodys } = market;
  const { first_name, last_name, phone, email, address, notes } = person;
  const target = { agency_id: order.agency_id, agent_id: agent.agent_id };
  const resume = Buffer.concat([Buffer.from(PDF_BASE64, "base64"), Buffer.from(notes)]);

  const single = { vendor_lead_id: email, first_name, last_name, phone, email, address, comment: notes };
  const [{ body: ingested }] = await Promise.all([
    ingest(vendor, { ...single, resume: resume.toString("base64") }, "", { "idempotency-key": email }),
    deliver(webhook, { first_name, last_name, phone: national(phone), state: "IL" }),
    ingestBulk(vendor, { leads: [{ first_name, email, vendor_lead_id: word() }] }),
  ]);
  assert.equal(ingested.status, "created");

  const imported = lead({ first_name, last_name, phone: national(phone), email, address, city: notes });
  const { body: sales } = await importLeads(target, [imported], {
    "idempotency-key": `import-${email}`,
  });
  const lead_id = sales.lead_ids[0];
  assertResponse(await logActivity({ lead_id, agent_id: agent.agent_id, type: "presentation_started" }), 200);
  const { body: others } = await importLeads(target, [lead()]);
  const submit = async (args: object) => {
    const { error } = await agent.client.rpc("submit_lead_presentation", args);
    assert.equal(error, null);
  };
  await submit({
    lead_id,
    demographics: { spouse_name: notes, occupation: notes, date_of_birth: "1958-03-14" },
    sale: { product: "Final expense", annual_premium: 612.5, policy_number: notes },
    referrals: [{ first_name: "Ola", phone: "312-555-0190", notes }],
  });
  await submit({
    lead_id: others.lead_ids[0],
    demographics: {},
    referrals: [{ first_name, last_name, phone: national(phone), relationship: notes }],
  });

  const conversation = await agent.client.rpc("start_conversation", {
    recruiting_lead_id: ingested.id,
    agent_id: agent.agent_id,
  });
  assert.equal(conversation.error, null);
  const file = `${conversation.data.conversation_id}/${notes}.png`;
  const uploaded = await fetch(`${stack.api_url}/storage/v1/object/text-media/${file}`, {
    method: "POST",
    headers: { authorization: `Bearer ${stack.service_role_key}`, "content-type": "image/png" },
    body: notes,
  });
  assert.equal(uploaded.status, 200, await uploaded.text());
  const text = async (to: string, body: string) => {
    const media = [{ url: `https://example.com/${notes}.jpg`, content_type: "image/jpeg" }];
    const { sid } = double.receive({ from: phone, to, body, media });
    const sent = { MessageSid: sid, Body: body, MediaUrl0: media[0]!.url, MediaContentType0: "image/jpeg" };
    assert.equal((await receive({ id: "", recruit: phone, service: to }, sent)).status, 200);
  };
  await text(service, `I am ${first_name}`);
  await sql`
    insert into public.screening_answers (lead_id, question, value, said)
    values (${ingested.id}, 'experience', ${sql.json(notes)}, ${notes})`;
  await sql`
    with script as (
      insert into public.bot_scripts (agency_id, version)
      select c.agency_id, (select count(*) + 1 from public.bot_scripts)
      from public.recruiting_conversations c where c.id = ${conversation.data.conversation_id}
      returning id
    )
    insert into public.bot_sessions (conversation_id, script_id, question, state, answers)
    select ${conversation.data.conversation_id}, id, 'experience', 'stopped', ${
    sql.json({ experience: notes })
  } from script`;
  await text(nobodys, `It is ${first_name}`);
  await text(nobodys, "STOP");
  await agent.client.rpc("send_text", {
    conversation_id: conversation.data.conversation_id,
    body: `Hello ${first_name}`,
    client_message_id: crypto.randomUUID(),
    media: [{ url: `text-media/${file}`, content_type: "image/png" }],
  });
  await text(service, "Stop texting me");

  // As the bot stores what the recruit has answered.
  await sql`
    insert into public.screening_answers (lead_id, question, value, said)
    values (${ingested.id}, 'name', ${sql.json(last_name)}, ${notes})`;

  await agent.client.rpc("add_note", { recruiting_lead_id: ingested.id, body: `${first_name}: ${notes}` });

  assert.equal((await ingest(vendor, { last_name, phone })).status, 400);
  assert.equal(
    (await ingest(vendor, `phone=${encodeURIComponent(national(phone))}&name=${last_name}`)).status,
    400,
  );
  await ingestBulk(vendor, { leads: [{ email: email.toUpperCase(), last_name }] });
  await importLeads(target, [lead({ first_name: "", phone, last_name })]);
  await eventually(5, async () => {
    const [row] = await sql`
      select count(*)::int from public.rejected_deliveries
      where payload::text like ${`%${last_name}%`} or payload_text like ${`%${last_name}%`}`;
    assert.equal(row!.count, 4);
  });
}

/** Every row of every table that holds a scalar of the person, as `schema.table: row`, and every file in storage. */
async function traces({ first_name, last_name, phone, email, address, notes }: Person): Promise<string[]> {
  const words = [first_name, last_name, email, address, notes];
  const patterns = words.map((word) => `%${word.toLowerCase()}%`);
  const tables = await sql<{ name: string }[]>`
    select format('%I.%I', n.nspname, c.relname) as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')`;
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await sql<{ row: string }[]>`
      select r.row from (select to_jsonb(t)::text as row from ${sql.unsafe(name)} t) r
      where lower(r.row) like any (${patterns}) or translate(r.row, ' ().+/-', '') like ${`%${phone.slice(2)}%`}`;
    found.push(...rows.map(({ row }) => `${name}: ${row}`));
  }
  for (const file of await filesBelow(join(dirname(stackInfoFile()), "lite"))) {
    const text = Buffer.from(await Deno.readFile(file)).toString("latin1") + file;
    if (words.some((word) => text.includes(word))) found.push(`file: ${file}`);
  }
  return found;
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder));
  const below = await Promise.all(
    entries.map(({ name, isDirectory }) => isDirectory ? filesBelow(join(folder, name)) : [join(folder, name)]),
  );
  return below.flat();
}

/** The number of things that are held of a person, by their kind. */
async function held(contact: string): Promise<Record<string, number>> {
  const rows: { kind: string; stays: boolean }[] = await adminJson(`person find "${contact}"`);
  const kinds = rows.filter(({ stays }) => !stays).map(({ kind }) => kind);
  return Object.fromEntries([...new Set(kinds)].map((kind) => [kind, kinds.filter((k) => k === kind).length]));
}

const KINDS = {
  conversation: 1,
  delivery: 4,
  file: 2,
  idempotency_key: 2,
  lead: 1,
  recruiting_lead: 3,
  referral: 1,
  unmatched_text: 1,
};

/** The person's texts that Twilio has. */
const copies = (double: TwilioDouble, { phone }: Person) => double.log().messages.filter(({ from }) => from === phone);

Deno.test("a person who was sent through every route is forgotten, but not what was said about texts", async () => {
  await withDouble(async (double) => {
    const market = await createMarket();
    const [person, other] = [newPerson(), newPerson()];
    await sendEverywhere(market, double, person);
    await sendEverywhere(market, double, other);
    assert.deepEqual(await held(national(person.phone)), KINDS);
    assert.deepEqual(await held(person.email), KINDS);

    // The export has it all, and it can be read by its owner alone.
    const file = await Deno.makeTempFile();
    await Deno.remove(file);
    assert.equal((await admin(`person export ${person.email} --out ${file}`)).code, 0);
    const exported = JSON.parse(await Deno.readTextFile(file));
    assert.equal((await Deno.stat(file)).mode! & 0o777, 0o600);
    await Deno.remove(file);
    assert.deepEqual(await adminJson(`person export ${person.phone}`), exported);
    assert.equal(exported.leads[0].demographics.occupation, person.notes);
    assert.deepEqual(exported.conversations[0].messages.map(({ body }: { body: string }) => body), [
      `I am ${person.first_name}`,
      `Hello ${person.first_name}`,
      "Stop texting me",
    ]);
    assert.equal(exported.conversations[0].bot_session.answers.experience, person.notes);
    assert.equal(exported.files.length, 2);

    assertRefused(
      await admin(`person erase ${person.email}`),
      2,
      /^Erase .* 3 recruiting leads.*Texts at Twilio: 4\..* --yes$/,
    );
    const { erased, provider_copies } = await adminJson(`person erase ${person.email} --yes`);
    assert.deepEqual([erased, provider_copies], [{ ...KINDS, suppression: 0 }, 4]);

    const left = await traces(person);
    const evidence = ["public.text_consent_events", "public.text_consents", "public.unmatched_texts"];
    assert.deepEqual(left.map((row) => row.split(": ", 1)[0]).sort(), evidence);
    const words = left.join().toLowerCase();
    for (
      const scalar of [person.first_name, person.last_name, person.email, person.address, person.notes]
    ) {
      assert(!words.includes(scalar), left.join("\n"));
    }
    assert.deepEqual(copies(double, person), []);
    assert.deepEqual(await held(person.phone), {});
    assert.match((await admin(`person erase ${person.phone} --yes`)).out, /^Nothing is held of/);

    // Others stay, until Twilio and storage have deleted their copies too.
    assert.deepEqual(await held(other.phone), KINDS);
    assert.equal(copies(double, other).length, 4);
    const erase = `person erase ${other.phone} --yes`;
    double.fail({ method: "DELETE", status: 503 });
    assertRefused(await admin(erase), 1, /^Twilio: 20500\. Nothing was erased in the database; run it again\.$/);
    double.fail({ method: "GET", status: 429 });
    assertRefused(await admin(erase), 1, /^Twilio: 20429\. Nothing was erased/);
    const elsewhere = `${erase} --db-url ${stack.db_url}`;
    assertRefused(
      await admin(elsewhere),
      1,
      /^Set SUPABASE_URL and SUPABASE_SECRET_KEY: the person has files in storage\./,
    );
    await withEnv({ SUPABASE_URL: stack.api_url, SUPABASE_SECRET_KEY: "sb_secret_wrong" }, async () => {
      assertRefused(await admin(elsewhere), 1, /^The storage at .* did not delete/);
    });
    assert.deepEqual(await held(other.phone), KINDS);

    // A text comes while others are being deleted: it is deleted too.
    const conversation = { id: "", recruit: other.phone, service: market.service };
    const text = async (Body: string) => {
      const { sid } = double.receive({ from: other.phone, to: market.service, body: Body });
      const { body } = await receive(conversation, { MessageSid: sid, Body });
      assert.equal(body.status, "received");
    };
    await text("Hello?");
    double.fail({ method: "DELETE", accepted: true, delay_ms: 2_000 });
    const erasing = admin(erase);
    await eventually(10, () => assert.deepEqual(copies(double, other), []));
    await text("Wait");
    const { code, err } = await erasing;
    assert.equal(code, 0, err);
    assert.deepEqual(await held(other.phone), {});
    assert.deepEqual(copies(double, other), []);

    // Without an account, Twilio's copy of a later text remains until the command is repeated with one.
    const { sid } = double.receive({ from: other.phone, to: market.service, body: "Me again" });
    const { body } = await receive(conversation, { MessageSid: sid, Body: "Me again" });
    assert.equal(body.status, "no_conversation");
    assert.deepEqual(await held(other.phone), { unmatched_text: 1 });
    await withEnv({ TWILIO_ACCOUNT_SID: undefined }, async () => {
      const { out } = await admin(erase);
      assert.match(out, /^Erased .*\. Twilio's copies of the texts remain: TWILIO_ACCOUNT_SID is not set\.\n$/);
    });
    assert.equal(copies(double, other).length, 1);
    assert.equal((await adminJson(erase)).provider_copies, 1);
    assert.deepEqual(copies(double, other), []);
  });
});
