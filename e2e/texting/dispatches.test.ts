/** Events reach the systems of agencies, over real sockets. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { Webhook } from "standardwebhooks";
import { DESK_URL } from "../../dev/testing/alert_receiver.ts";
import { kill } from "../../dev/testing/faults/parts.ts";
import { ingest } from "../support/applications.ts";
import { createOrder, createVendor, send, sql } from "../support/client.ts";
import { consoleOf } from "../support/function.ts";
import { eventually } from "../support/processes.ts";
import { notifyAgents, stackInfoFile } from "../../dev/local/mod.ts";
import {
  addEvent,
  createDestination,
  createDue,
  createLeads,
  dispatchesOf,
  passTime,
  receiver,
  requestsOf,
  SECRET,
  workWith,
} from "./dispatches.ts";
import { requestWork, work } from "./texts.ts";

Deno.test("a lead reaches its agency's system, signed as the library of Standard Webhooks expects", async () => {
  const vendor = await createVendor();
  const order = await createOrder(vendor);
  const destination = await createDestination({ agency_id: order.agency_id });
  await sql`
    insert into private.destination_secrets (destination_id, kind, name, secret)
    values (${destination.id}, 'header', 'X-Api-Key', 'a key of theirs')`;
  const { body: { id: lead_id } } = await ingest(vendor, {
    first_name: "Ada",
    last_name: "Lovelace",
    email: "ada@example.com",
    phone: "+12025550123",
    state: "TX",
  });
  await notifyAgents(sql);
  await work();

  const [request, ...others] = requestsOf(destination);
  assert.deepEqual(others, []);
  const event = new Webhook(SECRET).verify(request!.body, request!.headers) as { timestamp: string; data: unknown };
  const [stored] = await sql`select * from public.recruiting_leads where id = ${lead_id}`;
  const [agent] = await sql`select * from public.agents where id = ${stored!.agent_id}`;
  assert.partialDeepStrictEqual(event, {
    type: "lead.distributed",
    data: {
      lead: {
        id: lead_id,
        vendor: { slug: vendor.slug, name: vendor.slug },
        first_name: "Ada",
        last_name: "Lovelace",
        email: "ada@example.com",
        phone: "+12025550123",
        state: "TX",
        received_at: stored!.created_at.toISOString(),
        answers: [],
        has_resume: false,
        link: `${DESK_URL}#/recruits/${lead_id}`,
      },
      order_id: order.id,
      agent: { id: agent!.id, first_name: agent!.first_name, last_name: agent!.last_name, email: null },
    },
  });
  assert.equal(request!.method, "POST");
  assert.equal(request!.headers["content-type"], "application/json");
  assert.equal(request!.headers["x-api-key"], "a key of theirs");
  const [dispatch] = await dispatchesOf(destination);
  assert.equal(request!.headers["webhook-id"], dispatch!.id);
  assert.partialDeepStrictEqual(dispatch, { state: "delivered", attempt: 1, status: 200, excerpt: "ok", reason: null });
});

Deno.test("what a receiver does decides what becomes of a dispatch, and one that is slow holds up no other", async () => {
  const cases = [
    [{ status: 202, delay_ms: 3_000 }, "delivered", 202, null],
    [{ bytes: 10_000_000 }, "delivered", 200, null],
    [{ status: 429, headers: { "retry-after": "7200" } }, "waiting", 429, "HTTP 429"],
    [{ status: 410 }, "failed", 410, "HTTP 410"],
  ] as const;
  const destinations = await Promise.all(cases.map(() => createDue()));
  const becomes = async (n: number) => {
    const [, state, status, reason] = cases[n]!;
    assert.partialDeepStrictEqual((await dispatchesOf(destinations[n]!))[0], { state, status, reason });
  };
  receiver.behave(({ path }) => cases[destinations.findIndex((destination) => destination.path === path)]![0]);
  const working = work();
  await eventually(10, () => Promise.all([1, 2, 3].map(becomes)).then(() => {}));
  assert.equal((await dispatchesOf(destinations[0]!))[0]!.state, "sending");
  assert.equal((await working).errors, 0);
  await becomes(0);
  const [, , busy, gone] = destinations;
  const [row] = await sql`select is_on from public.destinations where id = ${gone!.id}`;
  assert.equal(row!.is_on, false);
  const [waiting] = await dispatchesOf(busy!);
  assert(waiting!.due_at.getTime() - waiting!.first_due_at.getTime() >= 7_200_000, "Retry-After counts");
});

Deno.test("several workers send each event of a lead once, in their order, also where the first one has to be repeated", async () => {
  const due = await createDue({}, 5);
  await addEvent("recruit.replied", due.lead_ids, { text: { body: "Hi", received_at: "2026-11-24T20:00:00.000Z" } });
  receiver.behave({ status: 503, headers: { "retry-after": "60" } });
  await work();
  receiver.behave();
  const refused = requestsOf(due).length;
  for (let round = 0; round < 5; round++) {
    await passTime(due);
    await Promise.all([work(), work(), work()]);
  }
  const taken = requestsOf(due).slice(refused).map(({ body }) => JSON.parse(body));
  for (const lead_id of due.lead_ids) {
    const types = taken.filter(({ data }) => data.lead.id === lead_id).map(({ type }) => type);
    assert.deepEqual(types, ["lead.distributed", "recruit.replied"]);
  }
});

Deno.test("what a killed worker has sent is sent again by the same id", async () => {
  const due = await createDue();
  receiver.behave("hang");
  const working = requestWork().catch(() => {});
  await eventually(20, () => assert.equal(requestsOf(due).length, 1));
  await kill("gateway");
  await eventually(20, async () => assert.equal((await send("/worker/run")).status, 401));
  await working;
  receiver.behave();
  await work();
  assert.equal(requestsOf(due).length, 1, "its worker may still be sending it");
  await passTime(due);
  await work();
  const [first, second, ...others] = requestsOf(due).map(({ headers, body }) => [headers["webhook-id"], body]);
  assert.deepEqual([second, others], [first, []]);
  assert.partialDeepStrictEqual((await dispatchesOf(due))[0], { state: "delivered", attempt: 2 });
});

Deno.test("a template makes the body, and the receiver's words decide", async () => {
  const accepting = await createDue({
    template: "{name: data.lead.first_name, tags: ['recruit', type]}",
    accepted_when: "body.ok",
  });
  const vendor = await createVendor();
  const order = await createOrder(vendor);
  const rejecting = await createDestination({
    agency_id: order.agency_id,
    rejected_when: "body.error",
    returns_rejected: true,
  });
  const { body: { id: lead_id } } = await ingest(vendor, { first_name: "Ben" });
  await notifyAgents(sql);
  const unfit = await createDue({ template: "data.lead.no_such_field" });
  receiver.behave(({ path }) =>
    path === accepting.path
      ? { status: 200, body: '{"ok": true}' }
      : { status: 200, body: '{"error": "duplicate in our CRM"}' }
  );
  await work();

  assert.deepEqual(JSON.parse(requestsOf(accepting)[0]!.body), {
    name: "Lead 1",
    tags: ["recruit", "lead.distributed"],
  });
  assert.equal((await dispatchesOf(accepting))[0]!.state, "delivered");
  assert.partialDeepStrictEqual((await dispatchesOf(rejecting))[0], {
    state: "rejected",
    reason: "duplicate in our CRM",
    excerpt: '{"error": "duplicate in our CRM"}',
  });
  const [lead] = await sql`select distribution from public.recruiting_leads where id = ${lead_id}`;
  assert.equal(lead!.distribution, "returned");
  assert.partialDeepStrictEqual((await dispatchesOf(unfit))[0], { state: "failed", reason: "template" });
  assert.deepEqual(requestsOf(unfit), []);
});

Deno.test("only a local stack sends to an address of this machine, and no log has a part of the URL or of the response", async () => {
  const due = await createDue({ rejected_when: "body" });
  // The pause after a second attempt is longer than a run of the worker.
  await sql`update private.dispatches set attempt = 1 where destination_id = ${due.id}`;
  receiver.behave({ status: 422, body: '"private words"' });
  const lines = await consoleOf(() => workWith({ ALLOW_LOCAL_DESTINATIONS: "" }));
  assert.partialDeepStrictEqual((await dispatchesOf(due))[0], { state: "waiting", status: null, reason: "address" });
  assert.deepEqual(requestsOf(due), []);
  await passTime(due);
  lines.push(...await consoleOf(() => workWith({ ALLOW_LOCAL_DESTINATIONS: "on" })));
  const logged = lines.join("\n");
  assert.match(logged, /"event":"dispatch_not_delivered".*"outcome":"rejected","error_code":"HTTP 422"/);
  assert(!logged.includes("private") && !logged.includes(due.path) && !logged.includes("Lead 1"), logged);
});

/** The e-mails that the stack has kept to an address, the oldest first. */
function mailsTo(address: string): string[] {
  const folder = join(dirname(stackInfoFile()), "mail");
  return Array.from(Deno.readDirSync(folder), ({ name }) => name).sort()
    .map((name) => Deno.readTextFileSync(join(folder, name)))
    .filter((mail) => mail.includes(`To: ${address}\n`));
}

Deno.test("a lead reaches an e-mail address, once for each dispatch", async () => {
  const address = `leads-${crypto.randomUUID()}@example.com`;
  const destination = await createDestination({ kind: "email", url: null, address });
  const lead_ids = await createLeads(destination, 2);
  await addEvent("lead.distributed", lead_ids);
  await workWith({ RESEND_API_KEY: "" });
  for (const { state, attempt } of await dispatchesOf(destination)) assert.deepEqual([state, attempt], ["waiting", 0]);

  await work();
  const mails = mailsTo(address);
  assert.equal(mails.length, 2);
  assert.match(mails[0]!, /^Subject: New lead: Lead \d$/m);
  assert.match(mails[0]!, /^Phone: \+1202555000\d$/m);
  assert(lead_ids.some((id) => mails[0]!.includes(`${DESK_URL}#/recruits/${id}`)), mails[0]);

  // As if the worker had died before it recorded this.
  await sql`
    update private.dispatches set state = 'waiting', delivered_at = null, ended_at = null
    where destination_id = ${destination.id}`;
  await work();
  assert.equal(mailsTo(address).length, 2);
});
