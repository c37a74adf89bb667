/** Leads of Meta, of which a notice comes: what is fetched and stored, what is not, and the faults around it. */
import assert from "node:assert/strict";
import { kill } from "../../dev/testing/faults/parts.ts";
import { withFetch } from "../../dev/testing/faults/responses.ts";
import { GRAPH_APP, GRAPH_PAGE, GRAPH_TOKEN } from "../../dev/testing/graph/app.ts";
import type { GraphFault } from "../../dev/testing/graph/double.ts";
import { admin, assertRefused } from "../support/admin.ts";
import { assertResponse, assertStored, atOnce, createOrder, send, sql, stack, storedLeads } from "../support/client.ts";
import { consoleOf, functionWith } from "../support/function.ts";
import { eventually } from "../support/processes.ts";
import { addSecret, createWebhook, deliver, proofOf, rejected, type Webhook } from "../support/webhooks.ts";
import { double } from "./graph.ts";
import { MISSING_FIRST_NAME } from "../../supabase/functions/recruiting/ingest/lead.ts";

/** A vendor that sends Meta's notices, and whose leads are fetched. */
async function createPage(token: string | null = GRAPH_TOKEN): Promise<Webhook> {
  const webhook = { ...await createWebhook("meta", { parser: "meta" }), secret: GRAPH_APP.secret };
  await addSecret(webhook, GRAPH_APP.secret);
  if (token !== null) await addSecret(webhook, token, "access_token");
  return webhook;
}

let ids = Date.now() * 1_000;

/** A lead that Meta has. Returns its id. */
function addLead(name = "Lee", id = String(++ids)): string {
  double.addLead({
    id,
    form_id: "330000000000002",
    created_time: "2026-07-29T08:00:00+0000",
    field_data: [{ name: "first_name", values: [name] }, { name: "email", values: ["lee@example.com"] }],
  });
  return id;
}

/** Meta's notice of leads. */
function noticeOf(...leads: string[]): object {
  const changes = leads.map((leadgen_id) => ({
    field: "leadgen",
    value: { leadgen_id, page_id: GRAPH_PAGE.id, form_id: "330000000000002", created_time: 1785312000 },
  }));
  return { object: "page", entry: [{ id: GRAPH_PAGE.id, time: 1785312000, changes }] };
}

/** Sends a notice, which is ignored as long as nobody has asked for its lead. */
async function give(webhook: Webhook, ...leads: string[]): Promise<void> {
  assertResponse(await deliver(webhook, noticeOf(...leads)), 200, { status: "ignored" });
}

/** Queues a lead without a request to the webhook, after which the gateway would fetch it. */
async function queue({ id }: Webhook, leadgen_id: string): Promise<void> {
  const notices = [{ leadgen_id, page_id: null, form_id: null, notice: { leadgen_id } }];
  await sql`select public.add_lead_fetches(${id}, 'request', ${sql.json(notices)})`;
}

/** Runs something while the database refuses each call of a function. */
function whileRefusing<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
  const refusal = () => Response.json({ code: "XX000", message: "Secret words" }, { status: 500 });
  return withFetch(async (fetch, ...request) => {
    return String(request[0]).endsWith(`/rpc/${name}`) ? refusal() : await fetch(...request);
  }, run);
}

async function fetchOf(leadgen: string) {
  const [fetch] = await sql`
    select state, reason, attempt, lead_id, held_since is not null as is_held, due_at from private.lead_fetches
    where leadgen_id = ${leadgen}`;
  return fetch;
}

/** Waits until the fetch of a lead is left in this state, with this reason, and nobody works on it. */
function becomes(leadgen: string, state: string, reason: string | null = null): Promise<void> {
  return eventually(25, async () => {
    const [fetch] =
      await sql`select state, reason, lease_until from private.lead_fetches where leadgen_id = ${leadgen}`;
    assert.deepEqual({ ...fetch }, { state, reason, lease_until: null });
  });
}

/**
 * Asks the worker for its work, after the pause of this vendor's fetches, or the lease of a dead worker. The rows are
 * locked in one order, so that two calls at once do not wait for each other.
 */
