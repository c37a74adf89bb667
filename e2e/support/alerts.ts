import assert from "node:assert/strict";
import { sql } from "./client.ts";
import { eventually } from "./processes.ts";

/** Checks the alerts, also where a scheduler or another test is doing so: its check may have begun too early. */
export async function checkAlerts(): Promise<void> {
  await eventually(60, async () => {
    const [row] = await sql`select private.check_alerts() as checked`;
    assert.notEqual(row!.checked, null);
  });
}
