import * as z from "zod";
import type { AppContext } from "../../_shared/app.ts";
import { MIB, readJson } from "../../_shared/body.ts";
import { callDatabase } from "../../_shared/database.ts";
import { ApiError } from "../../_shared/errors.ts";
import type { Json } from "../../_shared/json.ts";
import { must, readBody } from "../../_shared/validate.ts";
import { type Lead, readLead } from "./lead.ts";
import { authenticateVendor, withVendor } from "./vendor.ts";

const BODY_LIMIT = 10 * MIB;
const ROW_LIMIT = 10_000;

/** The statement timeout of `ingest_recruiting_leads`, and a little more: who gives up first must not be us. */
const TIMEOUT_MS = 61_000;

/** The request's envelope; what a lead looks like is for the vendor's parser. */
export const bulkSchema = z.object({
  // Not `min(1)`, which reads `length` of whatever it is given, and throws where that is an object.
  leads: z.array(z.custom<Json>(), { error: must("be a non-empty array") })
    .refine((leads) => leads.length > 0, "must be a non-empty array").meta({ minItems: 1 }),
}, { error: must("be a JSON object with leads") });

interface RowError {
  /** Zero-based index into the request's `leads`. */
  row: number;
  reason: string;
}

/** POST /recruiting/ingest/bulk (SPEC 4.2): many leads, deduplicated and stored as one batch, not distributed. */
export async function ingestBulk(c: AppContext): Promise<Response> {
  const vendor = await authenticateVendor(c.req.raw);
  c.get("log").vendor_id = vendor.id;

  const { leads: items } = readBody(bulkSchema, await readJson(c.req.raw, BODY_LIMIT));
  if (items.length > ROW_LIMIT) {
    throw new ApiError("PAYLOAD_TOO_LARGE", `leads holds more than ${ROW_LIMIT} rows`);
  }

  const errors: RowError[] = [];
  const rows: (Lead & { row: number })[] = [];
  for (const [row, item] of items.entries()) {
    const { reason, lead, resume } = readLead(vendor.parse, item);
    if (reason !== undefined) errors.push({ row, reason });
    else {
      if (resume) lead.vendor_metadata.resume_skipped = "bulk";
      rows.push({ row, ...lead });
    }
  }

  const batch = await withVendor(
    vendor.keyHash,
    () =>
      callDatabase("ingest_recruiting_leads", { key_hash: vendor.keyHash, leads: rows }, {
        timeout: TIMEOUT_MS,
      }),
  );
  const { created, duplicates } = batch;
  errors.push(...batch.errors);
  errors.sort((a, b) => a.row - b.row);
  Object.assign(c.get("log"), { created, duplicates, errors: errors.length });
  return c.json({ created, duplicates, errors });
}
