/** A receiver is notified of alerts, over real HTTP. */
import assert from "node:assert/strict";
import { checkAlerts } from "../support/alerts.ts";
import { send, sql } from "../support/client.ts";
import { eventually } from "../support/processes.ts";
import { Scheduler } from "../../dev/local/mod.ts";
import { ALERT_SECRET, DESK_URL } from "../../dev/testing/alert_receiver.ts";
import { isAlert } from "../../docs/examples/verify_alert.js";
import { tableLock, whileHeld } from "../../dev/testing/faults/database.ts";
import { kill } from "../../dev/testing/faults/parts.ts";
import { createConversation, queueText, requestWork, sentBodies, work } from "./texts.ts";
import { lastRequest, launcher, openAlert, passTime, receiver, resolveAlert, signatureOf, statesOf } from "./alerts.ts";

Deno.test("the receiver is notified once when an alert opens and once when it ends, by two schedulers and five workers", async () => {
  const phone = await openAlert();
  const schedulers = [1, 2].map(() => new Scheduler({ ...launcher, askEvery: 20, isConfigured: true }));
  try {
    await Promise.all(Array.from({ length: 5 }, () => requestWork()));
    await eventually(15, () => assert.deepEqual(statesOf(phone), ["open"]));
    await resolveAlert(phone);
    await Promise.all(Array.from({ length: 5 }, () => requestWork()));
    await eventually(15, () => assert.deepEqual(statesOf(phone), ["open", "resolved"]));
    await Promise.all(Array.from({ length: 5 }, () => requestWork()));
    assert.deepEqual(statesOf(phone), ["open", "resolved"]);
  } finally {
    await Promise.all(schedulers.map((scheduler) => scheduler.stop()));
  }
});

Deno.test("a request says what began, since when, and is signed as Standard Webhooks", async () => {
  const phone = await openAlert();
  await work();
  const { method, headers, body } = lastRequest();
  const [alert] = await sql`select * from public.alerts where subject = ${phone}`;
  const { text, ...told } = JSON.parse(body);
  assert.deepEqual(told, {
    kind: "number_paused",
    subject: phone,
    state: "open",
    since: alert!.opened_at.toISOString(),
    link: `${DESK_URL}#/operator`,
    details: { agency: "An agency under test" },
  });
  assert.match(text, /^[A-Z].*\.$/);
  assert.equal(method, "POST");
  assert.equal(headers["content-type"], "application/json");
  const [dispatch] = await sql`select id from private.dispatches where alert_ids = ${[alert!.id]}`;
  assert.equal(headers["webhook-id"], dispatch!.id);
  assert(Math.abs(Number(headers["webhook-timestamp"]) - Date.now() / 1000) < 60);
  assert.equal(headers["webhook-signature"], `v1,${signatureOf(lastRequest(), ALERT_SECRET)}`);
});

Deno.test("the example of the docs takes an alert, and nothing that was forged or recorded", async () => {
  await openAlert();
  await work();
  const { headers, body } = lastRequest();
  assert(isAlert(headers, body, ALERT_SECRET));
  const old = String(Math.floor(Date.now() / 1000) - 301);
  const recorded = { ...headers, "webhook-timestamp": old };
  const forgeries: [Record<string, string>, string, string?][] = [
    [headers, `${body} `],
    [{ ...headers, "webhook-id": crypto.randomUUID() }, body],
    [{ ...headers, "webhook-signature": "v1,AAAA" }, body],
    [{}, body],
    [{ ...recorded, "webhook-signature": `v1,${signatureOf({ headers: recorded, body }, ALERT_SECRET)}` }, body],
    [headers, body, `whsec_${btoa("another secret of 24 bytes or more")}`],
  ];
  for (const [headers, body, secret = ALERT_SECRET] of forgeries) assert(!isAlert(headers, body, secret));
});

Deno.test("a receiver that is away is notified when it is back, and of all at once", async () => {
  const phones = [await openAlert(), await openAlert(), await openAlert()];
  await receiver.stop();
  for (let time = 0; time < 3; time++) {
    assert.equal((await work()).errors, 0);
    await passTime();
  }
  await work();
  const [waiting] = await sql`select * from private.dispatches where event = 'alert.opened' and due_at > now() limit 1`;
  assert.partialDeepStrictEqual(waiting, { state: "waiting", reason: "no_connection" });

  await receiver.start();
  phones.push(await openAlert());
  await work();
  for (const phone of phones) assert.deepEqual(statesOf(phone), ["open"]);
});

Deno.test("nothing is sent about an alert that ends before anything went out", async () => {
  const early = await openAlert();
  await resolveAlert(early);
  await work();
  const away = await openAlert();
  receiver.behave({ status: 503 });
  await work();
  await resolveAlert(away);
  receiver.behave();
  await passTime();
  await work();
  assert.deepEqual([statesOf(early), statesOf(away)], [[], ["open"]]);
});

