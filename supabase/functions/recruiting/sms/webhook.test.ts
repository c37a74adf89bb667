import assert from "node:assert/strict";
import { getExpectedTwilioSignature } from "twilio/lib/webhooks/webhooks.js";
import { createApp, type Handler } from "../../_shared/app.ts";
import { internalError } from "../../_shared/errors.ts";
import { type Parameter, smsWebhook } from "./webhook.ts";

const PARAMETERS = { MessageSid: "SM1", From: "+13125550100", Body: "a secret" };

/** Sends a signed form to a webhook with this handler. Returns the response and the logged errors. */
async function deliver(
  handle: (parameter: Parameter, id: string) => Promise<{ status: string }>,
  parameters: Record<string, string> = PARAMETERS,
  headers: Record<string, string> = {},
) {
  const POST: Handler = (context) => smsWebhook(context, handle);
  const app = createApp("/recruiting", { "/sms": { POST } });
  const errors: string[] = [];
  const { error, log } = console;
  Deno.env.set("TWILIO_AUTH_TOKEN", "token");
  Deno.env.set("PUBLIC_FUNCTIONS_URL", "https://example.com");
  console.error = (line: string) => errors.push(line);
  console.log = () => {};
  try {
    const url = "https://example.com/recruiting/sms";
    const response = await app.fetch(
      new Request(url, {
        method: "POST",
        headers: { "x-twilio-signature": getExpectedTwilioSignature("token", url, parameters), ...headers },
        body: new URLSearchParams(parameters),
      }),
    );
    return { status: response.status, body: await response.json(), errors };
  } finally {
    Object.assign(console, { error, log });
    Deno.env.delete("TWILIO_AUTH_TOKEN");
    Deno.env.delete("PUBLIC_FUNCTIONS_URL");
  }
}

Deno.test("SPEC 4.5: with a valid signature, the response contains only the handler's status", async () => {
  const response = await deliver((parameter) => {
    assert.equal(parameter("Body"), "a secret");
    assert.equal(parameter("To"), null);
    return Promise.resolve({ status: "received", inside: 1 });
  });
  assert.deepEqual(response, { status: 200, body: { status: "received" }, errors: [] });
});

Deno.test("a form with more parameters than Twilio sends is UNAUTHORIZED before its signature is checked", async () => {
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, "x"]));
  const handle = () => Promise.resolve({ status: "received" });
  assert.equal((await deliver(handle, many(200))).status, 200);
  // The signature is correct, but it is not checked.
  const { status, body } = await deliver(handle, many(201));
  assert.deepEqual([status, body.error.code], [401, "UNAUTHORIZED"]);
});

/** Returns the id under which a webhook is stored. */
async function idOf(parameters: Record<string, string>, token?: string): Promise<string> {
  let id = "";
  await deliver(
    (_, given) => {
      id = given;
      return Promise.resolve({ status: "received" });
    },
    parameters,
    token === undefined ? {} : { "I-Twilio-Idempotency-Token": token },
  );
  return id;
}

Deno.test("a webhook that Twilio repeats has the same id, every other webhook has its own", async () => {
  const status = { MessageSid: "SM1", MessageStatus: "sent" };
  const ids = [
    await idOf(status, "token 1"),
    await idOf(status, "token 2"),
    await idOf({ ...status, MessageStatus: "delivered" }, "token 1"),
    await idOf({ ...status, MessageSid: "SM2" }, "token 1"),
    await idOf({ MessageStatus: "sent" }, "token 1"),
    await idOf(status),
    await idOf(status),
    await idOf(status, ""),
  ];
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  assert.equal(await idOf(status, "token 1"), ids[0]);
});

for (
  const [name, error] of [
    ["a failing database", internalError(new Error("a secret"))],
    ["an unexpected exception", new TypeError("a secret")],
    ["a thrown value that is not an error", "a secret"],
  ] as const
) {
  Deno.test(`SPEC 4.5: after ${name} the response is 200, and the log contains only the MessageSid of the message`, async () => {
    const { status, body, errors } = await deliver(() => Promise.reject(error));
    assert.deepEqual([status, body], [200, { status: "error" }]);
    assert.equal(errors.length, 1);
    const { level, message_sid } = JSON.parse(errors[0]!);
    assert.deepEqual([level, message_sid], ["error", "SM1"]);
    assert(!/secret|5550100/.test(errors[0]!));
  });
}
