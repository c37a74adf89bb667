import { ApiError } from "../../_shared/errors.ts";
import type { Idempotency } from "../../_shared/idempotency.ts";
import type { Json } from "../../_shared/json.ts";
import type { DistributedTo } from "../../_shared/sql_functions.ts";
import { readResumeFile, type ResumeFile } from "../resumes/resume_file.ts";
import { type Lead, readLead, skipResume } from "./lead.ts";
import { storeLead } from "./store_lead.ts";
import { requireParser, type Vendor } from "./vendor.ts";

/** The request that brings a lead. */
export interface Delivery {
  request_id: string;
  received_via: "single" | "webhook";
  /** Null without an Idempotency-Key. */
  idempotency: Idempotency | null;
}

/** A valid lead, and its resume where there is one to store. */
export interface ReceivedLead {
  lead: Lead;
  resume: ResumeFile | null;
}

/** What the vendor is told of its lead. The id of a duplicate is that of the lead stored before. */
export type IngestedLead =
  | { id: string; status: "created"; distributed_to: DistributedTo | null }
  | { id: string; status: "duplicate" };

/**
 * Reads one payload with the vendor's parser, stores the lead with its resume, and distributes it.
 *
 * @throws ApiError as {@link requireLead} and storeLead() do.
 */
export async function ingestLead(
  vendor: Vendor,
  payload: Json,
  { idempotency, ...request }: Delivery,
): Promise<IngestedLead> {
  const { lead, resume } = requireLead(vendor, payload);
  const stored = await storeLead(vendor, { ...lead, ...request }, resume, idempotency);
  const { id, status, distributed_to } = stored;
  return status === "created" ? { id, status, distributed_to } : { id, status };
}

/**
 * Reads one payload with the vendor's parser. A resume that cannot be stored is named in the lead's metadata.
 *
 * @throws ApiError BAD_REQUEST where the vendor has no parser, or with the text by which the parser says why the payload
 * is no lead.
 */
export function requireLead(vendor: Vendor, payload: Json): ReceivedLead {
  const { data, error } = readLead(requireParser(vendor), payload);
  if (error !== null) throw new ApiError("BAD_REQUEST", error);
  const { lead, resume } = data;
  if (resume === undefined) return { lead, resume: null };

  const { data: file, error: reason } = readResumeFile(resume.base64);
  return reason === null
    ? { lead, resume: file }
    : { lead: skipResume(lead, reason), resume: null };
}
