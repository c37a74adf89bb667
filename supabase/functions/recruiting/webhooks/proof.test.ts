import assert from "node:assert/strict";
import fc, { character } from "fast-check";
import { type Case, isProved, NOW, verify } from "./fixtures/verify.ts";
import { SCHEMES, verifyProof } from "./proof.ts";

const BODY = '{"google_key": "secret"}';
const HEADERS = {
  "X-Api-Key": "secret",
  // printf '{"google_key": "secret"}' | openssl dgst -sha256 -hmac secret
  "Signature": "sha256 f4a067aef67d7608e43b9bc8e9001674be5c857b613b61feff9b5507d039917c",
};

/** A request that each of these schemes accepts. */
const REQUEST = { headers: HEADERS, query: "key=secret", body: BODY };
const DELIVERIES: Case[] = [
  { scheme: "greenhouse", ...REQUEST },
  { scheme: "google_ads", ...REQUEST },
  { scheme: "header", config: { header: "X-Api-Key" }, ...REQUEST },
  { scheme: "query", config: { parameter: "key" }, ...REQUEST },
];

Deno.test("while a secret is rotated, both secrets are accepted, and the proof names the one used", () => {
  for (const delivery of DELIVERIES) {
    assert.equal(verify({ ...delivery, secrets: ["new", "secret"] })?.secretId, "secret 1");
    assert.equal(verify({ ...delivery, secrets: ["secret", "old"] })?.secretId, "secret 0");
  }
});

Deno.test("a slug without a webhook has no proof, and neither has an unknown scheme", () => {
  const request = {
    headers: new Headers(HEADERS),
    query: new URLSearchParams(REQUEST.query),
    body: new TextEncoder().encode(BODY),
  };
  assert.equal(verifyProof(null, request, new Date(NOW * 1000)), null);
  for (const scheme of ["", "unknown", "constructor", "__proto__"]) {
    assert.equal(isProved({ scheme, ...REQUEST }), false);
  }
});

Deno.test("property: no request or configuration throws, and no random request is a proof", () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: character }));
  const setting = fc.oneof(text, fc.integer(), fc.constantFrom(null, "x", "sha1", "{body}"));
  const settings = ["header", "algorithm", "encoding", "prefix", "signed", "timestamp_header"];
  const value = fc.oneof(
    fc.constantFrom("Basic ", "Basic ====", "v1,", "sha256=", "sha256 ", "a".repeat(70_000)),
    fc.uint8Array().map((bytes) => String.fromCharCode(...bytes).replace(/[\0\r\n]/g, "")),
  );
  const headers = ["x", "authorization", "signature", "x-li-signature", "x-indeed-signature"];
  const standardHeaders = ["webhook-id", "webhook-timestamp", "webhook-signature"];
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.keys(SCHEMES)),
      fc.dictionary(fc.constantFrom(...settings, "tolerance_seconds", "parameter"), setting),
      fc.dictionary(fc.constantFrom(...headers, ...standardHeaders), value),
      fc.array(text.map((secret) => `no guess ${secret}`), { maxLength: 3 }),
      fc.oneof(text, fc.uint8Array()),
      (scheme, config, headers, secrets, body) => {
        const query = new URLSearchParams(headers).toString();
        const delivery = { scheme, config: { ...config }, headers, secrets, query, body };
        assert.equal(verify(delivery), null);
      },
    ),
    { numRuns: 100 },
  );
});
