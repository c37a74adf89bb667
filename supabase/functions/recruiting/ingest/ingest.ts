import type { AppContext } from "../../_shared/app.ts";
import { MIB } from "../../_shared/body_bytes.ts";
import { ApiError } from "../../_shared/errors.ts";
import { type Idempotency, readIdempotentJson } from "../../_shared/idempotency.ts";
import type { Json } from "../../_shared/json.ts";
import type { DistributedTo } from "../../_shared/sql_functions.ts";
import { tryLead } from "./dry_run.ts";
import { insertWithResume } from "./insert_with_resume.ts";
import { requireLead } from "./lead.ts";
import { insertLead } from "./lead_calls.ts";
import { authenticateVendor, type Vendor } from "./vendor.ts";

/** How large the body of one lead may be, in bytes. */
export const BODY_LIMIT = 15 * MIB;

/** The request that brings a lead. */
export interface Delivery {
  request_id: string;
  received_via: "single" | "webhook";
  /** Null without an Idempotency-Key. */
  idempotency: Idempotency | null;
}

/** What the vendor is told of its lead. The id of a duplicate is that of the lead stored before. */
export type IngestedLead =
  | { id: string; status: "created"; distributed_to: DistributedTo | null }
  | { id: string; status: "duplicate" };

/** POST /recruiting/ingest (SPEC 4.1): one lead, deduplicated, stored and distributed. */
export async function ingest(c: AppContext): Promise<Response> {
  const vendor = await authenticateVendor(c);

  const dryRun = isDryRun(c.req.query("dry_run"));
  if (dryRun) c.set("sender", undefined);
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

/**
 * Whether a request has `?dry_run=true`. Only the two words are taken: a vendor who means to try must not create a lead by
 * a spelling mistake.
 *
 * @throws ApiError BAD_REQUEST for any value but `true` and `false`.
 */
export function isDryRun(value: string | undefined): boolean {
  if (value === undefined || value === "false") return false;
  if (value === "true") return true;
  throw new ApiError("BAD_REQUEST", "dry_run must be true or false");
}

/**
 * Reads one payload with the vendor's parser, stores the lead with its resume, and distributes it.
 *
 * @throws ApiError as requireLead(), insertLead() and insertWithResume() do.
 */
export async function ingestLead(
  vendor: Vendor,
  payload: Json,
  { idempotency, ...request }: Delivery,
): Promise<IngestedLead> {
  const { lead, resume } = requireLead(vendor, payload);
  const id = crypto.randomUUID();
  const sent = { vendor, lead: { ...lead, ...request, id, resume_path: null }, idempotency };
  const stored = await (resume === null ? insertLead(sent) : insertWithResume(sent, resume));
  return stored.status === "created"
    ? { id: stored.id, status: stored.status, distributed_to: stored.distributed_to }
    : { id: stored.id, status: stored.status };
}
