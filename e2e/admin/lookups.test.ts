/** `npm run admin`: what an operator looks into and puts right. */
import assert from "node:assert/strict";
import { admin, adminJson, assertRefused, npmRun } from "../support/admin.ts";
import {
  createOrder,
  createVendor,
  send,
  sql,
  stack,
  type Vendor,
  withKey,
  withoutOpenOrders,
} from "../support/client.ts";
import { createTarget, importLeads, lead as salesLead } from "../support/leads.ts";
import { createConversation, messages, newPhone, newSid, storeOutbound } from "../support/sms.ts";

async function ingest(vendor: Vendor, body: object): Promise<string> {
  const response = await send("/recruiting/ingest", { headers: withKey(vendor), body });
  assert([200, 201].includes(response.status), JSON.stringify(response.body));
  return response.body.id;
}

/** The events of a lead's timeline, in their order. */
async function eventsOf(lead: string): Promise<string[]> {
  const { timeline } = await adminJson(`lead show ${lead}`);
  return timeline.map(({ event }: { event: string }) => event);
}

Deno.test("a text is sent as by Twilio, once for each MessageSid", async () => {
  const conversation = await createConversation();
  const sid = newSid();
  const line = `text send --from ${conversation.recruit} --to ${conversation.service} --sid ${sid}
    --body "I'm in – call me" --media https://example.com/1.jpg`;
  assert.deepEqual(await adminJson(line), { message_sid: sid, status: "received" });
  assert.deepEqual(await adminJson(line), { message_sid: sid, status: "received" });
  const stored = await messages(conversation);
  assert.equal(stored.length, 1);
  assert.partialDeepStrictEqual(stored[0], {
    body: "I'm in – call me",
    provider_message_id: sid,
    media: [{ url: "https://example.com/1.jpg", content_type: null }],
  });
});

Deno.test("a delivery status is sent as by Twilio", async () => {
  const conversation = await createConversation();
  const sid = newSid();
  await storeOutbound(conversation, sid);
  const sent = await adminJson(`text send --sid ${sid} --status delivered`);
  assert.deepEqual(sent, { message_sid: sid, status: "updated" });
  assert.equal((await messages(conversation))[0]!.status, "delivered");
});

Deno.test("a text is sent to another project with the token of the environment", async () => {
  const { recruit, service } = await createConversation();
  const line = `text send --from ${recruit} --to ${service} --url`;
  const withToken = (token: string) => npmRun("admin", `${line} ${stack.functions_url}/`, { TWILIO_AUTH_TOKEN: token });
  const { code, out, err } = await withToken(`${stack.twilio_auth_token}, older`);
  assert.equal(code, 0, err);
  assert.match(out, /^received \(MessageSid SM[0-9a-f]{32}\)\n$/);
  assertRefused(await withToken("wrong"), 1, /\/recruiting\/sms\/inbound responded 401: .*UNAUTH/);
  assertRefused(await withToken(""), 1, /^Set TWILIO_AUTH_TOKEN/);
  assertRefused(await admin(`${line} frob`), 2, /^--url: give an address such as/);
  assertRefused(await admin(`${line} http://127.0.0.1:9`), 1, /^Set TWILIO_AUTH_TOKEN/);
});

Deno.test("a text to nobody is listed until its conversation is there", async () => {
  const [recruit, service, sid] = [newPhone(), newPhone(), newSid()];
  const sent = await adminJson(`text send --from ${recruit} --to ${service} --body STOP
    --sid ${sid}`);
  assert.equal(sent.status, "no_conversation");
  const [newest] = await adminJson("text unmatched --limit 1");
  assert.partialDeepStrictEqual(newest, {
    from: recruit,
    to: service,
    body: "STOP",
    message_sid: sid,
  });
  const { out } = await admin("text unmatched --limit 1");
  assert.match(out, new RegExp(`^id +received_at +from +to +body +media +message_sid\n.*${sid}`));
});

Deno.test("a lead is found by whatever is known of it", async () => {
  const vendor = await createVendor();
  const name = `Zora${crypto.randomUUID().slice(0, 8)}`;
  const phone = newPhone();
  const vendorLeadId = `job ${crypto.randomUUID()}`;
  const id = await ingest(vendor, {
    ...{ vendor_lead_id: vendorLeadId, first_name: name, last_name: "O'Hara" },
    ...{ phone, email: `${name}@Example.com` },
  });
  const national = phone.replace(/^\+1(...)(...)/, "($1) $2-");
  const known = [
    ...[id, id.toUpperCase(), id.slice(0, 13), vendorLeadId, phone, national],
    ...[`${name}@example.com`, name.toLowerCase(), `${name} o'hara`],
  ];
  for (const text of known) {
    const found = await adminJson(`lead find "${text}"`);
    assert.deepEqual(found.map(({ id }: { id: string }) => id), [id], text);
    assert.partialDeepStrictEqual(found[0], {
      kind: "recruiting",
      sender: vendor.slug,
      sender_id: vendorLeadId,
      phone,
    });
  }
});

