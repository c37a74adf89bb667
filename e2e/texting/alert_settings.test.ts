/** The settings of the notifications of alerts, and what a wrong one does. */
import assert from "node:assert/strict";
import { checkAlerts } from "../support/alerts.ts";
import { admin } from "../support/admin.ts";
import { sql } from "../support/client.ts";
import { consoleOf } from "../support/function.ts";
import { Scheduler } from "../../dev/local/mod.ts";
import { ALERT_SECRET } from "../../dev/testing/alert_receiver.ts";
import type { Behaviour } from "../../dev/testing/recording_server.ts";
import { createConversation, queueText, sentBodies, work } from "./texts.ts";
import {
  lastRequest,
  launcher,
  openAlert,
  passTime,
  receiver,
  resolveAlert,
  signatureOf,
  statesOf,
  workWith,
} from "./alerts.ts";

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
  Deno.test(`a receiver that ${name} gets the alert again, by the same id and body, and of the end`, async () => {
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

Deno.test("without a URL nothing is sent or asked, and open alerts are sent once it is set", async () => {
  const phone = await openAlert();
  const off = { ALERT_WEBHOOK_URL: "", ALERT_HEARTBEAT_URL: "" };
  const before = receiver.requests.length;
  await workWith(off);
  await checkAlerts();
  assert.equal(receiver.requests.length, before);
  assert.equal(
    (await sql`select private.is_alert_due() as due`)[0]!.due,
    false,
    "the worker is not called for nothing",
  );
  await sql`update private.sending_settings set asked_at = now() - interval '6 minutes' where name = 'alerts'`;
  assert.equal((await sql`select private.is_alert_due() as due`)[0]!.due, true, "but it is asked again");
  await workWith({});
  assert.deepEqual(statesOf(phone), ["open"]);
});

Deno.test("where texting is not set up, alerts are sent anyway", async () => {
  const phone = await openAlert();
  const { status } = await workWith({ TWILIO_ACCOUNT_SID: "" });
  assert.equal(status, 200);
  const other = await openAlert();
  await queueText(await createConversation(), "Hi");
  assert.equal((await workWith({ TWILIO_ACCOUNT_SID: "" })).status, 200);
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
  assert.match(logged, /"event":"alert_not_delivered".*"error_code":"no_address"/);
  assert(!logged.includes("private") && !logged.includes("/alerts"), logged);
});

Deno.test("a test alert is sent once, and says what became of it", async () => {
  const resultOf = async (run: () => Promise<unknown>) => {
    const [row] = await sql`select public.test_alert() as id`;
    assert.equal((await sql`select private.is_dispatch_due() as due`)[0]!.due, true);
    await run();
    const [dispatch] = await sql`select * from private.dispatches where id = ${row!.id}`;
    return [dispatch!.state, dispatch!.status, dispatch!.reason];
  };
  assert.deepEqual(await resultOf(work), ["delivered", 200, null]);
  assert.partialDeepStrictEqual(JSON.parse(lastRequest().body), { kind: "test", subject: "test", state: "open" });
  receiver.behave({ status: 404 });
  assert.deepEqual(await resultOf(work), ["failed", 404, "HTTP 404"]);
  const unset = () => workWith({ ALERT_WEBHOOK_URL: "" });
  assert.deepEqual(await resultOf(unset), ["failed", null, "not_configured"]);
});

Deno.test("the command alert test shows what the receiver responds", async () => {
  const scheduler = new Scheduler({ ...launcher, askEvery: 50, isConfigured: true });
  try {
    assert.partialDeepStrictEqual(await admin("alert test"), {
      code: 0,
      out: "The receiver has taken the test: HTTP 200, ok.\n",
    });
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
