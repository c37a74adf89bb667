import * as z from "zod";
import { bulkSchema } from "../../../supabase/functions/recruiting/ingest/ingest_bulk.ts";
import { JSON_ERRORS } from "./errors.ts";
import type { NamedSchemas, Operation } from "./operation.ts";
import { count, id } from "./values.ts";

export const recruitingLead = z.looseObject({}).describe(
  "One applicant in the vendor's own format. After parsing there must be a first name. A vendor_lead_id deduplicates. " +
    "Everything else is kept as metadata. A resume that cannot be stored does not cost the lead. docs/parsers.md lists " +
    "what each parser reads.",
);

const recruitingLeads = bulkSchema.extend({
  leads: z.array(recruitingLead).min(1).max(10_000),
});

const distributedTo = z.strictObject({ agency_id: id, agent_id: id.nullable() });

export const createdLead = z.strictObject({
  id,
  status: z.literal("created"),
  distributed_to: distributedTo.nullable().describe("Null when no open order matched."),
});

export const duplicateLead = z.strictObject({
  id: id.describe("The lead stored before."),
  status: z.literal("duplicate"),
});

export const dryRun = z.strictObject({
  dry_run: z.literal(true),
  status: z.enum(["created", "duplicate"]),
  id: id.nullable().describe("The lead stored before, for a duplicate."),
  distributed_to: distributedTo.nullable().describe("Where the lead would go."),
  lead: z.strictObject({
    first_name: z.string(),
    vendor_lead_id: z.string().nullable(),
    vendor_metadata: z.looseObject({}),
    resume_bytes: count.nullable().describe(
      "Size of the resume that would be stored. Where one is not, `vendor_metadata.resume_skipped` says why.",
    ),
  }),
});

const duplicateOrDryRun = z.union([duplicateLead, dryRun]);

const rowError = z.strictObject({
  row: count.describe("Zero-based index into `leads`."),
  reason: z.string(),
});

const bulkResult = z.strictObject({
  created: count,
  duplicates: count,
  errors: z.array(rowError).describe("The rows that were not stored, duplicates aside."),
});

/** The query of the routes that take single leads. */
export const DRY_RUN_QUERY = {
  dry_run: {
    description: "`true`: say what was read and what would happen, and change nothing.",
    schema: z.enum(["true", "false"]).optional(),
  },
};

/** Request schemas of the routes below. */
export const requestSchemas: NamedSchemas = {
  RecruitingLead: recruitingLead,
  RecruitingLeads: recruitingLeads,
};

/** Response schemas of the routes below. */
export const responseSchemas: NamedSchemas = {
  DistributedTo: distributedTo,
  CreatedLead: createdLead,
  DuplicateLead: duplicateLead,
  DryRun: dryRun,
  DuplicateOrDryRun: duplicateOrDryRun,
  RowError: rowError,
  BulkResult: bulkResult,
};

/** The routes below /recruiting/ingest. */
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
        generic: {
          summary: "For a vendor with the parser `generic`",
          value: {
            vendor_lead_id: "app-1001",
            first_name: "Ada",
            last_name: "Lovelace",
            email: "ada@example.com",
            phone: "+12025550143",
            state: "TX",
          },
        },
      },
    },
    responses: {
      201: {
        description: "A new lead",
        schema: createdLead,
        examples: {
          distributed: {
            summary: "An open order matched",
            value: {
              id: "4be0643f-1d98-473b-97cd-ca98a65347dd",
              status: "created",
              distributed_to: {
                agency_id: "a0000000-0000-4000-8000-000000000001",
                agent_id: "b0000000-0000-4000-8000-000000000002",
              },
            },
          },
          waiting: {
            summary: "No open order matched",
            value: {
              id: "4be0643f-1d98-473b-97cd-ca98a65347dd",
              status: "created",
              distributed_to: null,
            },
          },
        },
      },
      200: {
        description: "A duplicate, or a dry run",
        schema: duplicateOrDryRun,
        examples: {
          duplicate: {
            summary: "The vendor_lead_id has come before",
            value: { id: "4be0643f-1d98-473b-97cd-ca98a65347dd", status: "duplicate" },
          },
          dry_run: {
            summary: "With ?dry_run=true",
            value: {
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
            },
          },
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
    body: {
      types: ["application/json"],
      schema: recruitingLeads,
      examples: {
        generic: {
          summary: "For a vendor with the parser `generic`; the second lead has no name",
          value: {
            leads: [
              { vendor_lead_id: "app-2001", first_name: "Grace", phone: "+12025550144" },
              { vendor_lead_id: "app-2002", phone: "+12025550145" },
            ],
          },
        },
      },
    },
    responses: {
      200: {
        description: "What became of the rows",
        schema: bulkResult,
        examples: {
          partly: {
            summary: "One lead stored, one row without a name",
            value: {
              created: 1,
              duplicates: 0,
              errors: [{ row: 1, reason: "missing first_name" }],
            },
          },
        },
      },
    },
    errors: JSON_ERRORS,
  },
];
