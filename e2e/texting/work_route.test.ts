/** POST /worker/run with settings that the running stack does not have, and faults around it. */
import assert from "node:assert/strict";
import { send, sql, stack } from "../support/client.ts";
import { consoleOf, functionWith } from "../support/function.ts";
import { eventually } from "../support/processes.ts";
import { newPhone } from "../support/sms.ts";
import { Scheduler } from "../../dev/local/mod.ts";
import { DROP } from "../../dev/testing/twilio/double.ts";
import { awaitState, createConversation, double, outboxText, passTime, queueText, sentBodies } from "./texts.ts";
import { tableLock, whileHeld, whileMissing } from "../../dev/testing/faults/database.ts";
import { losingResponseOf, withFetch } from "../../dev/testing/faults/responses.ts";

/** The texts of a run by their states. Leads of other tests may be fetched meanwhile. */
const NOTHING = { accepted: 0, unconfirmed: 0, pending: 0, refused: 0, failed: 0, errors: 0 };

/** Calls the route of a function with these settings. */
async function workWith(
  settings: Record<string, string> = {},
  headers: Record<string, string> = { authorization: "Bearer key" },
) {
  const worker = await functionWith("worker", {
    ...double.settings,
    WORKER_KEY: "key",
    PUBLIC_FUNCTIONS_URL: "",
    TEXT_RESEND_UNCONFIRMED: "",
    TEXTING_COUNTRIES: "",
    ...settings,
  });
  return await worker("/worker/run", { headers });
}

Deno.test("without the worker's key the route is UNAUTHORIZED, whatever else is shown", async () => {
  for (
    const headers of [
      {},
      { authorization: "Bearer wrong" },
      { authorization: `Basic ${btoa(`x:${stack.worker_key}`)}` },
      { apikey: stack.worker_key },
      { authorization: `Bearer ${stack.service_role_key}`, apikey: stack.secret_key },
    ] as Record<string, string>[]
  ) {
    const { status, body, headers: received } = await send("/worker/run", { headers });
    assert.deepEqual([status, body.error.code], [401, "UNAUTHORIZED"]);
    assert.equal(received.get("www-authenticate"), 'Bearer realm="worker"');
  }
  for (const WORKER_KEY of ["", " ", ","]) {
    for (const key of ["", "key", "undefined"]) {
      const headers = { authorization: `Bearer ${key}` };
      assert.equal((await workWith({ WORKER_KEY }, headers)).status, 401);
    }
  }
});

Deno.test("with its key, or either while it is rotated, the route says that nothing was due, to POST alone", async () => {
  const headers = { authorization: `Bearer ${stack.worker_key}` };
  const { status, body } = await send("/worker/run", { headers });
  assert.equal(status, 200);
  assert.partialDeepStrictEqual(body, NOTHING);
  for (const key of ["old", "new"]) {
    const rotated = await workWith({ WORKER_KEY: "new, old" }, { authorization: `Bearer ${key}` });
    assert.partialDeepStrictEqual(rotated.body, NOTHING);
  }
  const wrong = await send("/worker/run", { method: "GET", headers });
  assert.deepEqual([wrong.status, wrong.headers.get("allow")], [405, "POST"]);
});

Deno.test("without an account at Twilio the texts are held and say so, with one warning", async () => {
  const id = await queueText(await createConversation(), "Hi");
  const workWithout = async () => {
    const logged = await consoleOf(async () => {
      const { status, body } = await workWith({ TWILIO_ACCOUNT_SID: " ", TWILIO_API_KEY: "", TWILIO_API_SECRET: "" });
      assert.deepEqual([status, body.accepted, body.errors], [200, 0, 0]);
    });
    return logged.filter((line) => !line.includes('"level":"info"'));
  };
  const [warning, ...others] = await workWithout();
  assert.partialDeepStrictEqual(JSON.parse(warning!), { level: "warning", event: "no_account", texts: 1 });
  assert.deepEqual(others, []);
  assert.partialDeepStrictEqual(await outboxText(id), { state: "pending", attempt: 0, reason: "no_account" });
  await sql`update private.job_runs set started_at = now() - interval '1 hour' where job = 'send texts'`;
  assert.deepEqual(await workWithout(), []);
  const [run] =
    await sql`select started_at > now() - interval '1 minute' as is_new from private.job_runs where job = 'send texts'`;
  assert.equal(run!.is_new, true);
  assert.equal((await workWith()).body.accepted, 1);
  assert.partialDeepStrictEqual(await outboxText(id), { state: "accepted", reason: null });
});

