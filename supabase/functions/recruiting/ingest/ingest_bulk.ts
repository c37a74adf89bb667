import * as z from "zod";
import { type AppContext, journalOf } from "../../_shared/app.ts";
import { BATCH_CALL, batchIdempotency, inTurn } from "../../_shared/batch.ts";
import { MIB } from "../../_shared/body_bytes.ts";
import { ApiError } from "../../_shared/errors.ts";
import { readIdempotentJson } from "../../_shared/idempotency.ts";
import { BATCH_BOUNDS, type Json } from "../../_shared/json.ts";
import { must, requireValidBody } from "../../_shared/validate.ts";
import { type Lead, logUnrecorded, readLead, skipResume } from "./lead.ts";
import { authenticateVendor, callAsVendor, type Parse, requireParser } from "./vendor.ts";

const BODY_LIMIT = 10 * MIB;
const ROW_LIMIT = 10_000;

/** The request's envelope. The vendor's parser reads the leads in it. */
export const bulkSchema = z.object({
  // Not `min(1)`: it reads the `length` of any value, and throws where `length` is an object.
  leads: z.array(z.custom<Json>(), { error: must("be a non-empty array") })
    .refine((leads) => leads.length > 0, "must be a non-empty array").meta({ minItems: 1 }),
}, { error: must("be a JSON object with leads") });

/** A valid lead with its place in the request. */
type Row = Lead & { row: number };

interface RowError {
  /** Zero-based index into the request's `leads`. */
  row: number;
  reason: string;
}

/** POST /recruiting/ingest/bulk (SPEC 4.2): many leads, deduplicated and stored as one batch, not distributed. */
export async function ingestBulk(c: AppContext): Promise<Response> {
  const vendor = await authenticateVendor(c);

  const { body, idempotency } = await readIdempotentJson(c.req.raw, BODY_LIMIT, {
    bounds: BATCH_BOUNDS,
    sender: vendor.id,
  });
  const { leads } = requireValidBody(bulkSchema, body);
  if (leads.length > ROW_LIMIT) {
    throw new ApiError("PAYLOAD_TOO_LARGE", `leads holds more than ${ROW_LIMIT} rows`);
  }
  const { rows, invalid } = readRows(requireParser(vendor), leads);

  const batch = {
    leads: rows,
    idempotency: batchIdempotency(idempotency),
    request_id: c.get("requestId"),
  };
  const stored = await inTurn(() =>
    callAsVendor(vendor, "ingest_recruiting_lead_batch", batch, BATCH_CALL)
  );

  const { created, duplicates } = stored;
  logUnrecorded(c.get("requestId"), stored.record_error);
  const errors = [...invalid, ...stored.errors].sort((a, b) => a.row - b.row);
  const reject = (code: string, { row, reason }: RowError) =>
    journalOf(c)?.rejectRow({ row, code, reason, payload: leads[row] ?? null });
  for (const error of invalid) reject("BAD_REQUEST", error);
  for (const error of stored.errors) reject("DATABASE_ERROR", error);
  Object.assign(c.get("log"), { created, duplicates, errors: errors.length });
  return c.json({ created, duplicates, errors });
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
