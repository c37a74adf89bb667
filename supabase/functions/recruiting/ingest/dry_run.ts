import { ApiError } from "../../_shared/errors.ts";
import type { Json } from "../../_shared/json.ts";
import type { Preview } from "../../_shared/sql_functions.ts";
import { requireLead } from "./ingest_lead.ts";
import type { Lead } from "./lead.ts";
import { previewLead } from "./store_lead.ts";
import type { Vendor } from "./vendor.ts";

/** What a dry run has read, and what would have become of it. */
export interface DryRun extends Preview {
  dry_run: true;
  lead: Lead & { resume_bytes: number | null };
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