Deno.test("the end of an alert is sent where the receiver may know that it began", async () => {
  const phone = await openAlert();
  receiver.behave("drop");
  await work();
  await resolveAlert(phone);
  receiver.behave();
  await passTime();
  await work();
  assert.deepEqual(statesOf(phone), ["open", "resolved"]);
});

Deno.test("the end of an alert comes before the next one of its subject", async () => {
  const phone = await openAlert();
  await work();
  receiver.behave({ status: 500 });
  await resolveAlert(phone);
  await work();
  await sql`update public.service_numbers set status = 'paused' where phone = ${phone}`;
  await checkAlerts();
  await work();
  receiver.behave();
  await passTime();
  await work();
  assert.deepEqual(statesOf(phone), ["open", "resolved", "resolved", "open"]);
});

Deno.test("a response of 10 MB is not read", async () => {
  const phone = await openAlert();
  receiver.behave({ bytes: 10_000_000 });
  await work();
  await work();
  assert.deepEqual(statesOf(phone), ["open"]);
  const [dispatch] = await sql`select state, status from private.dispatches where event = 'alert.opened'`;
  assert.deepEqual({ ...dispatch }, { state: "delivered", status: 200 });
});

Deno.test("what a killed worker has claimed or sent is sent again by the same id", async () => {
  const claimed = await openAlert();
  const [dead] = await sql`select public.claim_dispatches(5, false, true) as claim`;
  const id = dead!.claim.dispatches[0].id;
  await work();
  assert.deepEqual(statesOf(claimed), [], "its worker may still send it");
  await passTime();
  await work();
  assert.equal(lastRequest().headers["webhook-id"], id);

  const sent = await openAlert();
  receiver.behave("hang");
  const working = requestWork().catch(() => {});
  await eventually(10, () => assert.deepEqual(statesOf(sent), ["open"]));
  const first = lastRequest();
  await kill("gateway");
  await eventually(20, async () => assert.equal((await send("/worker/run")).status, 401));
  await working;
  receiver.behave();
  await passTime();
  await work();
  assert.deepEqual(statesOf(sent), ["open", "open"]);
  assert.equal(lastRequest().headers["webhook-id"], first.headers["webhook-id"]);
});

Deno.test("texts go out while the receiver and the monitor hang", async () => {
  await openAlert();
  await sql`update private.job_runs set heartbeat_at = null`;
  receiver.behave("hang");
  const conversation = await createConversation();
  await queueText(conversation, "Hi");
  const working = work();
  await eventually(10, () => assert.equal(receiver.requests.filter(({ path }) => path === "/alerts").length > 0, true));
  await eventually(3, () => assert.deepEqual(sentBodies(conversation), ["Hi"]));
  const later = await createConversation();
  await queueText(later, "Later");
  const again = work();
  await eventually(3, () => assert.deepEqual(sentBodies(later), ["Later"]));
  assert.deepEqual([(await working).errors, (await again).errors], [0, 0]);
});

Deno.test("texts go out while dispatches are locked", async () => {
  await openAlert();
  const conversation = await createConversation();
  await queueText(conversation, "Hi");
  let working: Promise<Record<string, number>> | undefined;
  await whileHeld(tableLock("private.dispatches"), async () => {
    working = work();
    await eventually(3, () => assert.deepEqual(sentBodies(conversation), ["Hi"]));
  });
  assert.equal((await working)!.errors, 0);
});

Deno.test("a launcher finds what begins, and sends it within 15 seconds after the alert was opened", async () => {
  const scheduler = new Scheduler({ ...launcher, isConfigured: true });
  try {
    const phone = await openAlert();
    await eventually(15, () => assert.deepEqual(statesOf(phone), ["open"]));
  } finally {
    await scheduler.stop();
  }
});

Deno.test("a monitor learns once that alerts are checked, and not while they are not", async () => {
  const beats = () => receiver.requests.filter(({ path }) => path === "/heartbeat").map(({ method }) => method);
  await checkAlerts();
  await sql`update private.job_runs set heartbeat_at = null where job = 'check alerts'`;
  const before = beats().length;
  await Promise.all(Array.from({ length: 5 }, () => requestWork()));
  assert.deepEqual(beats().slice(before), ["GET"]);
  await checkAlerts();
  await work();
  assert.equal(beats().length, before + 1, "not before 5 minutes are over");

  await sql`
    update private.job_runs
    set heartbeat_at = now() - interval '6 minutes', ended_at = now() - interval '7 minutes'`;
  await work();
  assert.equal(beats().length, before + 1, "no check has completed");
  await checkAlerts();
  await work();
  assert.equal(beats().length, before + 2);
});