Deno.test("with a wrong setting nothing is claimed, and the log names it", async () => {
  const id = await queueText(await createConversation(), "Hi");
  for (
    const [settings, reason] of [
      [{ TWILIO_API_SECRET: "" }, "TWILIO_API_SECRET is not set"],
      [
        { TWILIO_API_KEY: "", TWILIO_API_SECRET: "", TWILIO_AUTH_TOKEN: "" },
        "neither TWILIO_API_KEY nor TWILIO_AUTH_TOKEN is set",
      ],
      ...["api.twilio.com", "https://api.twilio.com/2010-04-01", "ftp://api.twilio.com"].map((
        url,
      ) => [{ TWILIO_API_BASE_URL: url }, "TWILIO_API_BASE_URL must be an origin"] as const),
    ] as const
  ) {
    const logged = await consoleOf(async () => assert.equal((await workWith(settings)).status, 500));
    const errors = logged.filter((line) => line.includes('"level":"error"'));
    assert.equal(errors.length, 1, errors.join());
    assert(errors[0]!.includes(reason), errors[0]);
  }
  assert.partialDeepStrictEqual(await outboxText(id), { state: "pending", attempt: 0 });
  // Without an API key the account's first token logs in.
  const TWILIO_AUTH_TOKEN = `${double.account.authToken}, another`;
  const { body } = await workWith({ TWILIO_API_KEY: "", TWILIO_API_SECRET: "", TWILIO_AUTH_TOKEN });
  assert.equal(body.accepted, 1);
});

Deno.test("an outcome whose record gets no response is recorded once", async () => {
  const conversation = await createConversation();
  const id = await queueText(conversation, "Hi");
  const { body } = await losingResponseOf("record_text_outcome", () => workWith());
  assert.partialDeepStrictEqual(body, { ...NOTHING, accepted: 1 });
  assert.equal((await outboxText(id)).attempt, 1);
  assert.deepEqual(sentBodies(conversation), ["Hi"]);
});

Deno.test("a text whose file is missing is failed, and one waits while storage fails", async () => {
  const [missing, waiting] = await Promise.all(["Missing", "Waiting"].map(async (body) => {
    const conversation = await createConversation();
    const media = [{ url: `text-media/${conversation.id}/a.png`, content_type: "image/png" }];
    return { conversation, id: await queueText(conversation, body, { media }) };
  }));
  const file = `/object/sign/text-media/${waiting!.conversation.id}`;
  const { body } = await withFetch(async (fetch, input, init) => {
    return String(input).includes(file) ? new Response("no storage", { status: 503 }) : await fetch(input, init);
  }, () => workWith());
  assert.partialDeepStrictEqual(body, { ...NOTHING, pending: 1, failed: 1 });
  assert.partialDeepStrictEqual(await outboxText(missing!.id), { state: "failed", error_code: "media_not_found" });
  assert.partialDeepStrictEqual(await outboxText(waiting!.id), { state: "pending", reason: "storage" });
  for (const { conversation } of [missing!, waiting!]) {
    assert.deepEqual(sentBodies(conversation), []);
  }
  await sql`delete from public.text_outbox where message_id = ${waiting!.id}`;
});