Deno.test("a sales lead is found, and shown with what its agent did", async () => {
  const target = await createTarget();
  const phone = newPhone();
  const sent = salesLead({ phone });
  const imported = await importLeads(target, [sent]);
  const [id] = imported.body.lead_ids;
  for (const text of [id, String(sent.external_id), phone]) {
    const found = await adminJson(`lead find "${text}"`);
    assert.deepEqual(found.map((lead: { id: string }) => lead.id), [id], text);
    assert.equal(found[0].kind, "sales");
  }
  await send("/api/leads/log-presentation-activity", {
    headers: { apikey: stack.publishable_key },
    body: { lead_id: id, agent_id: target.agent_id, type: "presentation_started" },
  });
  assert.deepEqual(await eventsOf(String(sent.external_id)), ["stored", "presentation started"]);
});

Deno.test("what is known of nobody says so, and is no error", async () => {
  assert.deepEqual(await adminJson(`lead find nobody-${crypto.randomUUID()}`), []);
  const { code, out } = await admin("lead find nobody-4711");
  assert.equal(code, 0);
  assert.match(out, /^Nothing is known of "nobody-4711": /);
});

Deno.test("a lead that is not there, or is meant by several, is an error in one line", async () => {
  assertRefused(await admin("lead show 4711-no"), 1, /^There is no lead "4711-no"\. See npm/);
  const [one, other] = [await createVendor(), await createVendor()];
  const vendor_lead_id = crypto.randomUUID().replace(/^.{8}/, "z");
  await ingest(one, { vendor_lead_id, first_name: "Ann" });
  await ingest(other, { vendor_lead_id, first_name: "Bob" });
  assertRefused(
    await admin(`lead show ${vendor_lead_id}`),
    1,
    new RegExp(`^"${vendor_lead_id}" stands for several: .*\\((Ann|Bob)\\), .*\\((Ann|Bob)\\)$`),
  );
});

Deno.test("a sender's own id goes before the beginning of another lead's id", async () => {
  const vendor = await createVendor();
  const other = await ingest(vendor, { first_name: "Ann" });
  const vendor_lead_id = other.slice(0, 8);
  const id = await ingest(vendor, { vendor_lead_id, first_name: "Bob" });
  const { lead } = await adminJson(`lead show ${vendor_lead_id}`);
  assert.equal(lead.id, id);
});

Deno.test("everything that happened to a lead is shown, oldest first", async () => {
  const vendor = await createVendor();
  const order = await createOrder(vendor);
  const phone = newPhone();
  const vendor_lead_id = crypto.randomUUID();
  const id = await ingest(vendor, { vendor_lead_id, first_name: "Ida", phone });
  await ingest(vendor, { vendor_lead_id, first_name: "Ida" });
  const service = newPhone();
  await adminJson(`text send --from ${phone} --to ${service} --body "Still open?"`);
  assert.deepEqual(
    await eventsOf(id),
    ["stored", "distributed", "sent again", "text without a conversation"],
  );

  await sql`
    insert into public.recruiting_conversations (recruiting_lead_id, agency_id, recruit_phone, service_phone)
    values (${id}, ${order.agency_id}, ${phone}, ${service})`;
  const sid = newSid();
  await adminJson(`text send --from ${phone} --to ${service} --sid ${sid} --body Hi`);
  assert.deepEqual(
    await eventsOf(vendor_lead_id),
    [
      ...["stored", "distributed", "sent again", "text from the recruit", "conversation"],
      "text from the recruit",
    ],
  );

  const { lead } = await adminJson(`lead show ${id.slice(0, 8)}`);
  assert.partialDeepStrictEqual(lead, {
    id,
    vendor: vendor.slug,
    vendor_lead_id,
    name: "Ida",
    phone,
    distribution: "distributed",
    agency: "An agency under test",
    agent: "Agent 1",
  });
  const { out } = await admin(`lead show ${id}`);
  assert.match(out, /^kind +recruiting\nid +/);
  assert.match(out, /\n\nat +event +detail\n[^\n]* stored +/);
});

