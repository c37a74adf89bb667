/** A copy of the data folder brings everything back, as docs/operations.md says. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { Checkout } from "../testing/checkout.ts";
import { connect } from "./database/postgres.ts";
import { keptPorts } from "./processes/ports.ts";
import type { StackInfo } from "./stack_info.ts";

Deno.test("a copy of the data folder is put in its place, with its leads and keys", async () => {
  const checkout = new Checkout();
  const dataDir = join(checkout.root, "data");
  const [port, dbPort] = keptPorts(2) as [number, number];

  const whileRunning = async (use: (stack: StackInfo) => Promise<void>) => {
    const run = checkout.run(
      "start",
      ...["--port", `${port}`, "--db-port", `${dbPort}`, "--data-dir", "data"],
    );
    try {
      await use(await checkout.ready(run, dataDir));
    } finally {
      Deno.kill(-run.pid, "SIGINT");
      await run.ended;
    }
  };
  const copy = async (from: string, to: string) => {
    const { code } = await new Deno.Command("sh", {
      args: ["-c", 'rm -rf "$2" && cp -a "$1" "$2"', "sh", from, to],
      cwd: checkout.root,
    }).output();
    assert.equal(code, 0);
  };

  try {
    await whileRunning((stack) => ingest(stack, "before the copy", 201));
    await copy("data", "backup");
    await whileRunning(async ({ db_url }) => {
      const sql = connect(db_url);
      await sql`delete from public.recruiting_leads`;
      await sql`update public.vendor_api_keys set revoked_at = now()`;
      await sql.end();
    });
    await copy("backup", "data");
    await whileRunning(async (stack) => {
      await ingest(stack, "before the copy", 200);
      await ingest(stack, "after the copy", 201);
    });
  } finally {
    checkout.remove();
  }
});

/** Sends a lead, and asserts whether it is new (201) or was there (200). */
async function ingest(stack: StackInfo, vendor_lead_id: string, status: number): Promise<void> {
  const { api_key } = stack.vendors.find(({ slug }) => slug === "generic")!;
  const response = await fetch(`${stack.functions_url}/recruiting/ingest`, {
    method: "POST",
    headers: { authorization: `Bearer ${api_key}`, "content-type": "application/json" },
    body: JSON.stringify({ vendor_lead_id, first_name: "Ida" }),
  });
  assert.equal(response.status, status, await response.text());
}
