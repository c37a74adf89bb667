import type { AppContext } from "../_shared/app.ts";
import { MIB, readJson } from "../_shared/body.ts";
import { callDatabase } from "../_shared/database.ts";
import { ApiError } from "../_shared/errors.ts";
import { isObject } from "../_shared/json.ts";
import { type Lead, readLead } from "./lead.ts";
import { authenticateVendor, withVendor } from "./vendor.ts";

const BODY_LIMIT = 10 * MIB;
const ROW_LIMIT = 10_000;

interface RowError {
  /** Zero-based index into the request's `leads`. */
  row: number;
  reason: string;
}

/** What `ingest_recruiting_leads` returns. */
interface IngestedBatch {
  created: number;
  duplicates: number;
  errors: RowError[];
}

/** POST /recruiting/ingest/bulk (SPEC 4.2): many leads, deduplicated and stored as one batch, not distributed. */
export async function ingestBulk(c: AppContext): Promise<Response> {
  const vendor = await authenticateVendor(c.req.raw);
  c.get("log").vendor_id = vendor.vendor_id;

  const body = await readJson(c.req.raw, BODY_LIMIT);
  const items = isObject(body) ? body.leads : undefined;
  if (!Array.isArray(items) || items.length === 0) {
    throw new ApiError("BAD_REQUEST", "leads must be a non-empty array");
  }
  if (items.length > ROW_LIMIT) {
    throw new ApiError(
      "PAYLOAD_TOO_LARGE",
      `leads holds more than ${ROW_LIMIT} rows`,
    );
  }

  const errors: RowError[] = [];
  const rows: (Lead & { row: number })[] = [];
  for (const [row, item] of items.entries()) {
    const { reason, lead, resume } = readLead(vendor, item);
    if (reason !== undefined) errors.push({ row, reason });
    else {
      if (resume) lead.vendor_metadata.resume_skipped = "bulk";
      rows.push({ row, ...lead });
    }
  }

  const batch = await withVendor(
    vendor.keyHash,
    () =>
      callDatabase("ingest_recruiting_leads", {
        key_hash: vendor.keyHash,
        leads: rows,
      }),
  );
  const { created, duplicates } = batch;
  errors.push(...batch.errors);
  errors.sort((a, b) => a.row - b.row);
  Object.assign(c.get("log"), { created, duplicates, errors: errors.length });
  return c.json({ created, duplicates, errors });
}
