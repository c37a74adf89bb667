/** The routes below /recruiting/ingest. */
import * as z from "zod";
import {
  bulkRequest,
  bulkResult,
} from "../../../supabase/functions/recruiting/ingest/ingest_bulk.ts";
import {
  createdLead,
  duplicateOrDryRun,
} from "../../../supabase/functions/recruiting/ingest/responses.ts";
import { JSON_ERRORS } from "./errors.ts";
import type { Operation } from "./operation.ts";

export const recruitingLead = z.looseObject({}).meta({
  id: "RecruitingLead",
  description:
    "One applicant in the vendor's own format. After parsing there must be a first name. A vendor_lead_id deduplicates. " +
    "Everything else is kept as metadata. A resume that cannot be stored does not cost the lead. docs/parsers.md lists " +
    "what each parser reads.",
});

// The route's own schema takes any item, because the vendor's parser reads it.
const recruitingLeads = bulkRequest.extend({
  leads: z.array(recruitingLead).min(1).max(10_000),
}).meta({ id: "RecruitingLeads" });

/** The query of the routes that take single leads. */
export const DRY_RUN_QUERY = {
  dry_run: {
    description: "`true`: say what was read and what would happen, and change nothing.",
    schema: z.enum(["true", "false"]).optional(),
  },
};

export const operations: Operation[] = [
  {
    method: "post",
    isIdempotent: true,
    path: "/recruiting/ingest",
    id: "ingestRecruitingLead",
    summary: "Ingest one recruiting lead",
    security: ["vendorKey"],
    query: DRY_RUN_QUERY,
    body: {
      types: ["application/json"],
      schema: recruitingLead,
      examples: {
        generic: ["For a vendor with the parser `generic`", {
          first_name: "Ada",
          last_name: "Lovelace",
          email: "ada@example.com",
          phone: "+12025550143",
          state: "TX",
        }],
      },
    },
    responses: {
      201: {
        description: "A new lead",
        schema: createdLead,
      },
      200: {
        description: "A duplicate, or a dry run",
        schema: duplicateOrDryRun,
      },
    },
    errors: JSON_ERRORS,
  },
  {
    method: "post",
    isIdempotent: true,
    path: "/recruiting/ingest/bulk",
    id: "ingestRecruitingLeads",
    summary: "Ingest several recruiting leads, without resumes and without distribution",
    security: ["vendorKey"],
    body: {
      types: ["application/json"],
      schema: recruitingLeads,
      examples: {
        generic: ["For a vendor with the parser `generic`", {
          leads: [{ first_name: "Grace", phone: "+12025550144" }, {
            full_name: "Katherine Johnson",
          }],
        }],
      },
    },
    responses: {
      200: {
        description: "What became of the rows",
        schema: bulkResult,
      },
    },
    errors: JSON_ERRORS,
  },
];
