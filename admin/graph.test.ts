import assert from "node:assert/strict";
import { whyRefused } from "./graph.ts";

for (
  const [failure, words] of [
    [{ reason: "configuration" }, "META_GRAPH_BASE_URL must be an origin, such as https://graph.facebook.com"],
    [{ reason: "no_connection" }, "the Graph API cannot be reached"],
    [{ reason: "lost" }, "the Graph API has not answered"],
    [{ reason: "redirect", status: 302 }, "what answered is not the Graph API (HTTP 302)"],
    [{ code: 4 }, "too many calls (code 4): wait an hour"],
    [{ status: 429, retryAfterSeconds: 61 }, "too many calls (HTTP 429): wait 2 min"],
    [{ code: 80_005, retryAfterSeconds: 1_140 }, "too many calls (code 80005): wait 19 min"],
    [{ code: 190 }, "the access token is not valid (code 190)"],
    [{ code: 190, subcode: 458 }, "the access token has ended, because the app was removed (code 190/458)"],
    [{ code: 190, subcode: 460 }, "the access token has ended, because its user's password was changed (code 190/460)"],
    [{ code: 190, subcode: 463 }, "the access token has expired (code 190/463)"],
    [{ code: 210 }, "the access token is not the page's, nor its user one of the page (code 210)"],
    [{ code: 10 }, "the access token may not read it (code 10)"],
    [{ code: 100, subcode: 33 }, "it is not there, or the access token may not read it (code 100/33)"],
    [{ code: 100 }, "Meta does not take the app secret, or the request (code 100)"],
    [{ code: 2 }, "Meta has an error (code 2)"],
    [{ status: 500 }, "Meta has an error (HTTP 500)"],
  ] as const
) {
  Deno.test(`${JSON.stringify(failure)} of Meta: ${words}`, () => {
    const nothing = { ok: false, reason: "refused", status: 400, code: null, subcode: null, retryAfterSeconds: null };
    assert.equal(whyRefused({ ...nothing, ...failure } as Parameters<typeof whyRefused>[0]), words);
  });
}
