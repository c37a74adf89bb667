import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { type Case, isProved, NOW, refusal } from "./fixtures/verify.ts";

const SIGNATURE = createHmac("sha256", "secret").update("body").digest("hex");
const TIMED = {
  scheme: "hmac",
  config: {
    header: "x-signature",
    algorithm: "sha256",
    prefix: "v1=",
    signed: "{timestamp}.{body}",
    timestamp_header: "x-time",
  },
};
const timed = (time: string | number) => ({ ...TIMED, headers: { "x-signature": "v1=00", "x-time": String(time) } });
const LISTED = { ...TIMED.config, header: "x-list", timestamp_header: "x-list" };
const standard = (time: string | number, signature = "v1,AAAA") => ({
  scheme: "standard",
  headers: { "webhook-id": "1", "webhook-timestamp": String(time), "webhook-signature": signature },
});
const basic = (authorization: string) => ({ scheme: "basic", headers: { authorization } });
const key = { scheme: "header", config: { header: "x-key", prefix: "Key " } };
const query = { scheme: "query", config: { parameter: "token" } };

/** Deliveries that prove nothing, by reason. */
const REFUSED: Record<string, Case[]> = {
  no_secret: [
    { scheme: "greenhouse", secrets: [], headers: { signature: `sha256 ${SIGNATURE}` }, body: "body" },
    { scheme: "meta", secrets: [{ kind: "verify_token", secret: "secret" }] },
  ],
  proof_missing: [
    ...["indeed", "greenhouse", "linkedin", "meta", "standard", "basic", "google_ads"].map((scheme) => ({ scheme })),
    TIMED,
    key,
    query,
    { ...standard(NOW), headers: { "webhook-signature": "v1,AAAA", "webhook-timestamp": String(NOW) } },
    { scheme: "google_ads", body: '{"google_key": 1}' },
    { scheme: "google_ads", body: "not JSON" },
  ],
  proof_malformed: [
    { scheme: "greenhouse", headers: { signature: SIGNATURE } },
    { scheme: "linkedin", headers: { "x-li-signature": "no hex" } },
    { ...TIMED, headers: { "x-signature": "v2=00", "x-time": String(NOW) } },
    standard(NOW, "v2,AAAA"),
    basic("Bearer secret"),
    basic("Basic §"),
    { ...key, headers: { "x-key": "secret" } },
    { ...query, query: "token=a&token=b" },
  ],
  time_missing: [timed(""), timed("today"), standard(""), standard("1e9")],
  time_in_milliseconds: [timed(NOW * 1000), standard(NOW * 1000)],
  time_too_old: [timed(NOW - 301), standard(NOW - 301), timed("2020-01-01T00:00:00Z")],
  time_in_future: [timed(NOW + 301), standard(NOW + 301)],
  differs: [
    timed(NOW - 299),
    standard(NOW + 299),
    { scheme: "hmac", config: LISTED, headers: { "x-list": `t=${NOW},v1=00` } },
    { scheme: "greenhouse", headers: { signature: `sha256 ${SIGNATURE}` }, body: "another" },
    { scheme: "google_ads", body: '{"google_key": "another"}' },
    basic(`Basic ${btoa("acme:another")}`),
    { ...key, headers: { "x-key": "Key another" } },
    { ...query, query: "token=another" },
    { scheme: "of a later version" },
    { scheme: "constructor" },
  ],
};

Deno.test("a delivery is refused for the reason that is true of it", () => {
  for (const [reason, deliveries] of Object.entries(REFUSED)) {
    for (const delivery of deliveries) {
      assert.equal(isProved(delivery), false);
      assert.equal(refusal(delivery), reason, JSON.stringify(delivery));
    }
  }
});