Deno.test("invisible characters of a lead are not printed, and --json has them as escapes", async () => {
  const vendor = await createVendor();
  const name = "I\u202ed\u200ba\u009b\u{e0041}";
  const vendor_lead_id = crypto.randomUUID();
  const body = { vendor_lead_id, first_name: name, city: "Tulsa\u2066\u00ad" };
  const id = await withoutOpenOrders(() => ingest(vendor, body));
  // \p{C}: control characters, marks of direction, and the like.
  for (const line of [`lead show ${id}`, `lead find ${vendor_lead_id}`]) {
    const { out } = await admin(line);
    assert.match(out, / Ida( |$)/m);
    assert.doesNotMatch(out.replaceAll("\n", ""), /\p{C}/u);
    const json = await admin(`${line} --json`);
    assert(json.out.includes("I\\u202ed\\u200ba\\u009b\\udb40\\udc41"), json.out);
    assert.doesNotMatch(json.out.replaceAll("\n", ""), /\p{C}/u);
  }
  assert.equal((await adminJson(`lead show ${id}`)).lead.name, name);
  assertRefused(await admin(`lead show no\u202e${name}`), 1, /^There is no lead "noIda"/);
});

Deno.test("an order that is opened late gets what waits, the oldest first", async () => {
  const vendor = await createVendor();
  const ids = await withoutOpenOrders(async () => {
    const made: string[] = [];
    for (const first_name of ["Ann", "Bob", "Cem"]) made.push(await ingest(vendor, { first_name }));
    return made;
  });
  const waiting = await adminJson(`lead waiting --vendor ${vendor.slug}`);
  assert.deepEqual(waiting.map(({ id }: { id: string }) => id), ids);
  assert.match(
    (await admin(`lead waiting --vendor ${vendor.slug} --limit 1`)).out,
    /\n\n2 more: see --limit\n$/,
  );

  const order = await createOrder(vendor, { quantity: 2 });
  const distribute = `lead distribute --vendor ${vendor.slug}`;
  await withoutOpenOrders(async () => {
    const dry = await adminJson(`${distribute} --dry-run`);
    assert.partialDeepStrictEqual(dry, { dry_run: true, distributed: 2, waiting: 3 });
    const unchanged = await adminJson(`lead waiting --vendor ${vendor.slug}`);
    assert.deepEqual(unchanged, waiting);

    const one = await adminJson(`${distribute} --max 1`);
    assert.partialDeepStrictEqual(one, { dry_run: false, distributed: 1, waiting: 2 });
    assert.equal(one.leads[0].id, ids[0]);
    assert.equal(one.leads[0].order_id, order.id);
    const rest = await adminJson(distribute);
    assert.partialDeepStrictEqual(rest, { distributed: 1, waiting: 1 });
    assert.equal(rest.leads[0].id, ids[1]);
    assert.match((await admin(distribute)).out, /^Distributed 0; 1 still wait\.\n$/);
  });
});

Deno.test("two operators who distribute at once distribute each lead once", async () => {
  const vendor = await createVendor();
  const rows = Array.from({ length: 150 }, (_, i) => ({ n: i }));
  await sql`
    insert into public.recruiting_leads (vendor_id, first_name, distribution)
    select ${vendor.id}, 'Recruit ' || n, 'unmatched' from generate_series(1, ${rows.length}) n`;
  const order = await createOrder(vendor, { agents: 3 });
  const distribute = `lead distribute --vendor ${vendor.slug}`;
  const [one, other] = await Promise.all([adminJson(distribute), adminJson(distribute)]);
  const handedOut = [...one.leads, ...other.leads].map(({ id }: { id: string }) => id);
  assert.equal(handedOut.length, rows.length);
  assert.equal(new Set(handedOut).size, rows.length);
  const [{ filled }] = await sql`
    select filled from public.recruiting_orders where id = ${order.id}` as [{ filled: number }];
  assert.equal(filled, rows.length);
});

Deno.test("the keys of a vendor are listed with when each was last used", async () => {
  const vendor = await createVendor();
  await adminJson(`key create ${vendor.slug} --label spare`);
  await ingest(vendor, { first_name: "Ann" });
  const [used, spare] = await adminJson(`key list ${vendor.slug}`);
  assert(Math.abs(Date.parse(used.last_used) - Date.now()) < 60_000, used.last_used);
  assert.equal(spare.last_used, null);
});
