/** `npm run admin -- delivery`: what was refused is looked at, put right and taken in. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { admin, adminJson, assertAllRefused, assertRefused, npmRunOnTerminal } from "../support/admin.ts";
import { createOrder, createVendor, PDF, send, sql, storedLeads, type Vendor, withKey } from "../support/client.ts";
import { reject } from "../support/deliveries.ts";
import {
  createTarget,
  importLeads,
  lead as salesLead,
  storedLeads as storedSalesLeads,
  type Target,
} from "../support/leads.ts";
import { eventually } from "../support/processes.ts";
import { newPhone } from "../support/sms.ts";
import { DISTRIBUTION_LOCK, whileHeld } from "../../dev/testing/faults/database.ts";

async function statusOf(id: string): Promise<string> {
  const { status } = await adminJson(`delivery show ${id}`);
  return status;
}

/** What the vendor's parser does not read yet: the name is in a field that only the mapping below knows. */
const PAYLOAD = { ref: "r-1", who: "Ida", phone: "(312) 555-0142" };
const MAPPING = { fields: { first_name: "who", vendor_lead_id: "ref", phone: "phone" } };

async function putRight(vendor: Vendor): Promise<void> {
  await sql`
    update public.vendors set parser = 'mapping', parser_config = ${sql.json(MAPPING)}
    where id = ${vendor.id}`;
}

function rejectOf(vendor: Vendor, ...payloads: object[]): Promise<string[]> {
  return reject(...payloads.map((payload) => ({ vendor_id: vendor.id, payload })));
}

function replayAll(vendor: Vendor, options = "") {
  return adminJson(`delivery replay --vendor ${vendor.slug} ${options}`);
}

Deno.test("a refused lead is listed, shown, and taken in once the mapping is right", async () => {
  const vendor = await createVendor();
  const order = await createOrder(vendor);
  const phone = newPhone();
  const national = phone.replace(/^\+1(...)(...)/, "($1) $2-");
  const [id] = await rejectOf(vendor, { ...PAYLOAD, phone: national }) as [string];

  const listed = await adminJson(`delivery list --vendor ${vendor.slug}`);
  assert.equal(listed.length, 1);
  assert.partialDeepStrictEqual(listed[0], { id, vendor: vendor.slug, status: "open" });
  const { out } = await admin(`delivery show ${id.slice(0, 8)}`);
  assert.match(out, /^id +[-0-9a-f]{36}\n/);
  assert.match(out, /"who": "Ida"/);
  const found = await adminJson(`lead find ${phone}`);
  assert(
    found.some((row: { id: string }) => row.id === id),
    "a refused lead is found by its phone",
  );

  assertRefused(
    await admin(`delivery replay ${id}`),
    1,
    new RegExp(`^The delivery ${id} cannot be replayed: missing first_name$`),
  );
  assert.equal(await statusOf(id), "open");

  await putRight(vendor);
  const { preview, ...dry } = await adminJson(`delivery replay ${id} --dry-run`);
  const expected = {
    delivery_id: id,
    status: "created",
    lead_id: id,
    distributed_to: { agency_id: order.agency_id, agent_id: order.agent_ids[0] },
  };
  assert.deepEqual(dry, { dry_run: true, ...expected });
  assert.partialDeepStrictEqual(preview.leads, [{ first_name: "Ida", vendor_lead_id: "r-1" }]);
  assert.equal((await storedLeads(vendor)).length, 0, "a dry run changes nothing");
  assert.equal(await statusOf(id), "open");

  assert.deepEqual(await adminJson(`delivery replay ${id}`), { dry_run: false, ...expected });
  const [lead, ...others] = await storedLeads(vendor);
  assert.deepEqual(others, []);
  assert.partialDeepStrictEqual(lead, {
    vendor_lead_id: "r-1",
    first_name: "Ida",
    phone,
    received_via: "replay",
    distribution: "distributed",
  });
  const { timeline } = await adminJson(`lead show ${id}`);
  assert.deepEqual(
    timeline.map(({ event }: { event: string }) => event).toSorted(),
    ["delivery replayed", "distributed", "refused", "stored"],
  );

  // A repeated replay has the first result, also when the parser could not read it any more.
  await sql`update public.vendors set parser = 'generic' where id = ${vendor.id}`;
  assert.deepEqual(await adminJson(`delivery replay ${id}`), { dry_run: false, ...expected });
  assert.match((await admin(`delivery replay ${id}`)).out, /^Stored as the lead .*, agent /);
});

