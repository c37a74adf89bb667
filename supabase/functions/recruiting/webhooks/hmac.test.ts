import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import type { JsonObject } from "../../_shared/json.ts";
import { type Case, isProved, NOW, verify } from "./fixtures/verify.ts";

/**
 * Signatures from public sources. Greenhouse and LinkedIn publish only the rule, so these were computed with openssl.
 */
const PUBLISHED = {
  // https://docs.indeed.com/indeed-apply/message-signature-generation
  "Indeed's example": {
    scheme: "indeed",
    secrets: ["Y0ur api secret key not shared &$%@"],
    headers: { "X-Indeed-Signature": "SGadPKocf3HD1LYXm3xGObB6hzk=" },
    body: "{'locale':'en_US','applicant':{'fullName':'John Doe','email':'john.doe@example.com'}}",
  },
  // The rule: https://developers.greenhouse.io/webhooks.html#authentication
  // printf test | openssl dgst -sha256 -hmac secret
  "Greenhouse's signature": {
    scheme: "greenhouse",
    headers: { "Signature": "sha256 0329a06b62cd16b33eb6792be8c60b158d89a2ee3a876fce9a881ebb488c0914" },
    body: "test",
  },
  // The rule: https://learn.microsoft.com/linkedin/shared/api-guide/webhook-validation
  // printf hmacsha256=test | openssl dgst -sha256 -hmac secret
  "LinkedIn's signature": {
    scheme: "linkedin",
    headers: { "X-LI-Signature": "45ae5b7b05f5f6b42d622336e065bcc86e6f497265c222c0ee5cddc3fc4107e9" },
    body: "test",
  },
  // https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries, which signs as Meta does
  "GitHub's example": {
    scheme: "meta",
    secrets: ["It's a Secret to Everybody"],
    headers: { "X-Hub-Signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17" },
    body: "Hello, World!",
  },
  // RFC 2202, section 3, test case 2
  "HMAC-SHA-1 as RFC 2202 has it": {
    scheme: "hmac",
    config: { header: "X-Signature", algorithm: "sha1" },
    secrets: ["Jefe"],
    headers: { "X-Signature": "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79" },
    body: "what do ya want for nothing?",
  },
  // RFC 4231, section 4.3
  "HMAC-SHA-512 as RFC 4231 has it": {
    scheme: "hmac",
    config: { header: "X-Signature", algorithm: "sha512" },
    secrets: ["Jefe"],
    headers: {
      "X-Signature": "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554" +
        "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
    },
    body: "what do ya want for nothing?",
  },
} satisfies Record<string, Case>;

Deno.test("a published signature is a proof, but not with another secret, with another body or without its header", () => {
  for (const [name, delivery] of Object.entries<Case>(PUBLISHED)) {
    assert.equal(verify(delivery)?.secretId, "secret 0");
    assert.equal(isProved({ ...delivery, secrets: ["other"] }), false);
    assert.equal(isProved({ ...delivery, body: `${delivery.body} ` }), false);
    assert.equal(isProved({ ...delivery, body: "" }), false);
    assert.equal(isProved({ ...delivery, headers: {} }), false, name);
  }
});

const BODY = '{"first_name": "José"}';

/** A delivery of {@link BODY} with the SHA-256 of `text` in the header X-Signature. */
function signed(text: string | Uint8Array, config: JsonObject = {}, secret = "secret"): Case {
  return {
    scheme: "hmac",
    config: { header: "X-Signature", algorithm: "sha256", ...config },
    secrets: [secret],
    headers: { "X-Signature": createHmac("sha256", secret).update(text).digest("hex") },
    body: BODY,
  };
}

const BYTES = new Uint8Array([0, 255, 254]);
const IN_BASE64: Case = {
  scheme: "hmac",
  config: { header: "X-Signature", algorithm: "sha1", encoding: "base64", prefix: "v0:" },
  headers: { "X-Signature": "v0:GqNJWF7X7L07nEhqMAZ+OVyks1Y=" },
  body: "test",
};

