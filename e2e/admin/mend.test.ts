/** `npm run admin`: a mapping that was wrong, an agent who leaves, texts for nobody, and what was made by mistake. */
import assert from "node:assert/strict";
import { admin, adminJson, assertAllRefused, assertRefused } from "../support/admin.ts";
import {
  createAgency,
  createOrder,
  createVendor,
  send,
  sql,
  storedLeads,
  type Vendor,
  withKey,
} from "../support/client.ts";
import { createTarget, importLeads, lead as salesLead } from "../support/leads.ts";
import { eventually } from "../support/processes.ts";
import { newPhone } from "../support/sms.ts";

/** What the vendors here send, and a mapping that knows neither the phone nor the state. */
const PAYLOAD = {
  ref: "r-1",
  who: "Ida",
  mail: "Ida@example.com",
  tel: "(312) 555-0142",
  st: "Illinois",
};
const FIRST = { first_name: "who", vendor_lead_id: "ref", email: "mail" };
const WHOLE = { ...FIRST, phone: "tel", state: "st" };

/** A vendor with a mapping, and leads that it has sent. */
async function vendorWith(fields: object, ...payloads: object[]): Promise<Vendor> {
  const vendor = await createVendor("mapping", { fields });
  for (const body of payloads) {
    await send("/recruiting/ingest", { headers: withKey(vendor), body });
  }
  return vendor;
}

async function changeMapping({ id }: Vendor, fields: object): Promise<void> {
  await sql`update public.vendors set parser_config = ${sql.json({ fields } as never)} where id = ${id}`;
}

Deno.test("a dry run of a replay shows the leads as they would be stored, and what stays unread", async () => {
  const vendor = await vendorWith({ first_name: "name" }, PAYLOAD, { ...PAYLOAD, ref: "r-2" });
  const [delivery] = await eventually(5, async () => {
    const deliveries = await adminJson(`delivery list --vendor ${vendor.slug}`);
    assert.equal(deliveries.length, 2);
    return deliveries;
  });
  await changeMapping(vendor, FIRST);
  const all = await admin(`delivery replay --vendor ${vendor.slug} --dry-run`);
  assert.match(all.out, /^vendor_lead_id .*\nr-[12] +Ida .*ida@example\.com/);
  assert.match(all.out, /^no state in 2 of 2, no phone in 2 of 2; unread: st, tel$/m);
  const one = await adminJson(`delivery replay ${delivery.id} --dry-run`);
  assert.partialDeepStrictEqual(one.preview, {
    leads: [{ first_name: "Ida", vendor_metadata: { email: "ida@example.com" } }],
    missing: { state: 1, phone: 1 },
    unread: ["st", "tel"],
  });

  await changeMapping(vendor, WHOLE);
  const { out } = await admin(`delivery replay --vendor ${vendor.slug} --dry-run`);
  assert.match(out, /\+13125550142 +IL/);
  assert.doesNotMatch(out, /^no |unread/m, "Illinois is read, though it stays in vendor_fields");
  assert.equal((await storedLeads(vendor)).length, 0);
});

Deno.test("a change of the mapping shows what it makes of the newest deliveries and leads", async () => {
  const vendor = await vendorWith(FIRST, PAYLOAD, { ref: "r-2", tel: "(312) 555-0143" });
  await eventually(
    5,
    async () => assert.equal((await adminJson(`delivery list --vendor ${vendor.slug}`)).length, 1),
  );
  const file = await Deno.makeTempFile({ suffix: ".json" });
  try {
    const update = `vendor update ${vendor.slug} --config ${file}`;
    await Deno.writeTextFile(file, JSON.stringify({ fields: { ...FIRST, phone: "tel" } }));
    const changed = await adminJson(update);
    assert.deepEqual(changed.parser_config.fields.phone, "tel");
    assert.partialDeepStrictEqual(changed.preview, {
      leads: [{ vendor_lead_id: "r-1", vendor_metadata: { phone: "+13125550142" } }],
      unread: ["st"],
      rejected: [{ reason: "missing first_name" }],
    });
    const { out } = await admin(update);
    assert.match(
      out,
      /no state in 1 of 1; unread: st\n[^]*: missing first_name\n[^]*Changed the vendor/,
    );
    const [lead] = await storedLeads(vendor);
    assert.equal(lead!.phone, null, "the leads themselves stay as they are");
  } finally {
    await Deno.remove(file);
  }
});

