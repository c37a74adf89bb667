import assert from "node:assert/strict";
import { send } from "./support/client.ts";
import { eventually, pidOf } from "./support/processes.ts";

Deno.test("fault: 503 within 10 s while PostgREST hangs, and 200 again afterwards", async () => {
  Deno.kill(pidOf("postgrest"), "SIGSTOP");
  const startedAt = Date.now();
  try {
    const { status, body, headers } = await send("/api/health", { method: "GET" });
    assert.equal(status, 503);
    assert.deepEqual([body.status, body.database, body.migrations], [
      "unavailable",
      "unreachable",
      null,
    ]);
    assert.equal(headers.get("cache-control"), "no-store");
    assert(Date.now() - startedAt < 10_000);
  } finally {
    Deno.kill(pidOf("postgrest"), "SIGCONT");
  }
  await eventually(
    10,
    async () => assert.equal((await send("/api/health", { method: "GET" })).status, 200),
  );
});
