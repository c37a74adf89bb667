import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import { type Message, type Network, postMessage } from "./webhook.ts";

const SECRET = `whsec_${btoa("0123456789abcdef0123456789abcdef")}`;
const OLD_SECRET = `whsec_${btoa("fedcba9876543210fedcba9876543210")}`;
const BODY = { type: "lead.distributed", data: { lead: { first_name: "Zoë", note: "a 'quote' and a 🙂" } } };

/** A receiver on this machine, and a name for it that only its own name server knows. */
async function withReceiver(
  respond: (request: Request) => Response | Promise<Response>,
  run: (receiver: { port: number; requests: { headers: Record<string, string>; body: string }[] }) => Promise<void>,
): Promise<void> {
  const requests: { headers: Record<string, string>; body: string }[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    requests.push({ headers: Object.fromEntries(request.headers), body: await request.text() });
    return respond(request);
  });
  try {
    await run({ port: server.addr.port, requests });
  } finally {
    await server.shutdown();
  }
}

const resolvesTo = (...addresses: string[]) => () => Promise.resolve(addresses.map((address) => ({ address })));

function post(message: Partial<Message>, network: Partial<Network> = {}) {
  return postMessage(
    {
      id: "0192f0c1-5d1e-4c2b-9a55-3f2f6f0f3a10",
      url: "https://hooks.example/",
      headers: {},
      secrets: [SECRET],
      body: BODY,
      rules: { accepted_when: null, rejected_when: null },
      ...message,
    },
    { reach: "local", resolve: resolvesTo("127.0.0.1"), ...network },
  );
}

Deno.test("the library of Standard Webhooks verifies a message, by each of its secrets", async () => {
  await withReceiver(() => new Response("taken"), async ({ port, requests }) => {
    const { outcome, status, excerpt } = await post({
      url: `http://hooks.example:${port}/in?key=1`,
      secrets: [SECRET, OLD_SECRET],
      headers: { "X-Api-Key": "k", "Webhook-Id": "forged", "Content-Type": "text/plain", "Host": "other.example" },
    });
    assert.deepEqual([outcome, status, excerpt], ["delivered", 200, "taken"]);
    const [{ headers, body }] = requests as [typeof requests[0]];
    for (const secret of [SECRET, OLD_SECRET]) assert.deepEqual(new Webhook(secret).verify(body, headers), BODY);
    assert.throws(() => new Webhook(`whsec_${btoa("another key of 24 bytes or more")}`).verify(body, headers));
    assert.throws(() => new Webhook(SECRET).verify(body.replace("Zoë", "Zoe"), headers));
    assert.equal(headers["webhook-id"], "0192f0c1-5d1e-4c2b-9a55-3f2f6f0f3a10");
    assert.equal(headers["x-api-key"], "k");
    assert.equal(headers["content-type"], "application/json");
    assert.equal(headers.host, `hooks.example:${port}`);
    assert.match(headers["user-agent"]!, /^lead-intake\/\d/);
  });
});

Deno.test("without a secret a message is not signed", async () => {
  await withReceiver(() => new Response(), async ({ port, requests }) => {
    await post({ url: `http://hooks.example:${port}/`, secrets: [] });
    assert.equal(requests[0]!.headers["webhook-signature"], undefined);
  });
});

Deno.test("a redirect is not followed", async () => {
  await withReceiver(() => Response.redirect("http://127.0.0.1/elsewhere", 307), async ({ port, requests }) => {
    const { outcome, reason } = await post({ url: `http://hooks.example:${port}/` });
    assert.deepEqual([outcome, reason, requests.length], ["retry", "HTTP 307", 1]);
  });
});

Deno.test("no message leaves for an address that is not public", async () => {
  await withReceiver(() => new Response(), async ({ port, requests }) => {
    for (
      const [url, reach, addresses] of [
        [`https://hooks.example:${port}/`, "public", ["127.0.0.1"]],
        [`https://hooks.example:${port}/`, "public", ["1.1.1.1", "127.0.0.1"]],
        [`https://hooks.example:${port}/`, "public", ["::ffff:127.0.0.1"]],
        [`http://hooks.example:${port}/`, "public", ["1.1.1.1"]],
        [`http://user:word@hooks.example:${port}/`, "local", ["127.0.0.1"]],
        [`http://hooks.example:${port}/`, "local", ["10.0.0.1"]],
        [`ftp://hooks.example:${port}/`, "local", ["127.0.0.1"]],
        ["", "local", ["127.0.0.1"]],
      ] as const
    ) {
      const { outcome, reason } = await post({ url }, { reach, resolve: resolvesTo(...addresses) });
      assert.deepEqual([outcome, reason], ["retry", "address"], `${url} ${addresses}`);
    }
    assert.equal(requests.length, 0);
  });
});

Deno.test("a name is resolved once, and no second answer leads elsewhere", async () => {
  await withReceiver(() => new Response(), async ({ port, requests }) => {
    const answers = [["127.0.0.1"], ["10.0.0.1"]];
    const resolve = () => Promise.resolve(answers.shift()!.map((address) => ({ address })));
    assert.equal((await post({ url: `http://hooks.example:${port}/` }, { resolve })).outcome, "delivered");
    assert.deepEqual([answers.length, requests.length], [1, 1]);
  });
});

Deno.test("what has no response is tried again", async () => {
  const unknown = () => Promise.reject(new Error("ENOTFOUND"));
  assert.equal((await post({}, { resolve: unknown })).reason, "no_address");
  const silent = () => new Promise<never>(() => {});
  assert.equal((await post({}, { resolve: silent, timeout: 50 })).reason, "timeout");
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const url = `http://hooks.example:${(listener.addr as Deno.NetAddr).port}/`;
  const accepted = listener.accept();
  assert.deepEqual(await post({ url }, { timeout: 200 }), {
    outcome: "retry",
    status: null,
    excerpt: null,
    reason: "timeout",
    retryAfter: null,
  });
  (await accepted).close();
  listener.close();
  assert.equal((await post({ url })).reason, "no_connection");
});

Deno.test("a header that cannot be sent fails the message", async () => {
  const { outcome, reason } = await post({ headers: { "x-key": "a\r\nx-forged: 1" } });
  assert.deepEqual([outcome, reason], ["failed", "header"]);
});