async function work({ id }: Webhook) {
  await sql`
    with waiting as (
      select leadgen_id from private.lead_fetches
      where vendor_id = ${id} and state = 'waiting' and due_at < 'infinity'
      order by leadgen_id for update
    )
    update private.lead_fetches f set due_at = now(), lease_until = least(f.lease_until, now())
    from waiting w where f.vendor_id = ${id} and f.leadgen_id = w.leadgen_id`;
  const response = await send("/worker/run", {
    headers: { authorization: `Bearer ${stack.worker_key}` },
  });
  return assertResponse(response, 200);
}

async function names(webhook: Webhook): Promise<string[]> {
  return (await storedLeads(webhook)).map(({ first_name }) => first_name).sort();
}

Deno.test("a notice becomes a lead at once, with an agent and every digit of its id, and no rejected delivery", async () => {
  const webhook = await createPage();
  const { agent_ids } = await createOrder(webhook);
  const leadgen = addLead("Lee", `9007199254${ids++}`);
  const notice = JSON.stringify(noticeOf(leadgen)).replace(`"${leadgen}"`, leadgen);
  assertResponse(await deliver(webhook, notice, { headers: { "content-type": "application/json" } }), 200);
  await becomes(leadgen, "done");
  const [stored] = await storedLeads(webhook);
  const lead = stored!;
  assert.equal(lead.vendor_lead_id, leadgen);
  assert.equal(lead.received_via, "webhook");
  assert.equal(lead.agent_id, agent_ids[0]);
  assert.equal(lead.email, "lee@example.com");
  assert.equal((await fetchOf(leadgen))!.lead_id, lead.id);
  assert.equal((await rejected(webhook)).length, 0);
});

Deno.test("a notice of several leads that comes 20 times at once, and again later, and several workers store each lead once", async () => {
  const webhook = await createPage();
  const leads = Array.from({ length: 12 }, (_, n) => addLead(`Lead ${n}`));
  for (const id of leads) double.fail({ status: 500, id });
  for (const response of await atOnce(20, () => deliver(webhook, noticeOf(...leads)))) {
    assertResponse(response, 200, { status: "ignored" });
  }
  for (const id of leads) await becomes(id, "waiting", "HTTP 500");
  assert.deepEqual(leads.map((id) => double.requests(id).length), leads.map(() => 1));
  const { due_at, is_held } = (await fetchOf(leads[0]!))!;
  assert(Math.abs(due_at.getTime() - Date.now() - 60_000) < 30_000);
  assert.equal(is_held, false);
  await Promise.all([work(webhook), work(webhook), work(webhook)]);
  for (const id of leads) await becomes(id, "done");
  await give(webhook, ...leads);
  await work(webhook);
  assert.deepEqual(await names(webhook), leads.map((_, n) => `Lead ${n}`).sort());
});

Deno.test("without a token a notice is a rejected delivery, which is fetched by a replay once there is one", async () => {
  const webhook = await createPage(null);
  const leadgen = addLead();
  await give(webhook, leadgen);
  const [delivery] = await rejected(webhook);
  assert.equal(delivery!.vendor_lead_id, leadgen);
  assert.match(delivery!.reason, /fetch the lead/);
  assert.equal(await fetchOf(leadgen), undefined);

  await addSecret(webhook, GRAPH_TOKEN, "access_token");
  assertRefused(await admin(`delivery replay ${delivery!.id}`), 1, /its lead is fetched from Meta now/);
  await work(webhook);
  await assertStored(webhook, 1);
  const [replayed] = await rejected(webhook);
  const [lead] = await storedLeads(webhook);
  assert.deepEqual([replayed!.status, replayed!.lead_id], ["replayed", lead!.id]);
});

