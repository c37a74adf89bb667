import assert from "node:assert/strict";
import twilio from "twilio";
import { getExpectedTwilioSignature } from "twilio/lib/webhooks/webhooks.js";
import { eventually } from "../../../e2e/support/processes.ts";
import { ACCEPT_THEN_DROP, DROP, ERROR_AFTER_ACCEPT, TOO_MANY_REQUESTS, TwilioDouble } from "./double.ts";

const double = await TwilioDouble.start();
Deno.test.afterAll(() => double.stop());

/** The official client, with nothing changed but the address. */
function client(username = double.account.apiKey, password = double.account.apiSecret) {
  const official = twilio(username, password, { accountSid: double.account.sid });
  official.api.baseUrl = double.url;
  return official;
}

const FROM = "+12025550100";
let lastNumber = 0;
const newNumber = () => `+1213555${String(++lastNumber).padStart(4, "0")}`;

async function assertRefused(parameters: object, code: number, status = 400): Promise<void> {
  const sent = client().messages.create(
    { from: FROM, to: newNumber(), body: "Hi", ...parameters } as never,
  );
  await assert.rejects(sent, (error: InstanceType<typeof twilio.RestException>) => {
    assert.equal(error.code, code);
    assert.equal(error.status, status);
    assert.equal(error.moreInfo, `https://www.twilio.com/docs/errors/${code}`);
    return true;
  });
}

Deno.test("the official client creates, fetches and lists a message", async () => {
  const to = newNumber();
  const created = await client().messages.create({
    from: FROM,
    to,
    body: "Hi",
    validityPeriod: 60,
  });
  assert.match(created.sid, /^SM[0-9a-f]{32}$/);
  assert.equal(created.status, "queued");
  assert.equal(created.direction, "outbound-api");
  assert.equal(created.dateSent, null);
  assert(Math.abs(created.dateCreated.getTime() - Date.now()) < 60_000);

  const fetched = await client().messages(created.sid).fetch();
  assert.deepEqual([fetched.sid, fetched.to, fetched.from, fetched.body], [
    created.sid,
    to,
    FROM,
    "Hi",
  ]);
  const [listed, ...others] = await client().messages.list({ to, from: FROM });
  assert.equal(listed?.sid, created.sid);
  assert.deepEqual(others, []);
  const [logged] = double.sentTo(to);
  assert.equal(logged?.parameters.ValidityPeriod, "60");
});

Deno.test(
  "a message of a messaging service is accepted first, and its media are listed",
  async () => {
    const service = `MG${"0".repeat(32)}`;
    const mediaUrl = ["https://example.com/one.jpg", "https://example.com/two.jpg"];
    const created = await client().messages.create(
      { from: FROM, to: newNumber(), messagingServiceSid: service, mediaUrl },
    );
    assert.match(created.sid, /^MM/);
    assert.equal(created.status, "accepted");
    assert.equal(created.messagingServiceSid, service);
    assert.equal(created.numMedia, "2");
    const media = await client().messages(created.sid).media.list();
    assert.deepEqual(media.map(({ parentSid }) => parentSid), [created.sid, created.sid]);
  },
);

Deno.test("a list has pages, newest first, and a new message moves none of them", async () => {
  const to = newNumber();
  for (const body of ["1", "2", "3", "4", "5"]) {
    await client().messages.create({ from: FROM, to, body });
  }
  const first = await client().messages.page({ to, pageSize: 2 });
  assert.deepEqual(first.instances.map(({ body }) => body), ["5", "4"]);
  await client().messages.create({ from: FROM, to, body: "6" });
  const second = await first.nextPage();
  assert.deepEqual(second?.instances.map(({ body }) => body), ["3", "2"]);
  const third = await second?.nextPage();
  assert.deepEqual(third?.instances.map(({ body }) => body), ["1"]);
  assert.equal(third?.nextPage(), undefined);
  assert.equal((await client().messages.list({ to, pageSize: 4 })).length, 6);
});

Deno.test(
  "a list is filtered by the date of sending, which a queued message does not have",
  async () => {
    const to = newNumber();
    double.callBack({ statuses: [] });
    await client().messages.create({ from: FROM, to, body: "queued" });
    double.callBack();
    double.receive({ from: to, to: FROM, body: "Hello" });
    const hour = 3_600_000;
    const [before, after] = [new Date(Date.now() - hour), new Date(Date.now() + hour)];
    const bodies = async (options: object) => (await client().messages.list(options)).map(({ body }) => body);
    assert.deepEqual(await bodies({ from: to, dateSentAfter: before }), ["Hello"]);
    assert.deepEqual(await bodies({ from: to, dateSentAfter: after }), []);
    assert.deepEqual(await bodies({ from: to, dateSentBefore: before }), []);
    assert.deepEqual(await bodies({ to, dateSentAfter: before }), []);
    assert.deepEqual(await bodies({ to }), ["queued"]);
  },
);

Deno.test("wrong parameters are refused with Twilio's codes", async () => {
  await assertRefused({ to: "12" }, 21211);
  await assertRefused({ from: undefined }, 21603);
  await assertRefused({ body: "" }, 21602);
  await assertRefused({ body: "x".repeat(1_601) }, 21617);
  await assertRefused({ validityPeriod: 0 }, 21624);
  await assertRefused({ validityPeriod: 36_001 }, 21624);
  await assertRefused({ mediaUrl: Array(11).fill("https://example.com/one.jpg") }, 21623);
  await assertRefused({ statusCallback: "nowhere" }, 21609);
});

