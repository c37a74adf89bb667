/** The refusals of every route that takes a body. */
import assert from "node:assert/strict";
import { assertError, send } from "../support/client.ts";
import { routes } from "../support/routes.ts";

const ROUTES = await routes();

for (const { path, headers, body, limit, stored } of ROUTES) {
  Deno.test(`${path}: another method or type, and a body that is too large, are refused as such`, async () => {
    const put = await send(path, { method: "PUT", headers, body });
    assertError(put, 405, "METHOD_NOT_ALLOWED", /^this path takes POST/);
    const isWebhook = path.startsWith("/recruiting/webhooks/");
    assert.equal(put.headers.get("allow"), isWebhook ? "POST, GET, HEAD" : "POST");
    const xml = await send(path, { headers: { ...headers, "content-type": "text/xml" }, body });
    const types = path.includes("/sms/") ? /form/ : /json/i;
    assertError(xml, 415, "UNSUPPORTED_MEDIA_TYPE", types);
    const size = limit < 1024 ? `${limit} KiB` : `${limit / 1024} MiB`;
    const large = await send(path, { headers, body: " ".repeat(limit * 1024 + 1) });
    assertError(large, 413, "PAYLOAD_TOO_LARGE", new RegExp(`larger than ${size}$`));
    assert.equal(await stored(), 0);
  });
}

Deno.test("a body that is not JSON, or not an object, is BAD_REQUEST on every route for JSON", async () => {
  for (const { path, headers, stored } of ROUTES.slice(0, 5)) {
    for (const body of ["", "leads=1", "null"]) {
      assertError(await send(path, { headers, body }), 400, "BAD_REQUEST", /body|lead/);
    }
    assert.equal(await stored(), 0);
  }
});

Deno.test("a path that no function has is NOT_FOUND", async () => {
  assertError(await send("/recruiting/nothing", { body: {} }), 404, "NOT_FOUND", /path/);
});
