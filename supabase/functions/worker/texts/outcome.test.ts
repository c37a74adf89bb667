import assert from "node:assert/strict";
import { type Outcome, outcomeOf } from "./outcome.ts";

const SID = `SM${"0".repeat(32)}`;

function response(status: number, body?: unknown, retryAfter: string | null = null) {
  return outcomeOf({ kind: "response", status, retryAfter, body });
}

Deno.test("an exchange with Twilio has its outcome", () => {
  for (
    const [what, outcome, expected] of [
      ["201 with a sid", response(201, { sid: SID, status: "queued" }), "accepted"],
      ["200 with a sid", response(200, { sid: SID }), "accepted"],
      ["201 without a sid", response(201, { status: "queued" }), "unconfirmed"],
      ["201 with an empty sid", response(201, { sid: "" }), "unconfirmed"],
      ["201 with a body that is not an object", response(201, [SID]), "unconfirmed"],
      ["201 with a body that is not JSON", response(201), "unconfirmed"],
      ["204", response(204), "unconfirmed"],
      ["302", response(302), "unconfirmed"],
      ["307 with a sid", response(307, { sid: SID }), "unconfirmed"],
      ["400 with an unknown code", response(400, { code: 99999 }), "failed"],
      ["400 with a body that is not JSON", response(400), "failed"],
      ["400 with 21211, no phone number", response(400, { code: 21211 }), "failed"],
      ["400 with 21408, a country that is off", response(400, { code: 21408 }), "failed"],
      ["400 with 21606, not our number", response(400, { code: 21606 }), "failed"],
      ["400 with 21612, no route", response(400, { code: 21612 }), "failed"],
      ["400 with 21614, no mobile", response(400, { code: 21614 }), "failed"],
      ["400 with 21617, too long", response(400, { code: 21617 }), "failed"],
      ["400 with 21620, a wrong media URL", response(400, { code: 21620 }), "failed"],
      ["400 with 30007, filtered", response(400, { code: 30007 }), "failed"],
      ["400 with 21610, opted out", response(400, { code: 21610 }), "opted_out"],
      ["400 with 21610 as a string", response(400, { code: "21610" }), "opted_out"],
      ["400 with 21611, a full queue", response(400, { code: 21611 }), "later"],
      ["429 with 21611, a full queue", response(429, { code: 21611 }), "later"],
      ["400 with 30034, not registered", response(400, { code: 30034 }), "number_paused"],
      ["401 with 20003", response(401, { code: 20003 }), "credentials"],
      ["401 with a body that is not JSON", response(401), "credentials"],
      ["403 with 20005, a suspended account", response(403, { code: 20005 }), "credentials"],
      ["403 with 20008, test credentials", response(403, { code: 20008 }), "credentials"],
      ["403 with a code about the text", response(403, { code: 21408 }), "failed"],
      ["403 with a body that is not JSON", response(403), "failed"],
      ["404 with 20404, no such account", response(404, { code: 20404 }), "credentials"],
      ["405", response(405), "failed"],
      ["408", response(408), "later"],
      ["429 with 20429", response(429, { code: 20429 }), "later"],
      ["429 with a body that is not JSON", response(429), "later"],
      ["500 with 20500", response(500, { code: 20500 }), "unconfirmed"],
      ["502 with a body that is not JSON", response(502), "unconfirmed"],
      ["503 with Retry-After", response(503, undefined, "5"), "unconfirmed"],
      ["500 with a code that a 400 would have", response(500, { code: 21610 }), "unconfirmed"],
      ["504", response(504), "unconfirmed"],
      ["no connection", outcomeOf({ kind: "not_sent" }), "later"],
      ["a request that may have arrived", outcomeOf({ kind: "lost" }), "unconfirmed"],
    ] as [string, Outcome, Outcome["outcome"]][]
  ) {
    assert.equal(outcome.outcome, expected, what);
    assert.equal(outcome.sid, expected === "accepted" ? SID : undefined, what);
  }
});

Deno.test("a refusal has Twilio's code, or the HTTP status if there is none", () => {
  assert.equal(response(400, { code: 21211 }).code, "21211");
  assert.equal(response(403).code, "403");
  assert.equal(response(401, { message: "Authenticate" }).code, "401");
});

Deno.test("the wait that Twilio requests is in seconds, at most an hour", () => {
  const inTenMinutes = new Date(Date.now() + 600_000).toUTCString();
  assert.equal(response(429, {}, "7").retryAfter, 7);
  assert.equal(response(429, {}, "0").retryAfter, 0);
  assert.equal(response(429, {}, "86400").retryAfter, 3_600);
  const { retryAfter } = response(429, {}, inTenMinutes);
  assert(retryAfter! > 500 && retryAfter! <= 600);
  for (const none of [null, "", "soon", "-5", "1.5", "Thu, 01 Jan 1970 00:00:00 GMT"]) {
    assert.equal(response(429, {}, none).retryAfter, undefined, String(none));
  }
});
