/** Alerts are told to a receiver, over real HTTP. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { admin } from "../support/admin.ts";
import { send, sql, stack } from "../support/client.ts";
import { consoleOf, functionWith } from "../support/function.ts";
import { eventually } from "../support/processes.ts";
import { Scheduler } from "../../dev/local/mod.ts";
import { ALERT_SECRET, AlertReceiver, type Behaviour } from "../../dev/testing/alert_receiver.ts";
import { isAlert } from "../../docs/examples/verify_alert.js";
import { tableLock, whileHeld } from "../../dev/testing/faults/database.ts";
import { kill } from "../../dev/testing/faults/parts.ts";
import { createConversation, createSender, double, queueText, requestWork, sentBodies, work } from "./texts.ts";

const receiver = await AlertReceiver.start();
Deno.test.afterAll(async () => {
  await receiver.stop();
  await sql`update public.alert_rules set is_on = true`;
});
Deno.test.beforeEach(async () => {
  receiver.behave();
  // Other tests leave recruits who wait, and more.
  await sql`update public.alert_rules set is_on = kind = 'number_paused'`;
  await sql`update public.service_numbers set status = 'active' where status = 'paused'`;
  await sql`delete from public.alerts`;
  await sql`delete from private.alert_deliveries`;
});

/** Makes a number that is paused, and opens its alert. Returns the number, which is the alert's subject. */
async function openAlert(): Promise<string> {
  const { phone } = await createSender();
  await sql`update public.service_numbers set status = 'paused' where phone = ${phone}`;
  await check();
  return phone;
}

async function resolveAlert(phone: string): Promise<void> {
  await sql`update public.service_numbers set status = 'active' where phone = ${phone}`;
  await check();
}

/** Checks the alerts, also where a scheduler is doing so: its check may have begun too early. */
async function check(): Promise<void> {
  await eventually(10, async () => {
    const [row] = await sql`select private.check_alerts() as checked`;
    assert.notEqual(row!.checked, null);
  });
}

/** Lets the time pass until each delivery is due again, or its worker counts as dead. */
const passTime = () =>
  sql`
    update private.alert_deliveries
    set due_at = least(due_at, now()), lease_until = case when lease_until is not null then now() end
    where state = 'pending'`;

/** The states of which the receiver was told, each repetition too. */
const statesOf = (subject: string) => receiver.toldOf(subject).map(({ state }) => state);

/** The last request about an alert. */
const lastRequest = () => receiver.requests.filter(({ path }) => path === "/alerts").at(-1)!;

/** Where a launcher finds the stack. */
const launcher = { dbUrl: stack.db_url, functionsUrl: stack.functions_url, key: stack.texting_worker_key };

/** Calls the worker with these settings, in the test's own process. */
async function workWith(settings: Record<string, string>) {
  const texting = await functionWith("texting", {
    ...double.settings,
    ...receiver.settings,
    DESK_URL: "",
    TEXTING_WORKER_KEY: "key",
    ...settings,
  });
  return await texting("/texting/work", { headers: { authorization: "Bearer key" } });
}

Deno.test("an alert is told once when it opens and once when it ends, by two schedulers and five workers", async () => {
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
    link: `${stack.api_url}/desk/#/operator`,
    details: {},
  });
  assert.match(text, /^[A-Z].*\.$/);
  assert.equal(method, "POST");
  assert.equal(headers["content-type"], "application/json");
  const [delivery] = await sql`select * from private.alert_deliveries where alert_id = ${alert!.id}`;
  assert.equal(headers["webhook-id"], delivery!.id);
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

