/** A receiver is notified of alerts, over real HTTP: once of each, whatever happens, and by the settings of the worker. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { admin } from "../support/admin.ts";
import { checkAlerts } from "../support/alerts.ts";
import { sql, stack } from "../support/client.ts";
import { consoleOf, functionWith } from "../support/function.ts";
import { eventually } from "../support/processes.ts";
import { Scheduler } from "../../dev/local/mod.ts";
import { ALERT_SECRET, DESK_URL } from "../../dev/testing/alert_receiver.ts";
import { isAlert } from "../../docs/examples/verify_alert.js";
import { receiver } from "./alert_receiver.ts";
import { createConversation, createSender, double, queueText, requestWork, sentBodies, work } from "./texts.ts";

/** A test with no alert, and with no rule but that of paused numbers, since other tests leave recruits who wait, and more. */
function alertTest(name: string, run: () => Promise<void>): void {
  Deno.test(name, async () => {
    receiver.behave();
    await sql`update public.alert_rules set is_on = kind = 'number_paused'`;
    await sql`update public.service_numbers set status = 'active' where status = 'paused'`;
    await sql`delete from public.alerts`;
    await sql`delete from private.dispatches where event like 'alert.%' or event = 'test'`;
    try {
      await run();
    } finally {
      await sql`update public.alert_rules set is_on = true`;
    }
  });
}

/** Makes a number that is paused, and opens its alert. Returns the number, which is the alert's subject. */
async function openAlert(): Promise<string> {
  const { phone } = await createSender();
  await sql`update public.service_numbers set status = 'paused' where phone = ${phone}`;
  await checkAlerts();
  return phone;
}

async function resolveAlert(phone: string): Promise<void> {
  await sql`update public.service_numbers set status = 'active' where phone = ${phone}`;
  await checkAlerts();
}

/** Lets the time pass until each delivery is due again, or its worker counts as dead. */
const passTime = () =>
  sql`
    update private.dispatches
    set due_at = least(due_at, now()), lease_until = case when lease_until is not null then now() end
    where state in ('waiting', 'sending')`;

/** The states of which the receiver was notified, each repetition too. */
const statesOf = (subject: string) => receiver.bodiesAbout(subject).map(({ state }) => state);

/** The last request about an alert. */
const lastRequest = () => receiver.requests.filter(({ path }) => path === "/alerts").at(-1)!;

/** Where a launcher finds the stack. */
const launcher = { dbUrl: stack.db_url, functionsUrl: stack.functions_url, key: stack.worker_key };

/** Calls the worker with these settings, in the test's own process. */
async function workWith(settings: Record<string, string>) {
  const worker = await functionWith("worker", {
    ...double.settings,
    ...receiver.settings,
    DESK_URL: "",
    WORKER_KEY: "key",
    ...settings,
  });
  return await worker("/worker/run", { headers: { authorization: "Bearer key" } });
}

