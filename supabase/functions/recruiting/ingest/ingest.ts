import type { AppContext } from "../../_shared/app.ts";
import { MIB } from "../../_shared/body.ts";
import { ApiError } from "../../_shared/errors.ts";
import { readIdempotentJson } from "../../_shared/idempotency.ts";
import { ingestLead, requireLead } from "./ingest_lead.ts";
import { previewLead } from "./store_lead.ts";
import { authenticateVendor } from "./vendor.ts";

const BODY_LIMIT = 15 * MIB;

/** POST /recruiting/ingest (SPEC 4.1): one lead, deduplicated, stored and distributed. */
export async function ingest(c: AppContext): Promise<Response> {
  const vendor = await authenticateVendor(c);

  const isDryRun = readDryRun(c.req.query("dry_run"));
  if (isDryRun) c.get("journal")?.discard();
  const { body, idempotency } = await readIdempotentJson(c.req.raw, BODY_LIMIT);

  if (isDryRun) {
    const { lead, resume } = requireLead(vendor, body);
    const { status, id, distributed_to } = await previewLead(vendor, lead);
    const read = { ...lead, resume_bytes: resume?.bytes.length ?? null };
    return c.json({ dry_run: true, status, id, distributed_to, lead: read });
  }
  const { id, status, distributed_to } = await ingestLead(vendor, body, {
    request_id: c.get("requestId"),
    received_via: "single",
    idempotency,
  });

  Object.assign(c.get("log"), { lead_status: status, lead_id: id });
  return status === "created"
    ? c.json({ id, status, distributed_to }, 201)
    : c.json({ id, status });
}

// Only the two words are taken: a vendor who means to try must not create a lead by a spelling mistake.
function readDryRun(value: string | undefined): boolean {
  if (value === undefined || value === "false") return false;
  if (value === "true") return true;
  throw new ApiError("BAD_REQUEST", "dry_run must be true or false");
}