Deno.test("when the token is refused, or has expired, all leads of the vendor wait, others are fetched, and a new token starts all", async () => {
  const [webhook, other] = [await createPage(), await createPage()];
  const [first, second, third] = [addLead("Ann"), addLead("Ben"), addLead("Cid")];
  double.fail({ code: 190, subcode: 463, times: -1, id: first });
  await give(webhook, first);
  await becomes(first, "waiting", "code 190/463");
  await give(webhook, second);
  const [alert] = await sql`select details from private.found_alerts(now()) where subject = ${webhook.slug}`;
  assert.equal(alert!.details.leads, 2);
  await give(other, third);
  await becomes(third, "done");
  assert.equal((await fetchOf(second))!.attempt, 0);

  double.clearFaults();
  double.setToken("EAAanother", {});
  await addSecret(webhook, "EAAanother", "access_token");
  await work(webhook);
  assert.deepEqual(await names(webhook), ["Ann", "Ben"]);

  // The same where it has expired here.
  await sql`
    update private.vendor_webhook_secrets set expires_at = now() - interval '1 s'
    where vendor_id = ${webhook.id} and kind = 'access_token'`;
  const fourth = addLead("Dan");
  await give(webhook, fourth);
  await becomes(fourth, "waiting", "no_token");
  assert.deepEqual(double.requests(fourth), []);
  double.setToken("EAAlater", {});
  await addSecret(webhook, "EAAlater", "access_token");
  await work(webhook);
  assert.deepEqual(await names(webhook), ["Ann", "Ben", "Dan"]);
});

Deno.test("a lead that Meta does not have for a day is a rejected delivery, until a later notice fetches it after all", async () => {
  const webhook = await createPage();
  const leadgen = String(++ids);
  await give(webhook, leadgen);
  await becomes(leadgen, "waiting", "code 100/33");
  await sql`update private.lead_fetches set failing_since = now() - interval '1 day' where leadgen_id = ${leadgen}`;
  await work(webhook);
  await becomes(leadgen, "failed", "code 100/33");
  const [delivery] = await rejected(webhook);
  assert.match(delivery!.reason, /^Meta had no such lead for a day/);
  assert.equal(delivery!.payload.entry[0].changes[0].value.leadgen_id, leadgen);

  addLead("Late", leadgen);
  await give(webhook, leadgen);
  await becomes(leadgen, "done");
  assert.equal((await rejected(webhook))[0]!.status, "replayed");
});

Deno.test("a notice that cannot be right is a rejected delivery, a dry run is none, and nothing is asked for", async () => {
  const webhook = await createPage();
  await sql`update public.vendors set webhook_config = '{"page_id": "1"}' where id = ${webhook.id}`;
  const bad = { field: "leadgen", value: { leadgen_id: "../me", page_id: "1" } };
  assertResponse(await deliver(webhook, { object: "page", entry: [{ changes: [bad] }] }), 200, { status: "ignored" });
  const leadgen = addLead();
  await give(webhook, leadgen);
  const reasons = (await rejected(webhook)).map(({ reason }) => reason).sort();
  assert.deepEqual(reasons, ["leadgen_id: must be digits", "page_id: is not the page of this webhook"]);

  const [one, other] = [await createPage(), await createPage()];
  assertResponse(await deliver(one, noticeOf(leadgen), { query: "dry_run=true" }), 200, { status: "ignored" });
  assert.equal(await fetchOf(leadgen), undefined);
  await give(one, leadgen);
  await becomes(leadgen, "done");
  await give(other, leadgen);
  assert.deepEqual(
    (await rejected(other)).map(({ reason }) => reason),
    ["another vendor has given notice of this lead"],
  );
  await assertStored(other, 0);
});

Deno.test("a process that is killed after the 200 leaves the lead to the worker", async () => {
  const webhook = await createPage();
  const leadgen = addLead();
  double.fail({ delay_ms: 60_000, id: leadgen });
  await give(webhook, leadgen);
  await eventually(10, () => assert.equal(double.requests(leadgen).length, 1));
  await kill("gateway");
  await eventually(20, async () => assert.equal((await send("/worker/run")).status, 401));
  assert.equal((await fetchOf(leadgen))!.state, "waiting");
  await work(webhook);
  await becomes(leadgen, "done");
  await assertStored(webhook, 1);
});

