import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { type Case, isProved, NOW, verify } from "./fixtures/verify.ts";

/** https://github.com/standard-webhooks/standard-webhooks, libraries/javascript/src/webhook.test.ts */
const VECTOR = {
  scheme: "standard",
  secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
  headers: {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  },
  body: '{"test": 2432232314}',
} satisfies Case;
const [, SIGNATURE] = VECTOR.headers["webhook-signature"].split(",");

/** The test vector with another header. */
function withHeader(name: keyof typeof VECTOR.headers, value: string): Case {
  return { ...VECTOR, headers: { ...VECTOR.headers, [name]: value } };
}

Deno.test("the test vector of Standard Webhooks is a proof, and its id is the delivery's", () => {
  const { secretId, deliveryId } = verify(VECTOR)!;
  assert.deepEqual([secretId, deliveryId], ["secret 0", "msg_p5jXN8AQM9LWM0D4loKWxJek"]);
});

Deno.test("a delivery signed by the package standardwebhooks 1.1.1 is a proof", () => {
  const headers = {
    "webhook-id": "msg_1.2",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,J2zRG6dUG8OWt08YDgEyKqYPzCOQ8dGmYTI5/gL+XUY=",
  };
  const secrets = ["whsec_yP0yZ5zRBjtwpdoPRHmu4xhNgrfsIVaLwPUqX5TJ/jNondIHPHGm2w=="];
  const body = '{"name": "José 🎉 \\u00e9"}\n';
  assert(isProved({ scheme: "standard", secrets, headers, body }));
});

Deno.test("one valid signature among several is sufficient, and a secret may lack whsec_", () => {
  assert(isProved(withHeader("webhook-signature", `v1a,x v1,b2xk v1,${SIGNATURE} v2,a v1`)));
  assert(isProved({ ...VECTOR, secrets: ["MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] }));
});

Deno.test("another id, time, body, secret or version is not a proof, and neither is a missing header", () => {
  for (
    const delivery of [
      withHeader("webhook-id", "msg_2"),
      withHeader("webhook-timestamp", `${NOW + 1}`),
      withHeader("webhook-timestamp", ` ${NOW}.0`),
      withHeader("webhook-signature", `v2,${SIGNATURE}`),
      withHeader("webhook-signature", SIGNATURE!),
      withHeader("webhook-signature", "v1,"),
      ...Object.keys(VECTOR.headers).map((name) => withHeader(name as keyof typeof VECTOR.headers, "")),
      { ...VECTOR, body: '{"test":2432232314}' },
      { ...VECTOR, secrets: ["whsec_b3RoZXI="] },
    ]
  ) assert.equal(isProved(delivery), false, JSON.stringify(delivery));
});

/** A delivery signed with a key of these bytes. */
function signed(key: string, secret: string, id: string, body: string | Uint8Array): Case {
  const signature = createHmac("sha256", key).update(`${id}.${NOW}.`).update(body).digest("base64");
  const headers = { "webhook-id": id, "webhook-timestamp": `${NOW}` };
  return {
    scheme: "standard",
    secrets: [secret],
    headers: { ...headers, "webhook-signature": `v1,${signature}` },
    body,
  };
}

Deno.test("bytes that are not text are signed unchanged", () => {
  assert(isProved(signed("key", `whsec_${btoa("key")}`, "1", new Uint8Array([0, 255, 254]))));
});

Deno.test("an empty id is not a proof, and neither is a signature with an empty key", () => {
  assert(isProved(signed("key", `whsec_${btoa("key")}`, "1", "{}")));
  assert.equal(isProved(signed("key", `whsec_${btoa("key")}`, "", "{}")), false);
  for (const secret of ["whsec_", "whsec_?", "no base64"]) {
    assert.equal(isProved(signed("", secret, "1", "{}")), false);
  }
});
