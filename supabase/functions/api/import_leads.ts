import * as z from "zod";
import { JSON_ERRORS } from "../_shared/description.ts";
import { type Endpoint, refuseDryRun, type RequestContext } from "../_shared/app.ts";
import { ApiError } from "../_shared/errors.ts";
import { BATCH_BOUNDS, isObject, type Json } from "../_shared/json.ts";
import { type Idempotency, readJson } from "../_shared/body/json.ts";
import { rateLimitFromEnv, requireWithinLimit } from "../_shared/rate_limit.ts";
import { failure } from "../_shared/result.ts";
import { matchesSecret, secretsFromEnv } from "../_shared/secrets.ts";
import { MIB } from "../_shared/units.ts";
import { count, id, must, requireValidBody, uuid } from "../_shared/validate.ts";
import { leadError, type Outcome, type Row, storeLeads, type Target } from "./import_chunks.ts";
import { leadSchema, readImportedLead } from "./imported_lead.ts";

const BODY_LIMIT = 10 * MIB;
const ROW_LIMIT = 10_000;

/** The envelope of the request. */
const importRequest = z.object({
  agency_id: uuid,
  agent_id: uuid,
  distribution_id: uuid.nullable().default(null),
  leads: z.array(z.custom<Json>(), { error: must("be an array") }),
}, { error: must("be a JSON object") });

const importResult = z.strictObject({
  success: z.literal(true).describe("A request that fails as a whole gets an error instead."),
  imported: count,
  failed: count.describe("`imported + failed` is the number of leads sent."),
  errors: z.array(leadError),
  lead_ids: z.array(id).describe("Of the imported leads, in the request's order."),
}).meta({ id: "ImportResult" });
type ImportResult = z.infer<typeof importResult>;

// Optional fields may be missing in a request. The route's own schema requires them, because the route first fills in
// null.
const salesLead = leadSchema.partial({
  last_name: true,
  email: true,
  address: true,
  city: true,
  zip: true,
  language: true,
}).meta({ id: "SalesLead" });

// The route's own schema accepts any item, because invalid items are reported individually. The document describes
// valid ones.
const leadImport = importRequest.extend({ leads: z.array(salesLead).max(10_000) })
  .meta({ id: "LeadImport" });

const EXTERNAL_ID = "20000000-0000-4000-8000-0000000000ab";
const LEAD = "0a4be0a6-7b37-4b68-9a0c-3a6d6e1a5d0c";

export const importEndpoint: Endpoint = {
  handler: importLeads,
  isIdempotent: true,
  tag: "Sales leads",
  id: "importLeads",
  summary: "Import sales leads for one agent",
  description: "Each lead is imported or reported by itself. The same request again imports nothing twice.",
  security: ["importKey"],
  body: {
    types: ["application/json"],
    schema: leadImport,
    examples: {
      one_lead: ["One lead", {
        agency_id: "a0000001-0000-4000-8000-000000000001",
        agent_id: "b0000002-0000-4000-8000-000000000002",
        leads: [{
          external_id: EXTERNAL_ID,
          first_name: "Walt",
          phone: "312-555-0177",
          state: "IL",
          type: "fe",
        }],
      }],
    },
  },
  responses: {
    200: {
      description: "What became of the leads",
      schema: importResult,
      examples: {
        imported: [
          "All leads imported",
          { success: true, imported: 1, failed: 0, errors: [], lead_ids: [LEAD] },
        ],
        failed: ["One lead invalid, one imported before", {
          success: true,
          imported: 0,
          failed: 2,
          errors: [
            {
              index: 0,
              external_id: null,
              code: "INVALID",
              reason: "external_id is missing; phone is missing",
            },
            {
              index: 1,
              external_id: EXTERNAL_ID,
              code: "DUPLICATE",
              reason: "the agency has a lead with this external_id",
              lead_id: LEAD,
            },
          ],
          lead_ids: [],
        }],
      },
    },
  },
  errors: JSON_ERRORS,
};