Deno.test("a name that a URL reads as a way to another folder gives nobody's file away", async () => {
  const conversation = await createConversation();
  const name = `${crypto.randomUUID()}.pdf`;
  await sql`insert into storage.objects (bucket_id, name) values ('resumes', ${name})`;
  const url = `text-media/${conversation.id}/..\\..\\resumes\\${name}`;
  const id = await queueText(conversation, "", { media: [{ url, content_type: "application/pdf" }] });
  await workWith();
  assert.equal((await outboxText(id)).error_code, "media_not_found");
  assert.deepEqual(sentBodies(conversation), []);
});

Deno.test("Twilio calls back, and reads files, at the public address", async () => {
  const conversation = await createConversation();
  const file = `text-media/${conversation.id}/a.png`;
  await sql`insert into storage.objects (bucket_id, name) values ('text-media', ${file.slice(11)})`;
  await queueText(conversation, "Hi", { media: [{ url: file, content_type: "image/png" }] });
  double.callBack({ statuses: [] });
  await workWith({ PUBLIC_FUNCTIONS_URL: "https://texts.example/functions/v1" });
  double.callBack();
  const [sent] = double.sentTo(conversation.recruit);
  assert.match(
    sent!.parameters.StatusCallback!,
    /^https:\/\/texts\.example\/functions\/v1\/recruiting\/sms\/status\?message=[0-9a-f-]{36}$/,
  );
  assert(sent!.media[0]!.url.startsWith(`https://texts.example/storage/v1/object/sign/${file}?`));
});

Deno.test("with TEXT_RESEND_UNCONFIRMED=off a text that may have been sent is not sent again", async () => {
  const conversation = await createConversation();
  double.fail({ ...DROP, to: conversation.recruit });
  const id = await queueText(conversation, "Hi");
  for (let time = 0; time < 3; time++) {
    await workWith({ TEXT_RESEND_UNCONFIRMED: "off" });
    await passTime([id]);
  }
  assert.partialDeepStrictEqual((await workWith({ TEXT_RESEND_UNCONFIRMED: "off" })).body, NOTHING);
  assert.partialDeepStrictEqual(await outboxText(id), { state: "unconfirmed", attempt: 1 });
  assert.deepEqual(sentBodies(conversation), []);
});

Deno.test("a greeting goes to the countries of TEXTING_COUNTRIES alone, and an agent's own text anywhere", async () => {
  const [before] =
    await sql`select opens, closes from public.texting_hours where state is null and day_of_week is null`;
  await sql`
    update public.texting_hours set opens = '00:00', closes = '24:00' where state is null and day_of_week is null`;
  try {
    const conversation = await createConversation(undefined, newPhone().replace("+1312", "+1876"));
    const greeting = await queueText(conversation, "Hi", { kind: "greeting" });
    await workWith();
    assert.partialDeepStrictEqual(await outboxText(greeting), {
      state: "refused",
      reason: "country",
      status: "failed",
    });
    await queueText(conversation, "Hello");
    const listed = await createConversation(undefined, newPhone().replace("+1312", "+1876"));
    await queueText(listed, "Hi", { kind: "greeting" });
    await workWith({ TEXTING_COUNTRIES: "US, JM" });
    assert.deepEqual([sentBodies(conversation), sentBodies(listed)], [["Hello"], ["Hi"]]);
    assert.equal((await workWith({ TEXTING_COUNTRIES: "Jamaica" })).status, 500);
  } finally {
    await sql`update public.texting_hours set ${sql(before!)} where state is null and day_of_week is null`;
  }
});