Deno.test("a lead, a row in bulk and a row of an import go from the refused request to the stored lead", async () => {
  const vendor = await createVendor();
  const headers = withKey(vendor);
  const refused = await send("/recruiting/ingest", { headers, body: { ref: "1", who: "Ann" } });
  assert.equal(refused.status, 400);
  const bulk = await send("/recruiting/ingest/bulk", {
    headers,
    body: { leads: [{ first_name: "Bob" }, { ref: "2", who: "Cem" }] },
  });
  assert.equal(bulk.body.errors.length, 1);

  const listed = await eventually(5, async () => {
    const rows = await adminJson(`delivery list --vendor ${vendor.slug}`);
    assert.equal(rows.length, 2);
    return rows;
  });
  const [inBulk, single] = listed;
  assert.partialDeepStrictEqual(single, {
    ...{ route: "/recruiting/ingest", row: null, code: "BAD_REQUEST" },
    ...{ reason: "missing first_name", request_id: refused.body.request_id },
  });
  assert.partialDeepStrictEqual(inBulk, { route: "/recruiting/ingest/bulk", row: 1 });

  await putRight(vendor);
  assert.partialDeepStrictEqual(await replayAll(vendor), { created: 2, refused: 0 });
  assert.deepEqual(
    (await storedLeads(vendor)).map(({ first_name }) => first_name).toSorted(),
    ["Ann", "Bob", "Cem"],
  );

  const target = await createTarget();
  const wrong = salesLead({ type: "boat" });
  await importLeads(target, [salesLead(), wrong]);
  const [delivery] = await eventually(5, async () => {
    const found = await adminJson(`lead find ${String(wrong.external_id)}`);
    assert.equal(found.length, 1);
    return found;
  });
  assert.equal(delivery.kind, "delivery");
  assertRefused(await admin(`delivery replay ${delivery.id}`), 1, /type/);
  // As an operator does who knows which type was meant.
  await sql`
    update public.rejected_deliveries
    set payload = payload || '{"type": "fe"}' where id = ${delivery.id}`;
  await adminJson(`delivery replay ${delivery.id}`);
  assert((await storedSalesLeads(target)).has(String(wrong.external_id)));
});

Deno.test("a replay waits for its turn while other leads are distributed", async () => {
  const vendor = await createVendor();
  const order = await createOrder(vendor);
  const [id] = await rejectOf(vendor, PAYLOAD);
  await putRight(vendor);
  let replayed: ReturnType<typeof adminJson> | undefined;
  await whileHeld(DISTRIBUTION_LOCK, async () => {
    replayed = adminJson(`delivery replay ${id!}`);
    await eventually(10, async () => assert.equal((await storedLeads(vendor)).length, 1));
    assert.equal((await storedLeads(vendor))[0]!.distribution, "pending");
  });
  assert.equal((await replayed!).distributed_to.agency_id, order.agency_id);
});

Deno.test("all that a vendor sent since a time is replayed, and what is still refused stays open", async () => {
  const vendor = await createVendor();
  const [old, , , , bad] = await rejectOf(
    vendor,
    { ref: "old", who: "Old" },
    { ref: "1", who: "Ann" },
    { ref: "2", who: "Bob" },
    { ref: "2", who: "Bob again" },
    { ref: "3" },
  ) as [string, string, string, string, string];
  await sql`
    update public.rejected_deliveries set received_at = '2026-01-01' where id = ${old}`;
  await putRight(vendor);

  const dry = await replayAll(vendor, "--since 2026-01-02 --dry-run");
  assert.partialDeepStrictEqual(dry, { dry_run: true, created: 3, duplicates: 0, refused: 1 });
  assert.equal((await storedLeads(vendor)).length, 0);

  const replayed = await replayAll(vendor, "--since 2026-01-02");
  assert.partialDeepStrictEqual(replayed, {
    ...{ dry_run: false, created: 2, duplicates: 1, refused: 1 },
    still_refused: [{ delivery_id: bad, reason: "missing first_name" }],
  });
  assert.deepEqual(
    (await storedLeads(vendor)).map(({ first_name }) => first_name).toSorted(),
    ["Ann", "Bob"],
  );
  const open = await adminJson(`delivery list --vendor ${vendor.slug}`);
  assert.deepEqual(open.map(({ id }: { id: string }) => id).toSorted(), [old, bad].toSorted());
  const { out } = await admin(`delivery replay --vendor ${vendor.slug}`);
  assert.match(
    out,
    new RegExp(`^delivery_id +reason\n${bad.slice(0, 8)} +missing first_name\n\nNew leads: 1\\.`),
  );
});

