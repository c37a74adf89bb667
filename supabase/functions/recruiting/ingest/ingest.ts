import type { AppContext } from "../../_shared/app.ts";
import { MIB } from "../../_shared/body.ts";
import { ApiError } from "../../_shared/errors.ts";
import { readIdempotentJson } from "../../_shared/idempotency.ts";
import type { Json } from "../../_shared/json.ts";
import { type Lead, readLead, skipResume } from "./lead.ts";
import { decodePdf } from "./pdf.ts";
import { previewLead, storeLead } from "./store_lead.ts";
import { authenticateVendor, requireParser, type Vendor } from "./vendor.ts";

const BODY_LIMIT = 15 * MIB;

/** POST /recruiting/ingest (SPEC 4.1): one lead, deduplicated, stored and distributed. */
export async function ingest(c: AppContext): Promise<Response> {
  const vendor = await authenticateVendor(c);

  const isDryRun = readDryRun(c.req.query("dry_run"));
  if (isDryRun) c.get("journal")?.discard();
  const { body, idempotency } = await readIdempotentJson(c.req.raw, BODY_LIMIT);
  const { lead, pdf } = requireLead(vendor, body);

  if (isDryRun) {
    const { status, id, distributed_to } = await previewLead(vendor, lead);
    const read = { ...lead, resume_bytes: pdf?.length ?? null };
    return c.json({ dry_run: true, status, id, distributed_to, lead: read });
  }
  const { id, status, distributed_to } = await storeLead(
    vendor,
    { ...lead, request_id: c.get("requestId"), received_via: "single" },
    pdf,
    idempotency,
  );

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

/** The lead in a body, and the bytes of its resume where there is one to store. */
function requireLead(
  vendor: Vendor,
  body: Json,
): { lead: Lead; pdf: Uint8Array<ArrayBuffer> | null } {
  const { data, error } = readLead(requireParser(vendor), body);
  if (error !== null) throw new ApiError("BAD_REQUEST", error);
  const { lead, resume } = data;
  if (resume === undefined) return { lead, pdf: null };

  const { base64, type = "pdf" } = resume;
  if (type !== "pdf") return { lead: skipResume(lead, type), pdf: null };
  const { data: pdf, error: refusal } = decodePdf(base64);
  if (refusal !== null) throw refusal;
  return { lead, pdf };
}