Deno.test("leads are read again, and nothing but their gaps is filled", async () => {
  const other = { ...PAYLOAD, ref: "r-2", tel: "none" };
  const vendor = await vendorWith(FIRST, PAYLOAD, other);
  const before = await storedLeads(vendor);
  // Without a first name, which the leads have.
  await changeMapping(vendor, { vendor_lead_id: "tel", email: "st", phone: "tel", state: "st" });

  const dry = await admin(`lead reread --vendor ${vendor.slug} --dry-run`);
  assert.match(
    dry.out,
    /\+13125550142 +IL[^]*no phone in 1 of 2\n\nDry run, nothing was changed\./,
  );
  assert.deepEqual(await storedLeads(vendor), before);

  assert.deepEqual(await adminJson(`lead reread --vendor ${vendor.slug}`), {
    dry_run: false,
    read: 2,
    filled: 2,
    fields: { state: 2, phone: 1, phone_raw: 2 },
  });
  const after = await storedLeads(vendor);
  assert.deepEqual(after.map(({ phone, state }) => [phone, state]), [
    ["+13125550142", "IL"],
    [null, "IL"],
  ]);
  for (const [i, lead] of after.entries()) {
    const { vendor_metadata: _, updated_at: __, phone: ___, state: ____, ...rest } = lead;
    assert.partialDeepStrictEqual(before[i], rest);
    assert.partialDeepStrictEqual(lead.vendor_metadata, before[i]!.vendor_metadata);
  }
  assert.partialDeepStrictEqual(await adminJson(`lead reread --vendor ${vendor.slug}`), {
    filled: 0,
  });
  const future = "lead reread --since 2999-01-01";
  assertRefused(await admin(future), 2, /^--since: "2999-01-01" is not a time in the past/);
});

