import type { AppContext } from "../../_shared/app.ts";
import { MIB } from "../../_shared/body_bytes.ts";
import { readIdempotentJson } from "../../_shared/idempotency.ts";
import { isDryRun, tryLead } from "./dry_run.ts";
import { ingestLead } from "./ingest_lead.ts";
import { authenticateVendor } from "./vendor.ts";

/** How large the body of one lead may be, in bytes. */
export const BODY_LIMIT = 15 * MIB;

/** POST /recruiting/ingest (SPEC 4.1): one lead, deduplicated, stored and distributed. */
export async function ingest(c: AppContext): Promise<Response> {
  const vendor = await authenticateVendor(c);

  const dryRun = isDryRun(c.req.query("dry_run"));
  if (dryRun) c.get("journal")?.discard();
  const { body, idempotency } = await readIdempotentJson(c.req.raw, BODY_LIMIT, {
    sender: vendor.id,
  });
  if (dryRun) return c.json(await tryLead(vendor, body));

  const ingested = await ingestLead(vendor, body, {
    request_id: c.get("requestId"),
    received_via: "single",
    idempotency,
  });
  Object.assign(c.get("log"), { lead_status: ingested.status, lead_id: ingested.id });
  return c.json(ingested, ingested.status === "created" ? 201 : 200);
}