Deno.test("nothing that is logged has a phone number, words, a key or an id of the account", async () => {
  const conversation = await createConversation();
  double.fail({ status: 400, code: 21614, to: conversation.recruit });
  await queueText(conversation, "Secret words");
  await queueText(conversation, "More secret words");
  const lines = await consoleOf(() => workWith());
  await queueText(conversation, "Most secret words");
  lines.push(...await consoleOf(() => workWith({ TWILIO_API_SECRET: "a wrong secret" })));
  const logged = lines.join();
  assert.match(logged, /"event":"twilio_refused_login","error_code":"20003"/);
  const { recruit, phone } = conversation;
  for (
    const secret of [recruit, phone, "ecret", "Bearer", ...Object.values(double.settings)].map((
      text,
    ) => text.replace(/^\+/, ""))
  ) assert(!logged.includes(secret), secret);
  await sql`
    update public.text_outbox set due_at = now()
    where conversation_id = ${conversation.id} and state = 'pending'`;
  await workWith();
});

Deno.test("while a job of the worker cannot claim, the others go on", async () => {
  const conversation = await createConversation();
  await queueText(conversation, "Hi");
  await whileMissing("claim_greetings(integer)", async () => {
    const lines = await consoleOf(async () => {
      assert.partialDeepStrictEqual((await workWith()).body, { ...NOTHING, accepted: 1, errors: 1 });
    });
    const errors = lines.filter((line) => line.includes('"level":"error"'));
    assert.equal(errors.length, 1, errors.join("\n"));
    assert.match(errors[0]!, /"event":"job_failed","job":"greetings"/);
  });
  assert.deepEqual(sentBodies(conversation), ["Hi"]);

  const { id } = conversation;
  await sql`insert into public.bot_turns (conversation_id, due_at, message_ids) values (${id}, now(), '{}')`;
  await whileMissing("claim_texts(integer)", async () => assert.equal((await workWith()).status, 500));
  assert.deepEqual([...await sql`select from public.bot_turns where conversation_id = ${id}`], []);
});

Deno.test("a job that hangs holds up no text", async () => {
  const conversation = await createConversation();
  await queueText(conversation, "Hi");
  let working: Promise<unknown> | undefined;
  await whileHeld(tableLock("private.waiting_take_overs"), async () => {
    working = workWith();
    await eventually(5, () => Promise.resolve(assert.deepEqual(sentBodies(conversation), ["Hi"])));
  });
  assert.partialDeepStrictEqual(await working, { status: 200, body: { accepted: 1, errors: 0 } });
});

Deno.test("the launcher's schedule ends at once although its jobs run", async () => {
  const [dbUrl, functionsUrl, key] = [stack.db_url, stack.functions_url, stack.worker_key];
  const scheduler = new Scheduler({ dbUrl, functionsUrl, key, isConfigured: true });
  let hasEnded = false;
  const ended = scheduler.stop().then(() => void (hasEnded = true));
  // A minute is the pause after a job.
  await eventually(20, () => assert(hasEnded));
  await ended;
});

Deno.test("the launcher sends what is due, and says once what is missing", async () => {
  const conversation = await createConversation();
  const id = await queueText(conversation, "Hi");
  const said: string[] = [];
  const options = {
    dbUrl: stack.db_url,
    functionsUrl: stack.functions_url,
    key: stack.worker_key,
    askEvery: 50,
    say: (text: string) => void said.push(text),
  };
  // Both are refused, since the stack of this test has an account and would send the text.
  const unconfigured = new Scheduler({ ...options, key: "wrong", isConfigured: false });
  const wrong = new Scheduler({ ...options, key: "wrong", isConfigured: true });
  await eventually(10, () => assert.equal(said.length, 2));
  // Several more times, in which nothing is said again.
  await new Promise((resolve) => setTimeout(resolve, 300));
  await Promise.all([unconfigured.stop(), wrong.stop()]);
  assert.equal(said.length, 2, said.join("\n"));
  assert.match(said.join("\n"), /TWILIO_ACCOUNT_SID is not set/);
  assert.match(said.join("\n"), /POST \/worker\/run responds with 401/);
  assert.equal((await outboxText(id)).attempt, 0);

  const worker = new Scheduler({ ...options, isConfigured: true });
  await awaitState(id, "accepted");
  await worker.stop();
  assert.deepEqual(sentBodies(conversation), ["Hi"]);
});
