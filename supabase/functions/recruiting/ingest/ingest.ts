import { isDryRun, type RequestContext } from "../../_shared/app.ts";
import { ApiError } from "../../_shared/errors.ts";
import { isObject, type Json } from "../../_shared/json.ts";
import { type Idempotency, readJson } from "../../_shared/body/json.ts";
import { MIB } from "../../_shared/units.ts";
import { requireLead } from "./lead.ts";
import type { DryRun, IngestedLead } from "./responses.ts";
import { storeWithResume } from "./resume.ts";
import { leadStore } from "./store.ts";
import { authenticateVendor, previewLead, type Vendor } from "./vendor.ts";

/** How large the body of one lead may be, in bytes. */
export const BODY_LIMIT = 15 * MIB;

/** The request that brings a lead. */
export interface IngestRequest {
  request_id: string;
  received_via: "single" | "webhook";
  /** Null without an Idempotency-Key. */
  idempotency: Idempotency | null;
}

/** POST /recruiting/ingest (SPEC 4.1): one lead, deduplicated, stored and distributed. */
export async function ingest(context: RequestContext): Promise<Response> {
  const { vendor, requestId, log } = await authenticateVendor(context);

  const dryRun = isDryRun(context);
  const { body, idempotency } = await readJson(context.body, BODY_LIMIT, { sender: vendor.id });
  if (dryRun) return Response.json(await tryLead(vendor, body).catch(nameBulk(body)));

  const request = { request_id: requestId, received_via: "single", idempotency } as const;
  const lead = await ingestLead(vendor, body, request).catch(nameBulk(body));
  Object.assign(log, { lead_status: lead.status, lead_id: lead.id });
  return Response.json(lead, { status: lead.status === "created" ? 201 : 200 });
}

/** Names the route for several leads where a body that is no lead looks like several. */
function nameBulk(body: Json): (error: unknown) => never {
  return (error) => {
    const looksLikeMany = Array.isArray(body) || isObject(body) && Array.isArray(body.leads);
    if (!looksLikeMany || !(error instanceof ApiError) || error.code !== "BAD_REQUEST") throw error;
    throw new ApiError(
      "BAD_REQUEST",
      `${error.message}; send several leads to /recruiting/ingest/bulk as {"leads": […]}`,
    );
  };
}

/**
 * Reads one payload with the vendor's parser, stores the lead with its resume, and distributes it.
 *
 * @throws ApiError as requireLead(), LeadStore.store() and storeWithResume() do.
 */
export async function ingestLead(
  vendor: Vendor,
  payload: Json,
  { idempotency, ...request }: IngestRequest,
): Promise<IngestedLead> {
  const { lead, resume } = requireLead(vendor, payload);
  const id = crypto.randomUUID();
  const sent = { vendor, lead: { ...lead, ...request, id, resume_path: null }, idempotency };
  const stored = await (resume === null ? leadStore.store(sent) : storeWithResume(sent, resume));
  return stored.status === "created"
    ? { id: stored.id, status: stored.status, distributed_to: stored.distributed_to }
    : { id: stored.id, status: stored.status };
}

/**
 * Says what would become of a payload, and changes nothing.
 *
 * @throws ApiError as ingestLead() does.
 */
export async function tryLead(vendor: Vendor, payload: Json): Promise<DryRun> {
  const { lead, resume } = requireLead(vendor, payload);
  const { status, id, distributed_to } = await previewLead(vendor, lead);
  const read = { ...lead, resume_bytes: resume?.bytes.length ?? null };
  return { dry_run: true, status, id, distributed_to, lead: read };
}
