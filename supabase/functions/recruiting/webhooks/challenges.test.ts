import assert from "node:assert/strict";
import { respondToChallenge } from "./challenges.ts";
import type { Webhook, WebhookScheme, WebhookSecret } from "./delivery.ts";

function webhook(scheme: WebhookScheme, ...secrets: [WebhookSecret["kind"], string][]): Webhook {
  const withIds = secrets.map(([kind, secret], index) => ({ id: `${index}`, kind, secret }));
  return { scheme, config: {}, secrets: withIds };
}

const LINKEDIN = webhook("linkedin", ["secret", "secret"], ["secret", "old"]);
const META = webhook("meta", ["secret", "app secret"], ["verify_token", "new"], ["verify_token", "meatyhamhock"]);

function respond(to: Webhook | null, query: Record<string, string>): Response | null {
  return respondToChallenge(to, new URLSearchParams(query));
}

// The code is from https://learn.microsoft.com/linkedin/shared/api-guide/webhook-validation, the response was computed
// by its rule: printf 890e4665-4dfe-4ab1-b689-ed553bceeed0 | openssl dgst -sha256 -hmac secret
Deno.test("LinkedIn's challenge is signed with the newest secret", async () => {
  const challengeCode = "890e4665-4dfe-4ab1-b689-ed553bceeed0";
  const response = respond(LINKEDIN, { challengeCode, applicationId: "1" })!;
  assert.equal(response.status, 200);
  assert.match(response.headers.get("content-type")!, /^application\/json/);
  assert.deepEqual(await response.json(), {
    challengeCode,
    challengeResponse: "9585d359e64d6a2013e0cf377f702b7141313246286c6891f22e3bfcc3938f65",
  });
});

Deno.test("LinkedIn's challenge signs only a UUID, so that it cannot sign a delivery", () => {
  const code = "890e4665-4dfe-4ab1-b689-ed553bceeed0";
  const forged = ["hmacsha256={}", `hmacsha256=${code}`, `${code}{}`, `${code}\n`, ` ${code}`];
  for (const challengeCode of ["", ...forged]) {
    assert.equal(respond(LINKEDIN, { challengeCode }), null);
  }
});

// The query from https://developers.facebook.com/docs/graph-api/webhooks/getting-started
const QUERY = { "hub.mode": "subscribe", "hub.challenge": "1158201444", "hub.verify_token": "meatyhamhock" };

Deno.test("Meta's challenge is returned as text that browsers do not render as a page", async () => {
  for (const token of ["meatyhamhock", "new"]) {
    const response = respond(META, { ...QUERY, "hub.verify_token": token })!;
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("content-type"), "text/plain; charset=utf-8");
    assert.equal(response.headers.get("x-content-type-options"), "nosniff");
    assert.equal(await response.text(), "1158201444");
  }
});

Deno.test("Meta's challenge requires the correct token and mode, and must be a number or a word", () => {
  for (
    const wrong of [
      { "hub.verify_token": "" },
      { "hub.verify_token": "MeatyHamHock" },
      { "hub.verify_token": "app secret" },
      { "hub.mode": "unsubscribe" },
      { "hub.mode": "" },
      { "hub.challenge": "" },
      { "hub.challenge": "<script>" },
      { "hub.challenge": "1 2" },
      { "hub.challenge": "1".repeat(129) },
    ]
  ) assert.equal(respond(META, { ...QUERY, ...wrong }), null);
  assert.equal(respond(webhook("meta", ["secret", "meatyhamhock"], ["verify_token", ""]), QUERY), null);
  assert.equal(respond(webhook("meta", ["verify_token", ""]), { ...QUERY, "hub.verify_token": "" }), null);
});

Deno.test("other schemes have no challenge, and a slug without a webhook has none", () => {
  const query = { ...QUERY, challengeCode: "890e4665-4dfe-4ab1-b689-ed553bceeed0" };
  for (const scheme of ["hmac", "indeed", "greenhouse", "google_ads", "header"] as const) {
    assert.equal(respond(webhook(scheme, ["secret", "secret"], ["verify_token", "meatyhamhock"]), query), null);
  }
  assert.equal(respond(null, query), null);
  assert.equal(respond(webhook("linkedin"), query), null);
});
