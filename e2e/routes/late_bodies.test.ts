/** Bodies that stop coming half way, which takes as long as a body has. */
import assert from "node:assert/strict";
import { Connection } from "../support/connection.ts";
import { routes } from "../support/routes.ts";

Deno.test("a body that does not arrive within 30 s is REQUEST_TIMEOUT and stores nothing", async () => {
  await Promise.all((await routes()).map(async ({ path, headers, body: sent, stored }) => {
    const connection = await Connection.post(path, { ...headers, "content-length": String(sent.length) });
    await connection.send(sent.slice(0, sent.length / 2));
    const { status, body } = await connection.response();
    connection.close();
    assert.deepEqual([path, status, body.error.code], [path, 408, "REQUEST_TIMEOUT"]);
    assert.equal(body.error.message, "the body did not arrive within 30 s");
    assert.equal(await stored(), 0, path);
  }));
});