Deno.test("on a terminal a replay shows how far it is", async () => {
  const vendor = await createVendor();
  await rejectOf(vendor, { first_name: "Ann" }, { first_name: "Bob" });
  const { code, out } = await npmRunOnTerminal(`delivery replay --vendor ${vendor.slug}`, "");
  assert.equal(code, 0, out);
  assert.match(out, /0 of 2 replayed[^]*1 of 2 replayed[^]*New leads: 2\./);
});

Deno.test("two operators who replay at once store each lead once", async () => {
  const vendor = await createVendor();
  const order = await createOrder(vendor);
  const payloads = Array.from({ length: 20 }, (_, i) => ({ who: `Recruit ${i}` }));
  const ids = await rejectOf(vendor, ...payloads);
  await putRight(vendor);
  const [one, other] = await Promise.all([replayAll(vendor), replayAll(vendor)]);
  assert.deepEqual([one.refused, other.refused], [0, 0]);
  const leads = await storedLeads(vendor);
  assert.deepEqual(leads.map(({ id }) => id).toSorted(), ids.toSorted());
  const [{ filled }] = await sql`
    select filled from public.recruiting_orders where id = ${order.id}` as [{ filled: number }];
  assert.equal(filled, payloads.length);
});

Deno.test("a lead that has come meanwhile is not stored again", async () => {
  const vendor = await createVendor("mapping", MAPPING);
  const [id] = await rejectOf(vendor, PAYLOAD) as [string];
  const sent = await send("/recruiting/ingest", { headers: withKey(vendor), body: PAYLOAD });
  assert.partialDeepStrictEqual(await adminJson(`delivery replay ${id}`), {
    status: "duplicate",
    lead_id: sent.body.id,
  });
  assert.equal((await storedLeads(vendor)).length, 1);
  assert.match((await admin(`delivery replay ${id}`)).out, /^Its lead had come meanwhile: /);
});

Deno.test("a lead whose file was not kept is stored without it, and says so", async () => {
  const vendor = await createVendor();
  const body = { who: "Ida", cv: Buffer.from(PDF).toString("base64") };
  const { status } = await send("/recruiting/ingest", { headers: withKey(vendor), body });
  assert.equal(status, 400);
  const mapping = { fields: { first_name: "who", resume: { data: "cv" } } };
  await sql`
    update public.vendors set parser = 'mapping', parser_config = ${sql.json(mapping)}
    where id = ${vendor.id}`;
  await eventually(5, async () => assert.equal((await replayAll(vendor)).created, 1));
  const [lead] = await storedLeads(vendor);
  assert.equal(lead!.resume_path, null);
  assert.equal(lead!.vendor_metadata.resume_skipped, "replay");
});

Deno.test("a row of an import is stored for the agent it was sent for", async () => {
  const target = await createTarget();
  const sent = salesLead();
  const [id] = await rejectImport(target, sent);
  const replayed = await adminJson(`delivery replay ${id!}`);
  assert.deepEqual(replayed, {
    ...{ dry_run: false, delivery_id: id, status: "created", lead_id: id },
  });
  const stored = await storedSalesLeads(target);
  assert.partialDeepStrictEqual(stored.get(String(sent.external_id)), {
    id,
    agent_id: target.agent_id,
    phone_e164: "+13125550100",
    source: "platform",
  });

  const again = salesLead();
  const [other, wrong] = await rejectImport(target, again, salesLead({ type: "boat" }));
  await importLeads(target, [again]);
  const all = await adminJson("delivery replay --imports");
  assert(
    all.replayed.some((one: { delivery_id: string; status: string }) =>
      one.delivery_id === other && one.status === "duplicate"
    ),
  );
  assert(
    all.still_refused.some((one: { delivery_id: string; reason: string }) =>
      one.delivery_id === wrong && /type/.test(one.reason)
    ),
  );
  await admin(`delivery dismiss ${wrong!}`);
});