Deno.test("the account's sid with its token, or an API key, is needed", async () => {
  const { sid, authToken } = double.account;
  await client(sid, authToken).messages.list({ limit: 1 });
  await assert.rejects(client(sid, "wrong").messages.list({ limit: 1 }), {
    code: 20003,
    status: 401,
  });
  const other = twilio(sid, authToken, { accountSid: `AC${"f".repeat(32)}` });
  other.api.baseUrl = double.url;
  await assert.rejects(other.messages.list({ limit: 1 }), { code: 20404, status: 404 });
  await assert.rejects(client().messages(`SM${"f".repeat(32)}`).fetch(), { code: 20404 });
});

Deno.test("STOP refuses further texts from that number until START", async () => {
  const to = newNumber();
  double.receive({ from: to, to: FROM, body: "Stop " });
  await assertRefused({ to }, 21610);
  await client().messages.create({ from: "+12025550101", to, body: "from another number" });
  double.receive({ from: to, to: FROM, body: "START" });
  await client().messages.create({ from: FROM, to, body: "Hi" });
});

Deno.test("a text is deleted with its files, once it is sent", async () => {
  const to = newNumber();
  double.callBack({ statuses: [] });
  const waiting = await client().messages.create({ from: FROM, to, body: "Hi" });
  await assert.rejects(client().messages(waiting.sid).remove(), { code: 20009 });
  const { sid } = double.receive({ from: to, to: FROM, body: "Hi" });
  double.fail({ method: "DELETE", status: 503 });
  await assert.rejects(client().messages(sid).remove(), { status: 503 });
  assert.equal(await client().messages(sid).remove(), true);
  await assert.rejects(client().messages(sid).fetch(), { code: 20404 });
  await assert.rejects(client().messages(sid).remove(), { code: 20404 });
  double.callBack();
});

Deno.test("each fault happens as often as it was asked for", async () => {
  const to = newNumber();
  const send = (body: string) => client().messages.create({ from: FROM, to, body });
  double.fail({ ...DROP, to });
  double.fail({ ...ACCEPT_THEN_DROP, to });
  double.fail({ ...TOO_MANY_REQUESTS, to, retry_after: 7 });
  double.fail({ ...ERROR_AFTER_ACCEPT, to });
  double.fail({ status: 401, code: 20003, to });
  double.fail({ accepted: true, delay_ms: 1, to, times: 2 });
  const network = /socket hang up|ECONNRESET|fetch failed|aborted/i;
  await assert.rejects(send("1"), network);
  await assert.rejects(send("2"), network);
  await assert.rejects(send("3"), { status: 429, code: 20429 });
  await assert.rejects(send("4"), { status: 500, code: 20500 });
  await assert.rejects(send("5"), { status: 401, code: 20003 });
  for (const body of ["6", "7", "8"]) await send(body);
  const sent = double.sentTo(to).map(({ body }) => body);
  assert.deepEqual(sent, ["2", "4", "6", "7", "8"]);
  double.fail({ method: "GET", status: 503 });
  await assert.rejects(client().messages.list({ to }), { status: 503 });
  assert.equal((await client().messages.list({ to })).length, 5);
});

Deno.test("callbacks are signed, and come doubled, reordered, late or not at all", async () => {
  const received: URLSearchParams[] = [];
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    async (request) => {
      const form = new URLSearchParams(await request.text());
      assert.equal(
        request.headers.get("x-twilio-signature"),
        getExpectedTwilioSignature(double.account.authToken, request.url, Object.fromEntries(form)),
      );
      received.push(form);
      return new Response();
    },
  );
  const statusCallback = `http://127.0.0.1:${server.addr.port}/status?message=1`;
  const send = async (plan: Parameters<TwilioDouble["callBack"]>[0], final: string) => {
    double.callBack(plan);
    const { sid } = await client().messages.create(
      { from: FROM, to: newNumber(), body: "Hi", statusCallback },
    );
    const own = () => received.filter((form) => form.get("MessageSid") === sid);
    const expected = plan?.statuses?.length ?? 2;
    await eventually(10, () => {
      assert(own().length >= expected * (plan?.copies ?? 1), `${own().length} callbacks`);
    });
    const message = await client().messages(sid).fetch();
    assert.equal(message.status, final);
    return own().map((form) => form.get("MessageStatus")).join(" ");
  };
  assert.equal(await send({}, "delivered"), "sent delivered");
  assert.equal(await send({ copies: 2 }, "delivered"), "sent sent delivered delivered");
  assert.equal(await send({ statuses: ["delivered", "sent"] }, "delivered"), "delivered sent");
  assert.equal(await send({ statuses: [] }, "queued"), "");
  assert.equal(await send({ delay_ms: 50 }, "delivered"), "sent delivered");
  await send({ statuses: ["sent", "undelivered"], error_code: 30003 }, "undelivered");
  assert.equal(received.at(-1)?.get("ErrorCode"), "30003");
  double.callBack();
});

Deno.test("what was accepted before it was stopped is delivered once it is back", async () => {
  const to = newNumber();
  double.callBack({ delay_ms: 60_000 });
  const { sid } = await client().messages.create({ from: FROM, to, body: "Hi 😀" });
  await double.stop();
  await assert.rejects(client().messages(sid).fetch(), /ECONNREFUSED|refused/);
  await double.start();
  const message = await eventually(10, async () => {
    const message = await client().messages(sid).fetch();
    assert.equal(message.status, "delivered");
    return message;
  });
  assert.equal(message.body, "Hi 😀");
});