/** The signature, from the words of the specification alone. */
function signatureOf({ headers, body }: { headers: Record<string, string>; body: string }, secret: string): string {
  return createHmac("sha256", atob(secret.slice("whsec_".length)))
    .update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.`).update(body).digest("base64");
}

Deno.test("without a secret nothing is signed, with two each signs; without DESK_URL there is no link", async () => {
  const other = `whsec_${btoa("another secret of 24 bytes or more")}`;
  await openAlert();
  await workWith({ ALERT_WEBHOOK_SECRET: "", DESK_URL: "https://desk.example.com/" });
  assert.equal(lastRequest().headers["webhook-signature"], undefined);
  assert.equal(JSON.parse(lastRequest().body).link, "https://desk.example.com/#/operator");
  await openAlert();
  await workWith({ ALERT_WEBHOOK_SECRET: `${ALERT_SECRET}, ${other}` });
  assert.equal(JSON.parse(lastRequest().body).link, null);
  const signed = [ALERT_SECRET, other].map((secret) => `v1,${signatureOf(lastRequest(), secret)}`);
  assert.equal(lastRequest().headers["webhook-signature"], signed.join(" "));
});

for (
  const [name, behaviour] of Object.entries<Behaviour>({
    "answers 500": { status: 500 },
    "answers 429": { status: 429, headers: { "retry-after": "1" } },
    "redirects": { status: 307, headers: { location: "/elsewhere" } },
    "closes the connection": "drop",
    "hangs": "hang",
  })
) {
  Deno.test(`a receiver that ${name} is told again, by the same id and body, and of the end`, async () => {
    const phone = await openAlert();
    receiver.behave(behaviour);
    await work();
    assert.deepEqual(statesOf(phone), ["open"]);
    await work();
    assert.deepEqual(statesOf(phone), ["open"], "not at once");
    const first = lastRequest();
    assert(!receiver.requests.some(({ path }) => path === "/elsewhere"), "no redirect is followed");

    receiver.behave();
    await passTime();
    await work();
    const second = lastRequest();
    assert.deepEqual([second.headers["webhook-id"], second.body], [first.headers["webhook-id"], first.body]);
    await passTime();
    await work();
    assert.deepEqual(statesOf(phone), ["open", "open"]);
    await resolveAlert(phone);
    await work();
    assert.deepEqual(statesOf(phone), ["open", "open", "resolved"]);
  });
}

Deno.test("a receiver that is away is told when it is back, and of all at once", async () => {
  const phones = [await openAlert(), await openAlert(), await openAlert()];
  await receiver.stop();
  for (let time = 0; time < 3; time++) {
    assert.equal((await work()).errors, 0);
    await passTime();
  }
  await work();
  const [waiting] = await sql`select * from private.alert_deliveries where due_at > now() limit 1`;
  assert.partialDeepStrictEqual(waiting, { state: "pending", outcome: "no_connection" });

  await receiver.start();
  phones.push(await openAlert());
  await work();
  for (const phone of phones) assert.deepEqual(statesOf(phone), ["open"]);
});

Deno.test("of an alert that ends before anything went out nothing is told", async () => {
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

Deno.test("the end of an alert is told where the receiver may know that it began", async () => {
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
  await check();
  await work();
  receiver.behave();
  await passTime();
  await work();
  assert.deepEqual(statesOf(phone), ["open", "resolved", "resolved", "resolved", "open"]);
});

Deno.test("a response of 10 MB is not read", async () => {
  const phone = await openAlert();
  receiver.behave({ bytes: 10_000_000 });
  await work();
  await work();
  assert.deepEqual(statesOf(phone), ["open"]);
  const [delivery] = await sql`select state, outcome from private.alert_deliveries`;
  assert.deepEqual({ ...delivery }, { state: "delivered", outcome: "HTTP 200" });
});

Deno.test("what a killed worker has claimed or sent is told again by the same id", async () => {
  const claimed = await openAlert();
  const [dead] = await sql`select public.claim_alert_deliveries(5, true, false) as claim`;
  const id = dead!.claim.deliveries[0].id;
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
  await eventually(20, async () => assert.equal((await send("/texting/work")).status, 401));
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

Deno.test("texts go out while the deliveries of alerts are locked", async () => {
  await openAlert();
  const conversation = await createConversation();
  await queueText(conversation, "Hi");
  let working: Promise<Record<string, number>> | undefined;
  await whileHeld(tableLock("private.alert_deliveries"), async () => {
    working = work();
    await eventually(3, () => assert.deepEqual(sentBodies(conversation), ["Hi"]));
  });
  assert.equal((await working)!.errors, 0);
});

Deno.test("a launcher finds what begins, and tells it within 15 seconds after the alert was opened", async () => {
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
  await check();
  await sql`update private.job_runs set heartbeat_at = null where job = 'check alerts'`;
  const before = beats().length;
  await Promise.all(Array.from({ length: 5 }, () => requestWork()));
  assert.deepEqual(beats().slice(before), ["GET"]);
  await check();
  await work();
  assert.equal(beats().length, before + 1, "not before 5 minutes are over");

  await sql`
    update private.job_runs
    set heartbeat_at = now() - interval '6 minutes', ended_at = now() - interval '7 minutes'`;
  await work();
  assert.equal(beats().length, before + 1, "no check has completed");
  await check();
  await work();
  assert.equal(beats().length, before + 2);
});

Deno.test("without a URL nothing is sent or asked, and open alerts are told once it is set", async () => {
  const phone = await openAlert();
  const off = { ALERT_WEBHOOK_URL: "", ALERT_HEARTBEAT_URL: "" };
  const before = receiver.requests.length;
  await workWith(off);
  await check();
  assert.equal(receiver.requests.length, before);
  assert.equal(
    (await sql`select private.is_alert_due() as due`)[0]!.due,
    false,
    "the worker is not called for nothing",
  );
  await sql`update private.alert_receivers set asked_at = now() - interval '6 minutes'`;
  assert.equal((await sql`select private.is_alert_due() as due`)[0]!.due, true, "but it is asked again");
  await workWith({});
  assert.deepEqual(statesOf(phone), ["open"]);
});

Deno.test("where texting is not set up, alerts are told all the same", async () => {
  const phone = await openAlert();
  const { status } = await workWith({ TWILIO_ACCOUNT_SID: "" });
  assert.equal(status, 200);
  const other = await openAlert();
  await queueText(await createConversation(), "Hi");
  assert.equal((await workWith({ TWILIO_ACCOUNT_SID: "" })).status, 500);
  assert.equal((await workWith({ TWILIO_API_SECRET: "" })).status, 500);
  assert.deepEqual([statesOf(phone), statesOf(other)], [["open"], ["open"]]);
  await work();
});

Deno.test("a wrong setting is named in the log, never shown, and holds up no text", async (test) => {
  const url = "must be an https URL without a user name, or an http URL of localhost or 127.0.0.1";
  const secret = "ALERT_WEBHOOK_SECRET must be whsec_ and 24 to 64 bytes in base64";
  for (
    const [name, value, message] of [
      ["ALERT_WEBHOOK_URL", "hooks.private.example/T0", `ALERT_WEBHOOK_URL ${url}`],
      ["ALERT_WEBHOOK_URL", "http://hooks.private.example/T0", `ALERT_WEBHOOK_URL ${url}`],
      ["ALERT_WEBHOOK_URL", "https://user:private@hooks.example/T0", `ALERT_WEBHOOK_URL ${url}`],
      ["ALERT_WEBHOOK_URL", "ftp://127.0.0.1/private", `ALERT_WEBHOOK_URL ${url}`],
      ["ALERT_HEARTBEAT_URL", "http://private.example/ping", `ALERT_HEARTBEAT_URL ${url}`],
      ["DESK_URL", "private.example", `DESK_URL ${url}`],
      ["ALERT_WEBHOOK_SECRET", "private", secret],
      ["ALERT_WEBHOOK_SECRET", "whsec_cHJpdmF0ZQ==", secret],
      ["ALERT_WEBHOOK_SECRET", `${ALERT_SECRET},whsec_`, secret],
    ] as const
  ) {
    await test.step(`${name} ${value}`, async () => {
      await openAlert();
      const conversation = await createConversation();
      await queueText(conversation, "Hi");
      const lines = await consoleOf(async () => {
        const { status, body } = await workWith({ [name]: value });
        assert.deepEqual([status, body.accepted, body.errors], [200, 1, 1]);
      });
      const errors = lines.filter((line) => line.includes('"level":"error"'));
      assert.equal(errors.length, 1, errors.join());
      assert(errors[0]!.includes(message), errors[0]);
      assert(!lines.join().includes(value) && !lines.join().includes("private.example"), lines.join());
      assert.deepEqual(sentBodies(conversation), ["Hi"]);
    });
  }
});

Deno.test("the log of a receiver that fails has no part of its URL", async () => {
  await openAlert();
  receiver.behave({ status: 500 });
  const { ALERT_WEBHOOK_URL } = receiver.settings;
  const lines = await consoleOf(() => workWith({ ALERT_WEBHOOK_URL: `${ALERT_WEBHOOK_URL}/T0-private?token=private` }));
  await passTime();
  lines.push(...await consoleOf(() => workWith({ ALERT_WEBHOOK_URL: "https://private.invalid/alerts" })));
  const logged = lines.join("\n");
  assert.match(logged, /"event":"alert_not_delivered".*"kind":"number_paused","error_code":"HTTP 500"/);
  assert.match(logged, /"event":"alert_not_delivered".*"error_code":"no_connection"/);
  assert(!logged.includes("private") && !logged.includes("/alerts"), logged);
});

Deno.test("a test alert is sent once, and says what became of it", async () => {
  const resultOf = async (run: () => Promise<unknown>) => {
    const [row] = await sql`select public.test_alert() as id`;
    assert.equal((await sql`select private.is_alert_due() as due`)[0]!.due, true);
    await run();
    const [delivery] = await sql`select * from private.alert_deliveries where id = ${row!.id}`;
    return [delivery!.state, delivery!.outcome];
  };
  assert.deepEqual(await resultOf(work), ["delivered", "HTTP 200"]);
  assert.partialDeepStrictEqual(JSON.parse(lastRequest().body), { kind: "test", subject: "test", state: "open" });
  receiver.behave({ status: 404 });
  assert.deepEqual(await resultOf(work), ["failed", "HTTP 404"]);
  const unset = () => workWith({ ALERT_WEBHOOK_URL: "" });
  assert.deepEqual(await resultOf(unset), ["failed", "not_configured"]);
});

Deno.test("the command alert test shows what the receiver responds", async () => {
  const scheduler = new Scheduler({ ...launcher, askEvery: 50, isConfigured: true });
  try {
    assert.partialDeepStrictEqual(await admin("alert test"), {
      code: 0,
      out: "The receiver has taken the test: HTTP 200.\n",
    });
    receiver.behave({ status: 302, headers: { location: "/elsewhere" } });
    assert.partialDeepStrictEqual(await admin("alert test"), {
      code: 1,
      err: "The receiver has not taken the test: HTTP 302.",
    });
    await receiver.stop();
    assert.partialDeepStrictEqual(await admin("alert test"), {
      code: 1,
      err: "The receiver has not taken the test: no_connection.",
    });
  } finally {
    await scheduler.stop();
    await receiver.start();
  }
});