function rejectImport(target: Target, ...leads: object[]): Promise<string[]> {
  return reject(...leads.map((payload, row) => ({
    ...{ vendor_id: null, route: "/api/leads/import", row, payload },
    context: { ...target, distribution_id: null },
  })));
}

Deno.test("what cannot be replayed says why, and stays open", async () => {
  const vendor = await createVendor();
  const [cut, batch] = await reject(
    { vendor_id: vendor.id, payload_text: '{"first_name": "Ida", ' },
    { vendor_id: vendor.id, route: "/recruiting/ingest/bulk", payload: { leads: "Ida" } },
  ) as [string, string];
  const onlyBeginning = /: only the beginning of what was sent is kept, so it must be sent again$/;
  await assertAllRefused(
    [1, onlyBeginning, `delivery replay ${cut}`],
    [
      1,
      /: it is a whole request of several leads, which must be sent again$/,
      `delivery replay ${batch}`,
    ],
  );
  for (const id of [cut, batch]) assert.equal(await statusOf(id), "open");
  await sql`update public.vendors set parser = null where id = ${vendor.id}`;
  const [id] = await rejectOf(vendor, PAYLOAD) as [string];
  await assertAllRefused(
    [1, /: the vendor \S+ has no parser$/, `delivery replay ${id}`],
    [1, /^There is no delivery "/, `delivery replay ${crypto.randomUUID()}`],
    [1, /^There is no delivery "4711"\. See npm/, "delivery show 4711"],
  );
});

Deno.test("a delivery that is dismissed is open no more, and is not replayed", async () => {
  const vendor = await createVendor();
  const [one, two] = await rejectOf(vendor, PAYLOAD, PAYLOAD) as [string, string];
  assert.match((await admin(`delivery dismiss ${one}`)).out, /^Dismissed /);
  assert.match((await admin(`delivery dismiss ${one}`)).out, /was dismissed before/);
  assertRefused(await admin(`delivery replay ${one}`), 1, /has been dismissed$/);

  const all = `delivery dismiss --vendor ${vendor.slug}`;
  assertRefused(await admin(all), 2, /^Dismiss 1 deliveries for good\? There is no terminal/);
  assert.deepEqual(await adminJson(`${all} --yes`), { dismissed: 1 });
  assert.equal(await statusOf(two), "dismissed");
  assert.deepEqual(await adminJson(`delivery list --vendor ${vendor.slug}`), []);
  const dismissed = await adminJson(`delivery list --vendor ${vendor.slug} --status dismissed`);
  assert.equal(dismissed.length, 2);

  await sql`update public.vendors set parser = 'generic' where id = ${vendor.id}`;
  const [stored] = await rejectOf(vendor, { first_name: "Ida" }) as [string];
  await adminJson(`delivery replay ${stored}`);
  assertRefused(await admin(`delivery dismiss ${stored}`), 1, /has been replayed: its lead is /);
});

Deno.test("old deliveries are pruned when it is confirmed", async () => {
  const vendor = await createVendor();
  const [old, young] = await rejectOf(vendor, PAYLOAD, PAYLOAD) as [string, string];
  await sql`
    update public.rejected_deliveries set received_at = now() - interval '40 days' where id = ${old}`;
  assertRefused(await admin("delivery prune"), 2, /^Delete all deliveries .* There is no terminal/);
  const { deleted } = await adminJson("delivery prune --yes");
  assert(deleted >= 1);
  const left = await adminJson(`delivery list --vendor ${vendor.slug}`);
  assert.deepEqual(left.map(({ id }: { id: string }) => id), [young]);
});