const PROVED: Record<string, Case> = {
  "in capital letters": {
    ...signed(BODY),
    headers: { "x-signature": signed(BODY).headers!["X-Signature"]!.toUpperCase() },
  },
  "in base64 after a prefix": IN_BASE64,
  "in base64 for URLs, without its padding": {
    ...IN_BASE64,
    headers: { "X-Signature": "v0:GqNJWF7X7L07nEhqMAZ-OVyks1Y" },
  },
  "of bytes that are not text": { ...signed(BYTES), body: BYTES },
  "of a body that begins with a byte order mark": { ...signed("\ufeff{}"), body: "\ufeff{}" },
  "of the body between other words": signed(`v0:${BODY}:é`, { signed: "v0:{body}:é" }),
  "with a secret beyond ASCII": signed(BODY, {}, "señal 🔑"),
  "of the body as it was sent": signed(BODY),
  "of the body with escaped characters": {
    ...signed('{"first_name": "Jos\\u00e9 \\ud83d\\ude42"}'),
    body: '{"first_name": "José 🙂"}',
  },
};

Deno.test("a signature in another notation, or of other parts, is a proof as configured", () => {
  for (const [name, delivery] of Object.entries(PROVED)) assert(isProved(delivery), name);
});

const HMAC = PUBLISHED["HMAC-SHA-1 as RFC 2202 has it"];
const HEX = HMAC.headers["X-Signature"];
const GREENHOUSE = PUBLISHED["Greenhouse's signature"];

const REFUSED: Record<string, Case> = {
  "of a body with escaped characters above 256 KiB": {
    ...signed(`\\u00e9${"x".repeat(256 * 1024)}`),
    body: `é${"x".repeat(256 * 1024)}`,
  },
  "cut short": { ...HMAC, headers: { "X-Signature": HEX.slice(2) } },
  "sent twice": { ...HMAC, headers: { "X-Signature": `${HEX}, ${HEX}` } },
  "in another encoding": { ...HMAC, config: { ...HMAC.config, encoding: "base64" } },
  "in another algorithm": { ...HMAC, config: { ...HMAC.config, algorithm: "sha256" } },
  "after another prefix": { ...GREENHOUSE, headers: { Signature: GREENHOUSE.headers.Signature.replace(" ", "=") } },
  "of the body alone, where more is signed": signed(BODY, { signed: "v0:{body}" }),
  "with an empty secret": signed(BODY, {}, ""),
};

Deno.test("a signature that is not as configured is not a proof", () => {
  for (const [name, delivery] of Object.entries(REFUSED)) assert.equal(isProved(delivery), false, name);
});

Deno.test("nothing is a proof while the configuration is invalid", () => {
  const headers = { ...HMAC.headers, "X-Time": `${NOW}` };
  const configs: JsonObject[] = [
    {},
    { header: "" },
    { header: "no name\n", algorithm: "sha1" },
    { header: "X-Signature", algorithm: "md5" },
    { header: "X-Signature", algorithm: "sha1", encoding: "utf8" },
    { header: "X-Signature", algorithm: "sha1", signed: "fixed" },
    { header: "X-Signature", algorithm: "sha1", signed: "{timestamp}.{body}" },
    { header: "X-Signature", algorithm: "sha1", timestamp_header: "X-Time" },
    { header: "X-Signature", algorithm: "sha1", tolerance_seconds: "300" },
  ];
  for (const config of configs) {
    assert.equal(isProved({ ...HMAC, config, headers }), false, JSON.stringify(config));
  }
});

/** A delivery with a signed time. */
function timed(timestamp: number | string, config: JsonObject = {}): Case {
  const settings = { signed: "{timestamp}.{body}", timestamp_header: "X-Time", ...config };
  const delivery = signed(`${timestamp}.${BODY}`, settings);
  return { ...delivery, headers: { ...delivery.headers, "X-Time": `${timestamp}` } };
}

