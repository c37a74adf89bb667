import assert from "node:assert/strict";
import { NEWEST_MIGRATION } from "../../supabase/functions/_shared/version.ts";
import { send, sql } from "../support/client.ts";

const PACKAGE_VERSION = JSON.parse(Deno.readTextFileSync(new URL("../../package.json", import.meta.url))).version;

const ask = (name: string) => send(`/${name}/health`, { method: "GET" });

Deno.test("each function tells a healthy service, its migrations and its version", async () => {
  for (const name of ["recruiting", "api", "worker", "desk"]) {
    const { status, body, headers } = await ask(name);
    assert.equal(status, 200);
    assert.equal(headers.get("cache-control"), "no-store");
    assert.deepEqual(body, { status: "ok", database: "ok", migrations: NEWEST_MIGRATION, version: PACKAGE_VERSION });
  }
});

Deno.test("a database that lacks a migration is not healthy", async () => {
  const recorded = (from: string, to: string) =>
    sql`update supabase_migrations.schema_migrations set version = ${to} where version = ${from}`;
  const earlier = "20260101000000";
  await recorded(NEWEST_MIGRATION, earlier);
  try {
    const { status, body } = await ask("recruiting");
    assert.deepEqual([status, body.status, body.migrations], [503, "unavailable", earlier]);
  } finally {
    await recorded(earlier, NEWEST_MIGRATION);
  }
  assert.equal((await ask("recruiting")).status, 200);
});
