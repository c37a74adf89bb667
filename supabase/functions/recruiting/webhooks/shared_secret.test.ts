import assert from "node:assert/strict";
import type { JsonObject } from "../../_shared/json.ts";
import { type Case, isProved, verify } from "./fixtures/verify.ts";

const HEADER: Case = { scheme: "header", config: { header: "X-Api-Key" }, headers: { "x-api-key": "secret" } };
const QUERY: Case = {
  scheme: "query",
  config: { parameter: "key" },
  secrets: ["a+b %41"],
  query: "x=1&key=a%2Bb%20%2541",
};
const BASIC: Case = {
  scheme: "basic",
  secrets: ["Aladdin:open sesame"],
  headers: { Authorization: "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==" },
};
const GOOGLE: Case = {
  scheme: "google_ads",
  body: '{"lead_id": "TeSter-123-ABCDEFGHIJ", "user_column_data": [], "google_key": "secret"}',
};

const PROVED: Record<string, Case> = {
  // https://developers.google.com/google-ads/webhook/docs/implementation
  "the key of a Google form": GOOGLE,
  // RFC 7617, section 2
  "user and password as RFC 7617 has them": BASIC,
  // RFC 7617, section 2.1
  "a password in UTF-8 as RFC 7617 has it": {
    ...BASIC,
    secrets: ["test:123£"],
    headers: { Authorization: "Basic dGVzdDoxMjPCow==" },
  },
  "a password with a colon, after the word in small letters": {
    ...BASIC,
    secrets: ["user:a:b"],
    headers: { Authorization: `basic ${btoa("user:a:b")}` },
  },
  "a secret in a header": HEADER,
  "a secret in a header after a prefix": {
    ...HEADER,
    config: { header: "Authorization", prefix: "Token " },
    headers: { authorization: "Token secret" },
  },
  "a secret beyond ASCII in a header": {
    ...HEADER,
    secrets: ["clé"],
    headers: { "X-Api-Key": String.fromCharCode(...new TextEncoder().encode("clé")) },
  },
  "a secret in a parameter, percent-encoded once": QUERY,
};

Deno.test("a shared secret in its place is a proof, and has no id", () => {
  for (const [name, delivery] of Object.entries(PROVED)) {
    const { secretId, deliveryId } = verify(delivery)!;
    assert.deepEqual([secretId, deliveryId], ["secret 0", null]);
    assert.equal(isProved({ ...delivery, secrets: ["other:other"] }), false, name);
  }
});

const REFUSED: Record<string, Case> = {
  "another google_key": { ...GOOGLE, secrets: ["secret "] },
  "a google_key below the top level": { ...GOOGLE, body: '[{"a": {"google_key": "secret"}}]' },
  "a google_key in a body that is not JSON": { ...GOOGLE, body: '{"google_key": "secret"' },
  "a google_key in a body above 64 KiB": {
    ...GOOGLE,
    body: `{"google_key": "secret", "a": "${"x".repeat(64 * 1024)}"}`,
  },
  "a google_key among ten thousand values": {
    ...GOOGLE,
    body: `{"google_key": "secret", "a": [${"null,".repeat(10_000)}1]}`,
  },
  "a password in Latin-1": {
    ...BASIC,
    secrets: ["test:123£"],
    headers: { Authorization: `Basic ${btoa("test:123£")}` },
  },
  "another secret in a header": { ...HEADER, headers: { "X-Api-Key": "Secret" } },
  "a secret in a repeated header": { ...HEADER, headers: { "X-Api-Key": "secret, secret" } },
  "an empty header for an empty secret": { ...HEADER, secrets: [""], headers: { "X-Api-Key": "" } },
  "a missing header for an empty secret": { ...HEADER, secrets: [""], headers: {} },
  "a secret in a parameter, percent-encoded twice": { ...QUERY, query: "key=a%252Bb%2520%252541" },
  "a secret in another parameter": { ...QUERY, query: QUERY.query!.replace("key", "Key") },
};

Deno.test("another secret, or one in another place or form, is not a proof", () => {
  for (const [name, delivery] of Object.entries(REFUSED)) assert.equal(isProved(delivery), false, name);
});

Deno.test("nothing is a proof while the header or the parameter is not configured", () => {
  const configs: Record<string, JsonObject[]> = {
    header: [{}, { header: 1 }, { header: "no name" }, { header: "X-Api-Key", prefix: null }],
    query: [{}, { parameter: null }, { parameter: 0 }],
  };
  const request = { headers: { "X-Api-Key": "secret" }, query: "key=secret&=secret&null=secret" };
  for (const [scheme, wrong] of Object.entries(configs)) {
    for (const config of wrong) assert.equal(isProved({ scheme, config, ...request }), false);
  }
});
