import * as z from "zod";
import { JSON_ERRORS } from "../../_shared/description.ts";
import { type Endpoint, isDryRun, type RequestContext } from "../../_shared/app.ts";
import { ApiError } from "../../_shared/errors.ts";
import { isObject, type Json } from "../../_shared/json.ts";
import { type Idempotency, readJson } from "../../_shared/body/json.ts";
import { MIB } from "../../_shared/units.ts";
import { recruitingLead } from "../parsers/generic.ts";
import { requireLead } from "./lead.ts";
import { createdLead, type DryRun, duplicateOrDryRun, type IngestedLead } from "./responses.ts";
import { storeWithResume } from "./resume.ts";
import { leadBatcher } from "./store.ts";
import { authenticateVendor, previewLead, type Vendor } from "./vendor.ts";

/** The largest body with one lead, in bytes. */
export const BODY_LIMIT = 15 * MIB;

/** The request that contains a lead. */
export interface IngestRequest {
  request_id: string;
  received_via: "single" | "webhook";
  /** Null if the request has no Idempotency-Key. */
  idempotency: Idempotency | null;
}

/** The query parameters of the routes for recruiting leads. */
export const DRY_RUN_QUERY = {
  dry_run: {
    description: "`true`: say what was read and what would happen, and change nothing.",
    schema: z.enum(["true", "false"]).optional(),
  },
};

/** An example of a new lead that is not distributed yet. */
export const WAITING = { id: "4be0643f-1d98-473b-97cd-ca98a65347dd", status: "created", distributed_to: null };
/** An example of a duplicate. */
export const DUPLICATE = { id: "4be0643f-1d98-473b-97cd-ca98a65347dd", status: "duplicate" };

export const ingestEndpoint: Endpoint = {
  handler: ingest,
  isIdempotent: true,
  tag: "Recruiting leads",
  id: "ingestRecruitingLead",
  summary: "Ingest one recruiting lead",
  description:
    "Deduplicates, stores and distributes the lead. `distributed_to` is null when no open order matched, for " +
    "a test lead, and when another transaction locks the order: the lead is distributed later then.",
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
            agent_id: "b0000003-0000-4000-8000-000000000003",
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
};

/** POST /recruiting/ingest (SPEC 4.1): one lead, deduplicated, stored and distributed. */
async function ingest(context: RequestContext): Promise<Response> {
  const { vendor, requestId, log } = await authenticateVendor(context);

  const dryRun = isDryRun(context);
  const { body, idempotency } = await readJson(context.body, BODY_LIMIT, { sender: vendor.id });
  if (dryRun) return Response.json(await tryLead(vendor, body).catch(nameBulk(body)));

  const request = { request_id: requestId, received_via: "single", idempotency } as const;
  const lead = await ingestLead(vendor, body, request).catch(nameBulk(body));
  Object.assign(log, { lead_status: lead.status, lead_id: lead.id });
  return Response.json(lead, { status: lead.status === "created" ? 201 : 200 });
}

/** Mentions the bulk route if an invalid body looks like several leads. */
function nameBulk(body: Json): (error: unknown) => never {
  return (error) => {
    const looksLikeMany = Array.isArray(body) || isObject(body) && Array.isArray(body.leads);
    if (!looksLikeMany || !(error instanceof ApiError) || error.code !== "BAD_REQUEST") throw error;
    throw new ApiError(
      "BAD_REQUEST",
      `${error.message}; send several leads to /recruiting/ingest/bulk as {"leads": […]}`,
    );
  };
}

/**
 * Reads a payload with the vendor's parser, stores the lead with its resume, and distributes it.
 *
 * @throws ApiError for the same reasons as requireLead(), LeadBatcher.store() and storeWithResume().
 */
export async function ingestLead(
  vendor: Vendor,
  payload: Json,
  { idempotency, ...request }: IngestRequest,
): Promise<IngestedLead> {
  const { lead, resume } = requireLead(vendor, payload);
  const id = crypto.randomUUID();
  const sent = { vendor, lead: { ...lead, ...request, id, resume_path: null }, idempotency };
  const stored = await (resume === null ? leadBatcher.store(sent) : storeWithResume(sent, resume));
  return stored.status === "created"
    ? { id: stored.id, status: stored.status, distributed_to: stored.distributed_to }
    : { id: stored.id, status: stored.status };
}

/**
 * Returns what would happen to a payload, and changes nothing.
 *
 * @throws ApiError for the same reasons as ingestLead().
 */
export async function tryLead(vendor: Vendor, payload: Json): Promise<DryRun> {
  const { lead, resume } = requireLead(vendor, payload);
  const { status, id, distributed_to } = await previewLead(vendor, lead);
  const read = { ...lead, resume_bytes: resume?.bytes.length ?? null };
  return { dry_run: true, status, id, distributed_to, lead: read };
}
