import assert from "node:assert/strict";
import { outcomeOf } from "./fetch.ts";
import type { GraphFailure } from "./graph.ts";

const NOTHING: GraphFailure = {
  ok: false,
  status: null,
  code: null,
  subcode: null,
  retryAfterSeconds: null,
  reason: "refused",
};

Deno.test("a failed request decides whether its lead, or all of the vendor, have to wait", () => {
  for (
    const [failure, outcome, reason] of [
      [{ reason: "no_connection" }, "later", "no_connection"],
      [{ reason: "lost" }, "later", "lost"],
      [{ status: 302, reason: "redirect" }, "later", "redirect"],
      [{ status: 200, reason: "too_large" }, "later", "too_large"],
      [{ status: 502, reason: "no_json" }, "later", "no_json"],
      [{ status: 500 }, "later", "HTTP 500"],
      [{ status: 429 }, "later", "HTTP 429"],
      [{ status: 503, code: 2 }, "later", "code 2"],
      [{ status: 400, code: 80005 }, "later", "code 80005"],
      [{ status: 400, code: 100, subcode: 33 }, "missing", "code 100/33"],
      [{ status: 400, code: 100 }, "refused", "code 100"],
      [{ status: 400, code: 102 }, "refused", "code 102"],
      [{ status: 400, code: 190, subcode: 463 }, "refused", "code 190/463"],
      [{ status: 403, code: 10 }, "refused", "code 10"],
      [{ status: 403, code: 200 }, "refused", "code 200"],
      [{ status: 403, code: 299 }, "refused", "code 299"],
    ] as [Partial<GraphFailure>, string, string][]
  ) {
    assert.partialDeepStrictEqual(outcomeOf({ ...NOTHING, ...failure }), { outcome, reason });
  }
  for (const code of [null, 80005]) {
    assert.equal(outcomeOf({ ...NOTHING, status: 429, code, retryAfterSeconds: 1_140 }).retry_after, 1_140);
  }
});