Deno.test("while the database keeps no notice, Meta gets 500 and sends it again", async () => {
  const webhook = await createPage();
  const leadgen = addLead();
  const recruiting = await functionWith("recruiting", double.settings);
  const body = JSON.stringify(noticeOf(leadgen));
  const { path, headers } = proofOf(webhook, body);
  const response = await whileRefusing(
    "add_lead_fetches",
    () => recruiting(path, { headers: { "content-type": "application/json", ...headers }, body }),
  );
  assertResponse(response, 500);
  assert.equal(await fetchOf(leadgen), undefined);
  await give(webhook, leadgen);
  await becomes(leadgen, "done");
});

Deno.test("a lead that the service cannot store waits as after a failure of Meta, and not for ever", async () => {
  const webhook = await createPage();
  const leadgen = addLead();
  const worker = await functionWith("worker", { ...double.settings, WORKER_KEY: "key" });
  await queue(webhook, leadgen);
  const lines = await consoleOf(() =>
    whileRefusing(
      "ingest_recruiting_leads",
      () => worker("/worker/run", { headers: { authorization: "Bearer key" } }),
    )
  );
  await becomes(leadgen, "waiting", "not_stored");
  assert(lines.some((line) => line.includes('"event":"job_failed","job":"lead_fetches"')), lines.join("\n"));
  assert(!lines.join("\n").includes("Secret words"));
  await work(webhook);
  await becomes(leadgen, "done");
  await assertStored(webhook, 1);
});

/** Faults of Meta, with the reason for which the lead waits then. */
const FAULTS: [GraphFault, string | null][] = [
  [{}, null],
  [{ code: 190 }, "code 190"],
  [{ code: 80005, wait_minutes: 19 }, "code 80005"],
  [{ drop: true, times: -1 }, "lost"],
  [{ status: 502, text: "<html>" }, "no_json"],
  [{ text: '{"id": "1", "field_data": []}' }, "another_lead"],
];

Deno.test("a lead that the parser refuses is a rejected delivery, and no log line has a token, a secret, a name, an e-mail address or a phone number", async () => {
  const worker = await functionWith("worker", { ...double.settings, WORKER_KEY: "key" });
  const [name, phone] = ["Zyxwvutsrq", "+13124567890"];
  const field_data = [["email", `${name}@example.com`], ["phone_number", phone], ["full_name", name]]
    .map(([name, value]) => ({ name: name!, values: [value!] }));
  // The last one is no lead, because it has no name.
  const cases = [
    ...FAULTS.map(([fault, reason]) => ({ fault, reason, field_data })),
    { fault: {}, reason: MISSING_FIRST_NAME, field_data: field_data.slice(0, 2) },
  ];
  for (const { fault, reason, field_data } of cases) {
    const token = `EAA${crypto.randomUUID()}`;
    double.setToken(token, {});
    const webhook = await createPage(token);
    const leadgen = String(++ids);
    double.addLead({ id: leadgen, form_id: "330000000000002", created_time: "2026-07-29T08:00:00+0000", field_data });
    if (Object.keys(fault).length > 0) double.fail({ ...fault, id: leadgen });
    await queue(webhook, leadgen);
    const lines = await consoleOf(() => worker("/worker/run", { headers: { authorization: "Bearer key" } }));
    const logged = lines.join("\n");
    assert.match(logged, /worker\/run/);
    for (const secret of [token, GRAPH_APP.secret, name, phone, phone.slice(2), leadgen]) {
      assert(!logged.includes(secret), `${logged} has ${secret}`);
    }
    assert.equal((await fetchOf(leadgen))!.reason, reason);
    const deliveries = await rejected(webhook);
    const isRefused = reason === MISSING_FIRST_NAME;
    assert.deepEqual(deliveries.map(({ payload }) => payload.field_data), isRefused ? [field_data] : []);
    double.clearFaults();
  }
  // Those that wait would be fetched in the tests of other files.
  await sql`delete from private.lead_fetches`;
});
