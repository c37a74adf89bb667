/** Events reach the systems of agencies, over real sockets. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { Webhook } from "standardwebhooks";
import { DESK_URL } from "../../dev/testing/alert_receiver.ts";
import { signInNewAgent } from "../support/agents.ts";
import { ingest } from "../support/applications.ts";
import { createOrder, createVendor, sql } from "../support/client.ts";
import { consoleOf } from "../support/function.ts";
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
import { work } from "./texts.ts";

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

Deno.test("what a receiver does decides what becomes of a dispatch", async () => {
  const closed = await createDue({ url: "http://127.0.0.1:1/" });
  const cases = [
    [{ status: 202 }, "delivered", 202, null],
    [{ status: 302, headers: { location: `${receiver.url}/elsewhere` } }, "waiting", 302, "HTTP 302"],
    [{ status: 429, headers: { "retry-after": "7200" } }, "waiting", 429, "HTTP 429"],
    [{ status: 500 }, "waiting", 500, "HTTP 500"],
    [{ status: 410 }, "failed", 410, "HTTP 410"],
    [{ bytes: 10_000_000 }, "delivered", 200, null],
    ["hang", "waiting", null, "timeout"],
    ["drop", "waiting", null, "lost"],
  ] as const;
  const destinations = await Promise.all(cases.map(() => createDue()));
  receiver.behave(({ path }) => cases[destinations.findIndex((destination) => destination.path === path)]![0]);
  assert.equal((await work()).errors, 0);

  for (const [n, [behaviour, state, status, reason]] of cases.entries()) {
    const destination = destinations[n]!;
    const [dispatch] = await dispatchesOf(destination);
    assert.partialDeepStrictEqual(dispatch, { state, status, reason }, JSON.stringify(behaviour));
    const ids = requestsOf(destination).map(({ headers }) => headers["webhook-id"]);
    assert.deepEqual(new Set(ids), new Set([dispatch!.id]), "each attempt has the same id");
    const [row] = await sql`select is_on from public.destinations where id = ${destination.id}`;
    assert.equal(row!.is_on, status !== 410);
  }
  assert.partialDeepStrictEqual((await dispatchesOf(closed))[0], { state: "waiting", reason: "no_connection" });
  const paths = new Set(receiver.requests.map(({ path }) => path));
  assert.deepEqual(paths, new Set(destinations.map(({ path }) => path)), "no redirect was followed");
  const [waiting] = await dispatchesOf(destinations[2]!);
  assert(waiting!.due_at.getTime() - waiting!.first_due_at.getTime() >= 7_200_000, "Retry-After counts");
});

Deno.test("the events of a lead arrive in their order, also where the first one has to be repeated", async () => {
  const due = await createDue({}, 2);
  await addEvent("recruit.replied", due.lead_ids, { text: { body: "Hi", received_at: "2026-11-24T20:00:00.000Z" } });
  receiver.behave({ status: 503, headers: { "retry-after": "60" } });
  await work();
  receiver.behave();
  for (let round = 0; round < 5; round++) {
    await passTime(due);
    await work();
  }
  for (const lead_id of due.lead_ids) {
    const types = requestsOf(due).map(({ body }) => JSON.parse(body)).filter(({ data }) => data.lead.id === lead_id)
      .map(({ type }) => type);
    assert.deepEqual(types.filter((type, n) => type !== types[n - 1]), ["lead.distributed", "recruit.replied"]);
    assert.equal(types.filter((type) => type === "recruit.replied").length, 1);
  }
});

Deno.test("a receiver that is dead for days gets each dispatch eight times, and then it has failed", async () => {
  const due = await createDue();
  receiver.behave({ status: 500, body: "down" });
  for (let day = 0; day < 10; day++) {
    await passTime(due);
    await work();
  }
  const [dispatch] = await dispatchesOf(due);
  assert.partialDeepStrictEqual(dispatch, { state: "failed", attempt: 8, excerpt: "down", reason: "HTTP 500" });
  assert.equal(requestsOf(due).length, 8);

  await sql`
    update public.destinations set failing_since = now() - interval '5 days 1 minute' where id = ${due.id}`;
  await addEvent("lead.returned", due.lead_ids, { reason: "wrong number" });
  await work();
  const [destination] = await sql`select is_on, off_reason from public.destinations where id = ${due.id}`;
  assert.equal(destination!.is_on, false);
  assert.match(destination!.off_reason, /five days/);
  await passTime(due);
  await work();
  assert.equal(requestsOf(due).length, 9, "nothing is sent while it is off");
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

Deno.test("only a local stack sends to an address of this machine", async () => {
  const due = await createDue();
  await workWith({ ALLOW_LOCAL_DESTINATIONS: "" });
  assert.partialDeepStrictEqual((await dispatchesOf(due))[0], { state: "waiting", status: null, reason: "address" });
  assert.deepEqual(requestsOf(due), []);
});

Deno.test("the log of a receiver that fails has no part of its URL or its words", async () => {
  const due = await createDue({ rejected_when: "body" });
  receiver.behave({ status: 422, body: '"private words"' });
  const lines = await consoleOf(() => workWith({ ALLOW_LOCAL_DESTINATIONS: "on" }));
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

Deno.test("an agent gets e-mails by choice, with the first name of the recruit alone", async () => {
  const vendor = await createVendor();
  const { agency_id, agent_ids } = await createOrder(vendor);
  await sql`update public.agents set accepts_recruits = false where id = ${agent_ids[0]!}`;
  const { client, agent_id, email } = await signInNewAgent(agency_id);
  await sql`update public.agents set email = ${email}, accepts_recruits = true where id = ${agent_id}`;
  assert.equal((await client.rpc("set_my_mail", { about: ["lead"] })).error, null);
  const lead = { last_name: "Lovelace", email: "private@example.com", phone: "+12025550124" };
  const { body: { id } } = await ingest(vendor, { first_name: "Ada", ...lead });
  await notifyAgents(sql);
  await work();
  const [mail, ...others] = mailsTo(email);
  assert.deepEqual(others, []);
  assert.equal(
    mail!.replace(/^From: .*\n/, ""),
    `To: ${email}\nSubject: Ada is a new recruit\n\nName: Ada\n\n${DESK_URL}#/recruits/${id}\n`,
  );

  await ingest(vendor, { first_name: "Ben", ...lead });
  await ingest(vendor, { first_name: "Cyd", ...lead });
  await notifyAgents(sql);
  await work();
  assert.equal(mailsTo(email).length, 1, "at most one in five minutes");
  await sql`
    update private.dispatches p set due_at = now() from public.destinations d
    where d.id = p.destination_id and d.agent_id = ${agent_id} and p.state = 'waiting'`;
  await work();
  assert.match(mailsTo(email)[1]!, /^Subject: (Ben|Cyd) \(and 1 more\) is a new recruit$/m);
});
