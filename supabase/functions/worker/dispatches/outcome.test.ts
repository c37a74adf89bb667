import assert from "node:assert/strict";
import { outcomeOf, secondsOf } from "./outcome.ts";

const BY_STATUS = { accepted_when: null, rejected_when: null };

function responded(
  status: number,
  body = "",
  rules: Partial<typeof BY_STATUS | Record<string, string>> = {},
  headers = {},
) {
  const response = { status, headers: new Headers(headers), body: new TextEncoder().encode(body), isComplete: true };
  return outcomeOf(response, { ...BY_STATUS, ...rules });
}

Deno.test("a status decides where the destination says nothing", () => {
  for (
    const [status, outcome, reason] of [
      [200, "delivered", null],
      [204, "delivered", null],
      [299, "delivered", null],
      [302, "retry", "HTTP 302"],
      [400, "retry", "HTTP 400"],
      [404, "retry", "HTTP 404"],
      [410, "gone", "HTTP 410"],
      [500, "retry", "HTTP 500"],
    ] as const
  ) {
    const found = responded(status, "a reply");
    assert.deepEqual(found, { outcome, status, excerpt: "a reply", reason, retryAfter: null }, String(status));
  }
});

Deno.test("the receiver's words decide where the destination has expressions", () => {
  for (
    const [accepted_when, rejected_when, status, body, expected] of [
      ["body.ok", null, 200, '{"ok":true}', "delivered"],
      ["body.ok", null, 200, '{"ok":false}', "retry not_accepted"],
      ["body.ok", null, 200, "ok", "retry not_accepted"],
      ["body.ok", null, 200, "", "retry not_accepted"],
      ["body.ids", null, 200, '{"ids":[]}', "retry not_accepted"],
      ["body.count", null, 200, '{"count":0}', "delivered"],
      ["status == `409`", null, 409, "", "delivered"],
      ["status == `409`", null, 200, "", "retry not_accepted"],
      ["contains(body, 'Success')", null, 200, "<result>Success</result>", "delivered"],
      ["body.ok", null, 500, '{"ok":true}', "delivered"],
      ["body.ok", null, 410, '{"ok":true}', "gone HTTP 410"],
      [null, "body.reason", 200, '{"reason":"duplicate"}', "rejected duplicate"],
      [null, "body.reason", 200, "{}", "delivered"],
      [null, "status == `422`", 422, "", "rejected HTTP 422"],
      [null, "status == `422`", 500, "", "retry HTTP 500"],
      ["body.ok", "body.duplicate", 200, '{"ok":true,"duplicate":true}', "rejected HTTP 200"],
      // They cannot be evaluated.
      [null, "abs(body)", 200, '"x"', "delivered"],
      ["abs(body)", "abs(body)", 200, '"x"', "retry not_accepted"],
      ["status ==", null, 200, "", "retry not_accepted"],
      [null, "]", 200, "", "delivered"],
    ] as const
  ) {
    const { outcome, reason } = responded(status, body, { accepted_when, rejected_when } as Record<string, string>);
    assert.equal([outcome, reason].filter(Boolean).join(" "), expected, `${accepted_when} ${rejected_when} ${body}`);
  }
});

Deno.test("500 characters of a response are kept, which can be stored", () => {
  assert.equal(responded(500, "x".repeat(60_000)).excerpt, "x".repeat(500));
  assert.equal(responded(500, "").excerpt, null);
  assert.equal(responded(500, `a\0b${"x".repeat(496)}🙂`).excerpt, `ab${"x".repeat(496)}\ufffd`);
  const reason = responded(200, JSON.stringify({ reason: "x".repeat(900) }), { rejected_when: "body.reason" }).reason;
  assert.equal(reason, "x".repeat(200));
  const split = JSON.stringify({ reason: `${"x".repeat(199)}🙂` });
  assert.equal(responded(200, split, { rejected_when: "body.reason" }).reason, `${"x".repeat(199)}\ufffd`);
});

Deno.test("Retry-After counts with 429 and 503", () => {
  const wait = { "retry-after": "120" };
  assert.deepEqual([429, 503, 500].map((status) => responded(status, "", {}, wait).retryAfter), [120, 120, null]);
  const now = Date.parse("Tue, 24 Nov 2026 20:00:00 GMT");
  for (
    const [header, seconds] of [
      ["0", 0],
      [" 5 ", 5],
      ["Tue, 24 Nov 2026 20:01:30 GMT", 90],
      ["Tue, 24 Nov 2026 19:00:00 GMT", 0],
      // A day at most: the database has no larger numbers than 2,147,483,647.
      ["999999999", 86_400],
      ["Fri, 31 Dec 9999 23:59:59 GMT", 86_400],
      ["-5", null],
      ["1.5", null],
      ["soon", null],
      ["99999999999999", null],
      ["", null],
    ] as const
  ) assert.equal(secondsOf(header, now), seconds, header);
  assert.equal(secondsOf(null), null);
});