Deno.test("a signed time is valid for 300 seconds before and after, or as configured", () => {
  for (const at of [NOW - 300, NOW, NOW + 300]) assert(isProved(timed(at)));
  for (const at of [NOW - 301, NOW + 301, 0]) assert.equal(isProved(timed(at)), false);
  assert(isProved(timed(NOW - 600, { tolerance_seconds: 600 })));
  assert.equal(isProved(timed(NOW - 2, { tolerance_seconds: 1 })), false);
});

Deno.test("a signed time may be in ISO 8601", () => {
  const time = "2021-02-25T15:02:10";
  for (const at of [`${time}Z`, `${time}.123456Z`, "2021-02-25T16:02:10+01:00"]) {
    assert(isProved(timed(at)), at);
  }
  for (const at of ["2021-02-25T14:02:10Z", time, "2021-02-25", "2021-99-99T15:02:10Z"]) {
    assert.equal(isProved(timed(at)), false, at);
  }
});

Deno.test("a time that differs from the signed one, or is not in Unix seconds, is not a proof", () => {
  const { headers, ...delivery } = timed(NOW);
  assert.equal(isProved({ ...delivery, headers: { ...headers, "X-Time": `${NOW + 1}` } }), false);
  for (const at of ["", `${NOW}.5`, `${NOW}000`, `+${NOW}`, "-1", "1e9", "now"]) {
    assert.equal(isProved(timed(at)), false, at);
  }
});

Deno.test("one header may contain the time and several signatures", () => {
  const config = { header: "X-Signature", algorithm: "sha256", prefix: "v1=" };
  const listed: JsonObject = { ...config, signed: "{timestamp}.{body}", timestamp_header: "x-signature" };
  const signature = timed(NOW).headers!["X-Signature"]!;
  const of = (value: string) => ({ ...timed(NOW), config: listed, headers: { "X-Signature": value } });
  for (
    const value of [
      `t=${NOW},v1=${signature}`,
      `t=${NOW}, v1=${"0".repeat(64)}, v0=x, v1=${signature}`,
      `v1=${signature},t=${NOW}`,
    ]
  ) assert.equal(verify(of(value))?.deliveryId, verify(timed(NOW))!.deliveryId, value);
  for (
    const value of [
      `t=${NOW}`,
      `v1=${signature}`,
      `t=${NOW + 1},v1=${signature}`,
      `t=${NOW},v0=${signature}`,
      `t=${NOW};v1=${signature}`,
    ]
  ) assert.equal(isProved(of(value)), false, value);
  assert.equal(isProved({ ...of(`t=${NOW},v1=${signature}`), now: NOW + 301 }), false);
});

Deno.test("a repeated delivery with a signed time has the same id, whatever the notation of its signature", () => {
  const { headers, ...delivery } = timed(NOW);
  const id = verify(timed(NOW))!.deliveryId;
  assert.match(id!, /^[0-9a-f]{64}$/);
  const inCapitals = headers!["X-Signature"]!.toUpperCase();
  assert.equal(verify({ ...delivery, headers: { ...headers, "X-Signature": inCapitals } })!.deliveryId, id);
  assert.notEqual(verify(timed(NOW + 1))!.deliveryId, id);
});

Deno.test("a delivery signed with two secrets has the same id with either signature", () => {
  const config = { header: "X-Signature", timestamp_header: "X-Signature", prefix: "v1=" };
  const [old, newer] = ["old", "newer"].map((secret) =>
    `v1=${signed(`${NOW}.${BODY}`, {}, secret).headers!["X-Signature"]}`
  );
  const ids = [`${old},${newer}`, old, newer].map((signatures) =>
    verify({
      ...signed(BODY, { ...config, signed: "{timestamp}.{body}" }),
      secrets: ["newer", "old"],
      headers: { "X-Signature": `t=${NOW},${signatures}` },
    })?.deliveryId
  );
  assert.match(ids[0]!, /^[0-9a-f]{64}$/);
  assert.deepEqual(ids, Array(3).fill(ids[0]));
});

Deno.test("a delivery without a signed time has no id", () => {
  for (const delivery of Object.values<Case>(PUBLISHED)) {
    assert.equal(verify(delivery)!.deliveryId, null);
  }
});
