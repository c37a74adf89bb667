/** The responses to vendors about their leads, and the results of the SQL functions. */
import * as z from "zod";
import { ApiError } from "../../_shared/errors.ts";
import { count, id } from "../../_shared/validate.ts";

/** The agency and the agent that received a lead. */
const distributedTo = z.strictObject({ agency_id: id, agent_id: id.nullable() })
  .meta({ id: "DistributedTo" });

/** A new lead. */
export const createdLead = z.strictObject({
  id,
  status: z.literal("created"),
  distributed_to: distributedTo.nullable().describe(
    "Null when no open order matched, for a test lead, for a person whom a repeat rule holds or who is suppressed, and when it is not decided within a second, for example while " +
      "the order is locked: the lead is distributed later then.",
  ),
}).meta({ id: "CreatedLead" });

/** A lead that is already stored. */
export const duplicateLead = z.strictObject({
  id: id.describe("The lead stored before. Of a person whose earlier lead is another vendor's: an id of no lead."),
  status: z.literal("duplicate"),
}).meta({ id: "DuplicateLead" });

/** The lead as a dry run read it, and the outcome that it would have. */
export const dryRun = z.strictObject({
  dry_run: z.literal(true),
  status: z.enum(["created", "duplicate"]),
  id: id.nullable().describe("The lead stored before, for a duplicate; null if it is another vendor's."),
  distributed_to: distributedTo.nullable().describe(
    "Where the lead would go. Null when no open order matches, for a duplicate, a test lead or a lead in bulk, and while " +
      "the orders are locked.",
  ),
  lead: z.strictObject({
    first_name: z.string(),
    vendor_lead_id: z.string().nullable(),
    vendor_metadata: z.looseObject({}),
    resume_bytes: count.nullable().describe(
      "Size of the resume that would be stored. Where one is not, `vendor_metadata.resume_skipped` says why.",
    ),
  }),
}).meta({ id: "DryRun" });

/** The 200 response of the route for single leads. */
export const duplicateOrDryRun = z.union([duplicateLead, dryRun]).meta({ id: "DuplicateOrDryRun" });

export type DistributedTo = z.infer<typeof distributedTo>;
export type IngestedLead = z.infer<typeof createdLead> | z.infer<typeof duplicateLead>;
export type DryRun = z.infer<typeof dryRun>;

/** The result of preview_recruiting_lead(). */
export type Preview = Omit<DryRun, "dry_run" | "lead">;

/** The outcome of a lead, as ingest_recruiting_leads() and abandon_recruiting_leads() return it. */
export type StoredLead =
  | (z.infer<typeof createdLead> & {
    /** Set only while the distribution is unknown. */
    distribution?: "pending";
  })
  | (z.infer<typeof duplicateLead> & {
    /** The SQLSTATE if the duplicate could not be recorded. */
    record_error?: string;
  });

/** A single lead that the database refused. The code is an SQLSTATE. */
export interface RefusedLead {
  error: { code: string; message: string };
}

/** It is unknown whether the request is stored, because the database does not respond. */
export class UnknownOutcome extends ApiError {
  /** @param isSafe whether a repeated request is recognized, so that nothing is stored twice */
  constructor(isSafe: boolean, cause: unknown) {
    const message = "may have been stored; without a vendor_lead_id or an Idempotency-Key it may be stored twice";
    const details = [{ field: "", message, code: "MAY_HAVE_BEEN_STORED" as const }];
    super(
      "INTERNAL_ERROR",
      `the request could not be completed${isSafe ? "; send the same request again" : `, and what it sent ${message}`}`,
      isSafe ? { cause } : { cause, details },
    );
  }
}
