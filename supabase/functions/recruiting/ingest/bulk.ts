import * as z from "zod";
import { JSON_ERRORS } from "../../_shared/description.ts";
import { type Endpoint, isDryRun, type RequestContext } from "../../_shared/app.ts";
import { BATCH_CALL, batchIdempotency } from "../../_shared/batch.ts";
import { mayHaveRun } from "../../_shared/database.ts";
import { ApiError } from "../../_shared/errors.ts";
import { BATCH_BOUNDS, type Json } from "../../_shared/json.ts";
import { readJson } from "../../_shared/body/json.ts";
import { SEMAPHORES } from "../../_shared/semaphores.ts";
import { MIB } from "../../_shared/units.ts";
import { count, must, requireValidBody } from "../../_shared/validate.ts";
import { recruitingLead } from "../parsers/generic.ts";
import { DRY_RUN_QUERY } from "./ingest.ts";
import {
  type Lead,
  logUnrecorded,
  MISSING_FIRST_NAME,
  type Parse,
  readLead,
  requireParser,
  skipResume,
} from "./lead.ts";
import { dryRun, UnknownOutcome } from "./responses.ts";
import { authenticateVendor, callAsVendor, type Vendor } from "./vendor.ts";

const BODY_LIMIT = 10 * MIB;
const ROW_LIMIT = 10_000;

/** The envelope of the request. The vendor's parser reads the leads in it. */
const bulkRequest = z.object({
  // `min(1)` is not suitable: it reads the `length` of any value, and throws if `length` is an object.
  leads: z.array(z.custom<Json>(), { error: must("be a non-empty array") })
    .refine((leads) => leads.length > 0, "must be a non-empty array").meta({ minItems: 1 }),
}, { error: must("be a JSON object with leads") });

/** Why a row was not stored. */
const rowError = z.strictObject({
  row: count.describe("Zero-based index into `leads`."),
  reason: z.string(),
}).meta({ id: "RowError" });
type RowError = z.infer<typeof rowError>;

/** The outcomes of the rows. */
const bulkResult = z.strictObject({
  created: count,
  duplicates: count,
  errors: z.array(rowError).describe("The rows that were not stored, duplicates aside."),
}).meta({ id: "BulkResult" });
type BulkResult = z.infer<typeof bulkResult>;

/** The rows as a dry run read them, and the outcomes that they would have. */
const bulkDryRun = bulkResult.extend({
  dry_run: z.literal(true),
  leads: z.array(dryRun.omit({ dry_run: true }).extend({ row: rowError.shape.row }))
    .describe("The rows without an error. A repeat within the request is a duplicate without an id."),
}).meta({ id: "BulkDryRun" });
type BulkDryRun = z.infer<typeof bulkDryRun>;

/** The 200 response of the route. */
const bulkResponse = z.union([bulkResult, bulkDryRun]).meta({ id: "BulkResponse" });

/**
 * The result of ingest_recruiting_lead_batch(). `record_error` is the SQLSTATE if duplicates could not be recorded.
 */
type StoredBatch = BulkResult & { record_error?: string };

/** A valid lead with its index in the request. */
type Row = Lead & { row: number };

// The route's own schema accepts any item, because the vendor's parser reads it.
const recruitingLeads = bulkRequest.extend({
  leads: z.array(recruitingLead).min(1).max(10_000),
}).meta({ id: "RecruitingLeads" });

export const bulkEndpoint: Endpoint = {
  handler: ingestBulk,
  isIdempotent: true,
  tag: "Recruiting leads",
  id: "ingestRecruitingLeads",
  summary: "Ingest several recruiting leads, without resumes and without distribution",
  description: "Each row is stored, is a duplicate, or is reported by itself. Rows are not distributed: in a dry run " +
    "`distributed_to` is always null.",
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
          errors: [{ row: 1, reason: MISSING_FIRST_NAME }],
        }],
        dry_run: ["With ?dry_run=true", {
          dry_run: true,
          created: 1,
          duplicates: 0,
          errors: [{ row: 1, reason: MISSING_FIRST_NAME }],
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
};

/** POST /recruiting/ingest/bulk (SPEC 4.2): many leads, deduplicated and stored as one batch, not distributed. */
async function ingestBulk(context: RequestContext): Promise<Response> {
  const { vendor, requestId, rejected, log } = await authenticateVendor(context);

  const isTried = isDryRun(context);
  const { body, idempotency } = await readJson(context.body, BODY_LIMIT, {
    bounds: BATCH_BOUNDS,
    sender: vendor.id,
  });
  const { leads } = requireValidBody(bulkRequest, body);
  if (leads.length > ROW_LIMIT) {
    throw new ApiError("PAYLOAD_TOO_LARGE", `leads holds more than ${ROW_LIMIT} rows`);
  }
  const { rows, invalid } = readRows(requireParser(vendor), leads);
  if (isTried) return Response.json(await tryRows(vendor, rows, invalid));

  const batch = {
    leads: rows,
    idempotency: batchIdempotency(idempotency),
    request_id: requestId,
  };
  const stored = await callAsVendor<"ingest_recruiting_lead_batch", StoredBatch>(
    vendor,
    "ingest_recruiting_lead_batch",
    batch,
    BATCH_CALL,
    SEMAPHORES.batchCalls,
  ).catch((error) => {
    const isSafe = idempotency !== null || rows.every(({ vendor_lead_id }) => vendor_lead_id !== null);
    throw mayHaveRun(error) ? new UnknownOutcome(isSafe, error.cause) : error;
  });

  const { created, duplicates } = stored;
  logUnrecorded(requestId, stored.record_error);
  const errors = [...invalid, ...stored.errors].sort((a, b) => a.row - b.row);
  const reject = (code: string, { row, reason }: RowError) =>
    rejected.add({ row, code, reason, payload: leads[row] ?? null });
  for (const error of invalid) reject("BAD_REQUEST", error);
  for (const error of stored.errors) reject("DATABASE_ERROR", error);
  Object.assign(log, { created, duplicates, errors: errors.length });
  const result: BulkResult = { created, duplicates, errors };
  return Response.json(result);
}

/** Returns what would happen to the rows, and changes nothing. */
async function tryRows(vendor: Vendor, rows: Row[], errors: RowError[]): Promise<BulkDryRun> {
  const people = rows.map(({ vendor_lead_id, vendor_metadata: { phone, email, is_test } }) => {
    return { vendor_lead_id, vendor_metadata: { phone, email, is_test } };
  });
  const previews: Pick<BulkDryRun["leads"][number], "status" | "id">[] = await callAsVendor(
    vendor,
    "preview_recruiting_lead_batch",
    { leads: people },
    BATCH_CALL,
    SEMAPHORES.batchCalls,
  );
  const leads = rows.map(({ row, ...lead }, index) => {
    return { row, ...previews[index]!, distributed_to: null, lead: { ...lead, resume_bytes: null } };
  });
  const created = leads.filter(({ status }) => status === "created").length;
  return { dry_run: true, created, duplicates: leads.length - created, errors, leads };
}

function readRows(parse: Parse, items: Json[]): { rows: Row[]; invalid: RowError[] } {
  const rows: Row[] = [];
  const invalid: RowError[] = [];
  for (const [row, item] of items.entries()) {
    const { data, error } = readLead(parse, item);
    if (error !== null) {
      invalid.push({ row, reason: error });
      continue;
    }
    const { lead, resume } = data;
    rows.push({ row, ...(resume ? skipResume(lead, "bulk") : lead) });
  }
  return { rows, invalid };
}