/** POST /api/leads/import (SPEC 4.3): sales leads for one agent. Each lead is imported or reported individually. */
async function importLeads(context: RequestContext): Promise<Response> {
  const { request, requestId, rejected, log } = context;
  if (
    !matchesSecret(request.headers.get("x-api-key") ?? "", secretsFromEnv("LEADS_IMPORT_API_KEY"))
  ) {
    throw new ApiError("UNAUTHORIZED", "send a valid API key as `x-api-key: <API_KEY>`");
  }
  rejected.keepFrom({
    vendor_id: null,
    describe: (payload) => ({ vendor_lead_id: sentId(payload)?.toString() ?? null, payload }),
    withoutSecrets: (text) => text,
  });
  await requireWithinLimit("import", rateLimitFromEnv("LEADS_IMPORT_RATE_LIMIT"));
  refuseDryRun(context);

  const { body, idempotency } = await readJson(context.body, BODY_LIMIT, {
    bounds: BATCH_BOUNDS,
    sender: "import",
  });
  const { leads, ...target } = requireValidBody(importRequest, body);
  if (leads.length > ROW_LIMIT) {
    throw new ApiError("PAYLOAD_TOO_LARGE", `leads holds more than ${ROW_LIMIT} leads`);
  }

  const outcomes = await importAll(target, leads, idempotency, requestId);

  const lead_ids: string[] = [];
  const errors: ImportResult["errors"] = [];
  for (const [index, { data: lead_id, error }] of outcomes.entries()) {
    if (error === null) lead_ids.push(lead_id);
    else errors.push({ index, external_id: sentId(leads[index]), ...error });
    if (error === null || error.code === "DUPLICATE") continue;
    const { code, reason } = error;
    const payload = leads[index] ?? null;
    rejected.add({ row: index, code, reason, payload, context: { ...target } });
  }
  const counts = { imported: lead_ids.length, failed: errors.length };
  Object.assign(log, counts);
  const result: ImportResult = { success: true, ...counts, errors, lead_ids };
  return Response.json(result);
}

/** Imports the valid leads. Returns the outcome of each lead, in the request's order. */
async function importAll(
  target: Target,
  leads: Json[],
  idempotency: Idempotency | null,
  requestId: string,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const firstIndexes = new Map<string, number>();
  const repeats: { index: number; first: number }[] = [];

  /** Yields the leads to store, and records the outcomes of invalid leads and the repeats on the way. */
  function* rows(): Generator<Row> {
    for (const [index, item] of leads.entries()) {
      const { data: lead, error: reason } = readImportedLead(item);
      if (reason !== null) {
        outcomes[index] = failure({ code: "INVALID", reason });
        continue;
      }
      const first = firstIndexes.get(lead.external_id);
      if (first !== undefined) {
        repeats.push({ index, first });
        continue;
      }
      firstIndexes.set(lead.external_id, index);
      yield { index, ...lead };
    }
  }

  const stored = await storeLeads(target, leads.length, rows(), idempotency, requestId);
  for (const [index, outcome] of stored) outcomes[index] = outcome;
  for (const { index, first } of repeats) {
    outcomes[index] = repeatOf(first, outcomes[first] as Outcome);
  }
  return outcomes;
}

/** Returns the outcome of a lead whose external_id occurs earlier in the request. */
function repeatOf(first: number, { data, error }: Outcome): Outcome {
  const reason = `lead ${first} of this request has the same external_id`;
  const lead_id = data ?? error?.lead_id;
  return lead_id === undefined
    ? failure({ code: "DATABASE_ERROR", reason: `${reason} and could not be stored` })
    : failure({ code: "DUPLICATE", reason, lead_id });
}

/** Returns the external_id as sent, for the report; null if it is neither a text nor a number. */
function sentId(item: Json | undefined): string | number | null {
  const id = isObject(item) ? item.external_id : null;
  return typeof id === "string" || typeof id === "number" ? id : null;
}
