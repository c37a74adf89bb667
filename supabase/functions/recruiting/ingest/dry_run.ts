import type { Json } from "../../_shared/json.ts";
import type { Preview } from "../../_shared/sql_functions.ts";
import { type Lead, requireLead } from "./lead.ts";
import { callAsVendor, type Vendor } from "./vendor.ts";

/** What a dry run has read, and what would have become of it. */
export interface DryRun extends Preview {
  dry_run: true;
  lead: Lead & { resume_bytes: number | null };
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

/** Says what would become of a lead, and changes nothing. */
export function previewLead(vendor: Pick<Vendor, "credential">, lead: Lead): Promise<Preview> {
  return callAsVendor(vendor, "preview_recruiting_lead", { lead }, { retryWithin: 3_000 });
}
