import assert from "node:assert/strict";
import { send } from "../support/client.ts";
import { eventually } from "../support/processes.ts";
import { whileHanging } from "../../dev/testing/faults/parts.ts";

Deno.test("fault: 503 within 10 s while PostgREST hangs, and 200 again afterwards", async () => {
  const ask = () => send("/api/health", { method: "GET" });
  const startedAt = Date.now();
  const { status, body, headers } = await whileHanging("postgrest", ask);
  assert(Date.now() - startedAt < 10_000);
  assert.deepEqual([status, body.status, body.database, body.migrations], [503, "unavailable", "unreachable", null]);
  assert.equal(headers.get("cache-control"), "no-store");
  await eventually(10, async () => assert.equal((await ask()).status, 200));
});