Deno.test("leads of an agent who leaves go to another one, with conversations and what is unread", async () => {
  const vendor = await createVendor();
  const { agency_id, agent_ids: [leaving] } = await createOrder(vendor);
  const { agent_ids: [stranger] } = await createAgency();
  const [{ id: next }] = await sql<[{ id: string }]>`
    insert into public.agents (agency_id, first_name) values (${agency_id}, 'Bob') returning id`;
  const phone = newPhone();
  await sql`insert into public.service_numbers (phone, agency_id) values (${phone}, ${agency_id})`;
  for (const first_name of ["Ann", "Cem"]) {
    await send("/recruiting/ingest", {
      headers: withKey(vendor),
      body: { first_name, phone: newPhone() },
    });
  }
  // Of two agents who take turns, each has one.
  await sql`update public.recruiting_leads set agent_id = ${leaving!} where vendor_id = ${vendor.id}`;
  await importLeads({ agency_id, agent_id: leaving! }, [salesLead()]);
  const [lead] = await storedLeads(vendor);
  await sql`
    insert into public.recruiting_conversations
      (recruiting_lead_id, agency_id, recruit_phone, service_phone, status, assigned_agent_id)
    values (${lead!.id}, ${agency_id}, ${lead!.phone}, ${phone}, 'escalated', ${leaving!})`;
  await adminJson(`text send --from ${lead!.phone} --to ${phone} --body Hello`);

  await assertAllRefused(
    [2, /^give one lead, or all leads --from an agent/, `lead assign --to ${next}`],
    [2, /^give one lead, or all/, `lead assign ${lead!.id} --from ${leaving} --to ${next}`],
    [1, /^--to: the agent is of another agency/, `lead assign ${lead!.id} --to ${stranger}`],
    [1, /^--from: it is the same agent/, `lead assign --from ${next} --to ${next} --yes`],
  );
  const one = await adminJson(`lead assign ${lead!.id} --to ${next}`);
  // Who was told of a lead depends on whose turn it was.
  assert.partialDeepStrictEqual(one, {
    ...{ agent_id: next, recruiting_leads: 1, sales_leads: 0, conversations: 1 },
  });
  assertRefused(
    await admin(`lead assign --from ${leaving} --to ${next}`),
    2,
    /^Give all leads of \w+ to \w+\? There is no terminal to ask on: say so with --yes$/,
  );
  const [{ kept }] = await sql<[{ kept: number }]>`
    select count(*)::int as kept from public.recruiting_leads where agent_id = ${leaving!}`;
  assert.equal(kept, 1, "nothing was changed");
  const { code, out } = await admin(`lead assign --from ${leaving} --to ${next} --yes`);
  assert.equal(code, 0);
  assert.match(
    out,
    /recruiting leads: 1, sales leads: 1, conversations: 0, unread notifications: \d+\./,
  );
  const [{ left }] = await sql<[{ left: number }]>`
    select (select count(*) from public.recruiting_leads where agent_id = ${leaving!})::int
      + (select count(*) from public.leads where agent_id = ${leaving!})::int
      + (select count(*) from public.agent_notifications where agent_id = ${leaving!})::int as left`;
  assert.equal(left, 0);

  // Back again: the lead shows everybody who had it, and its first agent.
  await sql`update public.agents set last_name = 'Leaving' where id = ${leaving!}`;
  await adminJson(`lead assign ${lead!.id} --to ${leaving}`);
  const { timeline } = await adminJson(`lead show ${lead!.id}`);
  const events = timeline.filter(({ event }: { event: string }) => ["distributed", "assigned"].includes(event));
  assert.equal(events.length, 3);
  assert.match(events[0].detail, /Leaving/);
  assert.match(events[1].detail, /^from \w+ Leaving, to \w+/);
  assert.match(events[2].detail, /^from \w+, to \w+ Leaving/);
  const [sold] = await sql`select id from public.leads where agent_id = ${next!}`;
  const shown = (await admin(`lead show ${sold!.id}`)).out;
  assert.match(shown, /assigned +from \w+ Leaving, to /);
});

Deno.test("texts for nobody become a conversation with the recruit's newest lead", async () => {
  const vendor = await createVendor();
  const order = await createOrder(vendor);
  const [phone, number] = [newPhone(), newPhone()];
  await adminJson(`text send --from ${phone} --to ${number} --body Hello`);
  assertRefused(await admin(`text adopt ${phone}`), 1, /^no lead with an agency has the phone \+1/);
  const body = { first_name: "Ann", phone };
  const { body: { id } } = await send("/recruiting/ingest", { headers: withKey(vendor), body });
  await assertAllRefused(
    [1, /^no text of \+\d+ waits for a conversation$/, `text adopt ${phone} --to ${newPhone()}`],
    [2, /^"frob" is not a phone number/, "text adopt frob"],
  );
  const [adopted] = await adminJson(`text adopt ${phone} --to ${number}`);
  assert.partialDeepStrictEqual(adopted, {
    service_phone: number,
    lead_id: id,
    agency_id: order.agency_id,
    agent_id: order.agent_ids[0],
    texts: 1,
  });
  assertRefused(await admin(`text adopt ${phone}`), 1, /^no text of/);
});