/** The signature, from the words of the specification alone. */
function signatureOf(
  { headers, body }: { headers: Record<string, string>; body: string },
  secret: string,
): string {
  return createHmac("sha256", atob(secret.slice("whsec_".length)))
    .update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.`).update(body).digest("base64");
}

alertTest(
  "the receiver is notified once when an alert opens and once when it ends, by two schedulers and five workers",
  async () => {
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
  },
);

alertTest("a request says what began, since when, and is signed as Standard Webhooks", async () => {
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

alertTest("the example of the docs takes an alert, and nothing that was forged or recorded", async () => {
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

alertTest("a receiver that is away is notified when it is back, and of all at once", async () => {
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

alertTest(
  "nothing is sent about an alert that ends before anything went out; its end is, where the receiver may know that it began",
  async () => {
    const early = await openAlert();
    await resolveAlert(early);
    await work();
    const [refused, lost] = [await openAlert(), await openAlert()];
    receiver.behave(({ body }) => body.includes(lost) ? "drop" : { status: 503 });
    await work();
    await resolveAlert(refused);
    await resolveAlert(lost);
    receiver.behave();
    await passTime();
    await work();
    assert.deepEqual([early, refused, lost].map(statesOf), [[], ["open"], ["open", "resolved"]]);
  },
);

alertTest("texts go out while the receiver and the monitor are slow", async () => {
  await openAlert();
  await sql`update private.job_runs set heartbeat_at = null`;
  receiver.behave({ status: 200, delay_ms: 4_000 });
  const conversation = await createConversation();
  await queueText(conversation, "Hi");
  const working = work();
  await eventually(3, () => assert.deepEqual(sentBodies(conversation), ["Hi"]));
  await eventually(3, () => assert(receiver.requests.some(({ path }) => path === "/alerts")));
  await queueText(conversation, "Later");
  const again = work();
  await eventually(3, () => assert.deepEqual(sentBodies(conversation), ["Hi", "Later"]));
  assert.deepEqual([(await working).errors, (await again).errors], [0, 0]);
});

alertTest("a monitor learns once that alerts are checked, and not while they are not", async () => {
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

alertTest(
  "without a URL nothing is sent or asked; once it is set open alerts are sent, also where texting is not set up",
  async () => {
    const phone = await openAlert();
    const before = receiver.requests.length;
    await workWith({ ALERT_WEBHOOK_URL: "", ALERT_HEARTBEAT_URL: "" });
    await checkAlerts();
    assert.equal(receiver.requests.length, before);
    const due = () => sql`select private.is_alert_due() as due`.then(([row]) => row!.due);
    assert.equal(await due(), false, "the worker is not called for nothing");
    await sql`update private.sending_settings set asked_at = now() - interval '6 minutes' where name = 'alerts'`;
    assert.equal(await due(), true, "but it is asked again");
    assert.equal((await workWith({ TWILIO_ACCOUNT_SID: "" })).status, 200);
    const other = await openAlert();
    await queueText(await createConversation(), "Hi");
    assert.equal((await workWith({ TWILIO_API_SECRET: "" })).status, 500);
    assert.deepEqual([statesOf(phone), statesOf(other)], [["open"], ["open"]]);
    await work();
  },
);

alertTest("a wrong setting is named in the log, never shown, and holds up no text", async () => {
  const url = "must be an https URL without a user name, or an http URL of localhost or 127.0.0.1";
  for (
    const [name, value, message] of [
      ["ALERT_WEBHOOK_URL", "https://user:private@hooks.example/T0", `ALERT_WEBHOOK_URL ${url}`],
      ["ALERT_HEARTBEAT_URL", "http://private.example/ping", `ALERT_HEARTBEAT_URL ${url}`],
    ] as const
  ) {
    const conversation = await createConversation();
    await queueText(conversation, "Hi");
    const lines = await consoleOf(async () => {
      const { status, body } = await workWith({ [name]: value });
      assert.deepEqual([status, body.accepted, body.errors], [200, 1, 1]);
    });
    const errors = lines.filter((line) => line.includes('"level":"error"'));
    assert.equal(errors.length, 1, errors.join());
    assert(errors[0]!.includes(message), errors[0]);
    assert(!lines.join().includes("private"), lines.join());
    assert.deepEqual(sentBodies(conversation), ["Hi"]);
  }
});

alertTest("the log of a receiver that fails has no part of its URL", async () => {
  await openAlert();
  receiver.behave({ status: 500 });
  const { ALERT_WEBHOOK_URL } = receiver.settings;
  const lines = await consoleOf(() => workWith({ ALERT_WEBHOOK_URL: `${ALERT_WEBHOOK_URL}/T0-private?token=private` }));
  await passTime();
  lines.push(...await consoleOf(() => workWith({ ALERT_WEBHOOK_URL: "https://private.invalid/alerts" })));
  const logged = lines.join("\n");
  assert.match(logged, /"event":"alert_not_delivered".*"kind":"number_paused","error_code":"HTTP 500"/);
  assert.match(logged, /"event":"alert_not_delivered".*"error_code":"no_address"/);
  assert(!logged.includes("private") && !logged.includes("/alerts"), logged);
});

alertTest("the command alert test shows what the receiver responds", async () => {
  const scheduler = new Scheduler({ ...launcher, askEvery: 50, isConfigured: true });
  try {
    assert.partialDeepStrictEqual(await admin("alert test"), {
      code: 0,
      out: "The receiver has taken the test: HTTP 200, ok.\n",
    });
    assert.partialDeepStrictEqual(JSON.parse(lastRequest().body), { kind: "test", subject: "test", state: "open" });
    receiver.behave({ status: 302, headers: { location: "/elsewhere" } });
    assert.partialDeepStrictEqual(await admin("alert test"), {
      code: 1,
      err: "The receiver has not taken the test: HTTP 302, ok",
    });
    await receiver.stop();
    assert.partialDeepStrictEqual(await admin("alert test"), {
      code: 1,
      err: "The receiver has not taken the test: no_connection",
    });
  } finally {
    await scheduler.stop();
    await receiver.start();
  }
});
