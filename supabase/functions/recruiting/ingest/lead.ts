import { isObject, type Json, type JsonObject } from "../../_shared/json.ts";
import type { Resume } from "./resume.ts";
import type { Vendor } from "./vendor.ts";

/** A lead as the SQL functions take it, but for its id and resume. */
export interface Lead {
  first_name: string;
  vendor_lead_id: string | null;
  vendor_metadata: JsonObject;
}

/** A payload read by its vendor's parser, or why it cannot be a lead. */
export type ReadLead =
  | { lead: Lead; resume: Resume | undefined; reason?: undefined }
  | { lead?: undefined; resume?: undefined; reason: string };

/** Parses one payload with the vendor's parser; what SPEC asks of every recruiting lead is checked here. */
export function readLead(parse: Vendor["parse"], payload: Json): ReadLead {
  if (!isObject(payload)) return { reason: "the lead must be a JSON object" };
  const parsed = parse(payload);
  const { first_name, vendor_lead_id = null, vendor_metadata, resume, problem } = parsed;
  if (problem !== undefined) return { reason: problem };
  if (first_name === undefined) return { reason: "missing first_name" };
  return { lead: { first_name, vendor_lead_id, vendor_metadata }, resume };
}