Deno.test("what has never been used is removed, and the rest says what it has", async () => {
  const used = await vendorWith(FIRST, PAYLOAD);
  const { agency_id, agent_id } = await createTarget();
  const unused = await createVendor();
  await assertAllRefused(
    [
      1,
      new RegExp(
        `^the vendor ${used.slug} stays: it has recruiting leads \\(1\\), vendor api keys \\(1\\)\\. ` +
          `Instead: npm run admin -- vendor update ${used.slug} --active false$`,
      ),
      `vendor remove ${used.slug} --yes`,
    ],
    [
      1,
      /^the agency "An agency under test" stays: it has agents \(1\)\. Instead: /,
      `agency remove ${agency_id} --yes`,
    ],
    [2, /There is no terminal to ask on/, `vendor remove ${unused.slug}`],
    [1, /^There is no vendor "nobody"/, "vendor remove nobody"],
  );
  for (
    const line of [
      `vendor remove ${unused.slug}`,
      `agent remove ${agent_id}`,
      `agency remove ${agency_id}`,
    ]
  ) {
    const { code, out, err } = await admin(`${line} --yes`);
    assert.equal(code, 0, err);
    assert.match(out, /^Removed the /);
  }
  const headers = withKey(unused);
  assert.equal(
    (await send("/recruiting/ingest", { headers, body: { first_name: "Ann" } })).status,
    401,
  );
});

Deno.test("the hours in which texts may be sent are shown and changed", async () => {
  const hours = "hours set ID --day monday";
  assert.deepEqual(
    (await adminJson("hours show ID")).map(({ state }: { state: string }) => state),
    ["all"],
  );
  try {
    await adminJson(`${hours} --opens 10:00 --closes 18:00 --source Office`);
    const { out } = await admin("hours show Idaho");
    assert.match(out, /^all +every day +08:00-21:00 .*\nID +monday +10:00-18:00 +Office$/m);
    await adminJson(`${hours} --closed --source Office`);
    assert.match((await admin("hours show ID")).out, /^ID +monday +closed/m);
  } finally {
    await adminJson(`${hours} --none`);
  }
  const law = await adminJson("hours show AL");
  try {
    await adminJson("hours set AL --closed --from 2098-12-24 --until 2098-12-26 --source Holiday");
    const { out } = await admin("hours show AL");
    assert.match(out, /^AL +every day +08:00-20:00 .*\n(.*\n)*AL +2098-12-24 to 2098-12-26 +closed +Holiday$/m);
  } finally {
    await adminJson("hours set AL --none");
  }
  assert.deepEqual(await adminJson("hours show AL"), law, "closed dates go, and the law stays");
  const [next] = await adminJson("hours show --phone +12085550100");
  assert(Date.parse(next.opens_at) < Date.parse(next.closes_at));
  await assertAllRefused(
    [2, /^give --opens and --closes, or --closed, or --none$/, `${hours} --opens 10:00`],
    [2, /^give the --source of the hours$/, `${hours} --closed`],
    [2, /^--opens: "8am" is not a time such as 08:00/, `${hours} --opens 8am --closes 20:00`],
    [
      1,
      /^--closes: give a time after --opens$/,
      `${hours} --opens 20:00 --closes 09:00 --source x`,
    ],
    [1, /^<state>: no area code is in "XX"/, "hours set XX --closed --source x"],
    [2, /^--from: "2098-02-30" is not a day such as/, "hours set AL --closed --from 2098-02-30 --source x"],
    [
      2,
      /^--until: 2098-12-24 is before --from 2098-12-26/,
      "hours set AL --closed --from 2098-12-26 --until 2098-12-24 --source x",
    ],
    [1, /^--until: 2020-01-01 is over/, "hours set AL --closed --until 2020-01-01 --source x"],
    [2, /^--until: give it with --closed, and without --day/, `${hours} --closed --until 2098-01-01 --source x`],
    [1, /^these are the hours of the law, which stay/, "hours set AL --none"],
    [1, /^there are no such hours of their own$/, `${hours} --none`],
    [1, /^the hours of all states and days can be changed/, "hours set all --none"],
  );
});
