import assert from "node:assert/strict";
import { NEWEST_MIGRATION } from "../../supabase/functions/_shared/version.ts";
import { type ApiResponse, send, sql } from "../support/client.ts";

const PACKAGE_VERSION = JSON.parse(Deno.readTextFileSync(new URL("../../package.json", import.meta.url))).version;

const PATHS = ["/recruiting/health", "/api/health", "/worker/health", "/desk/health"];

function ask(path: string): Promise<ApiResponse> {
  return send(path, { method: "GET" });
}

for (const path of PATHS) {
  Deno.test(`${path} tells a healthy service, its migrations and its version`, async () => {
    const { status, body, headers } = await ask(path);
    assert.equal(status, 200);
    assert.equal(headers.get("cache-control"), "no-store");
    assert.deepEqual(body, { status: "ok", database: "ok", migrations: NEWEST_MIGRATION, version: PACKAGE_VERSION });
  });
}

Deno.test("HEAD has the status without the body, and POST is not allowed", async () => {
  const head = await send("/api/health", { method: "HEAD" });
  assert.deepEqual([head.status, head.body], [200, null]);
  assert.equal((await send("/api/health", { body: {} })).status, 405);
});

Deno.test("a database that lacks a migration is not healthy", async () => {
  const recorded = (from: string, to: string) =>
    sql`update supabase_migrations.schema_migrations set version = ${to} where version = ${from}`;
  const earlier = "20260101000000";
  await recorded(NEWEST_MIGRATION, earlier);
  try {
    const { status, body } = await ask("/recruiting/health");
    assert.equal(status, 503);
    assert.equal(body.status, "unavailable");
    assert.equal(body.migrations, earlier);
  } finally {
    await recorded(earlier, NEWEST_MIGRATION);
  }
  assert.equal((await ask("/recruiting/health")).status, 200);
});
