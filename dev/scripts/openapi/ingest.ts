/** The routes below /recruiting/ingest. */
import * as z from "zod";
import { bulkRequest, bulkResponse } from "../../../supabase/functions/recruiting/ingest/bulk.ts";
import { createdLead, duplicateOrDryRun } from "../../../supabase/functions/recruiting/ingest/responses.ts";
import { JSON_ERRORS } from "./errors.ts";
import type { Operation } from "./operation.ts";

const ID = "4be0643f-1d98-473b-97cd-ca98a65347dd";

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

/** The query of the routes that take recruiting leads. */
export const DRY_RUN_QUERY = {
  dry_run: {
    description: "`true`: say what was read and what would happen, and change nothing.",
    schema: z.enum(["true", "false"]).optional(),
  },
};

/** The example of a new lead that nobody gets yet. */
export const WAITING = { id: ID, status: "created", distributed_to: null };
/** The example of a lead that has come before. */
export const DUPLICATE = { id: ID, status: "duplicate" };

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
        examples: {
          distributed: ["An open order matched", {
            ...WAITING,
            distributed_to: {
              agency_id: "a0000001-0000-4000-8000-000000000001",
              agent_id: "b0000002-0000-4000-8000-000000000002",
            },
          }],
          waiting: ["No open order matched", WAITING],
        },
      },
      200: {
        description: "A duplicate, or a dry run",
        schema: duplicateOrDryRun,
        examples: {
          duplicate: ["The vendor_lead_id has come before", DUPLICATE],
          dry_run: ["With ?dry_run=true", {
            dry_run: true,
            status: "created",
            id: null,
            distributed_to: null,
            lead: {
              first_name: "Ada",
              vendor_lead_id: "app-1001",
              vendor_metadata: { last_name: "Lovelace", state: "TX" },
              resume_bytes: null,
            },
          }],
        },
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
    query: DRY_RUN_QUERY,
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
        description: "What became of the rows, or would in a dry run",
        schema: bulkResponse,
        examples: {
          partly: ["One lead stored, one row without a name", {
            created: 1,
            duplicates: 0,
            errors: [{ row: 1, reason: "missing first_name" }],
          }],
          dry_run: ["With ?dry_run=true", {
            dry_run: true,
            created: 1,
            duplicates: 0,
            errors: [{ row: 1, reason: "missing first_name" }],
            leads: [{
              row: 0,
              status: "created",
              id: null,
              distributed_to: null,
              lead: {
                first_name: "Grace",
                vendor_lead_id: null,
                vendor_metadata: { phone: "+12025550144" },
                resume_bytes: null,
              },
            }],
          }],
        },
      },
    },
    errors: JSON_ERRORS,
  },
];
