import type { AppContext } from "../../_shared/app.ts";
import { MIB, readJson } from "../../_shared/body.ts";
import { callDatabase, type CallOptions, mayHaveRun } from "../../_shared/database.ts";
import { ApiError } from "../../_shared/errors.ts";
import type { Ingested, Preview } from "../../_shared/sql_functions.ts";
import { type Lead, readLead } from "./lead.ts";
import { decodePdf, type Resume } from "./resume.ts";
import {
  INSERT_WITHIN_MS,
  removeResume,
  removeResumeUnlessStored,
  uploadResume,
} from "./resume_storage.ts";
import { authenticateVendor, type Vendor, withVendor } from "./vendor.ts";

const BODY_LIMIT = 15 * MIB;

/** A passing fault of the database is waited out for 3 s; the lead's id makes a second attempt harmless. */
const RETRY: CallOptions = { retryWithin: 3_000 };

/** POST /recruiting/ingest (SPEC 4.1): one lead, deduplicated, stored and distributed. */
export async function ingest(c: AppContext): Promise<Response> {
  const vendor = await authenticateVendor(c.req.raw);
  c.get("log").vendor_id = vendor.id;

  const dryRun = readDryRun(c.req.query("dry_run"));
  const { reason, lead, resume } = readLead(vendor.parse, await readJson(c.req.raw, BODY_LIMIT));
  if (reason !== undefined) throw new ApiError("BAD_REQUEST", reason);
  const pdf = takePdf(lead, resume);

  if (dryRun) {
    return c.json({
      dry_run: true,
      lead: { ...lead, resume_bytes: pdf?.length ?? null },
      ...await preview(vendor, lead),
    });
  }
  const { id, status, distributed_to } = pdf
    ? await storeWithResume(vendor, lead, pdf)
    : await store(vendor, lead, crypto.randomUUID(), null);
  c.get("log").lead_status = status;
  return status === "created"
    ? c.json({ id, status, distributed_to }, 201)
    : c.json({ id, status });
}

// A resume that says it is no PDF is named in the metadata, and the lead is kept.
function takePdf(lead: Lead, resume: Resume | undefined): Uint8Array<ArrayBuffer> | undefined {
  if (resume === undefined) return undefined;
  if (resume.claims === undefined || resume.claims === "pdf") return decodePdf(resume);
  lead.vendor_metadata.resume_skipped = resume.claims;
}

// The object is stored first: if the request dies in between, an object too many is left, not a lead without its resume.
async function storeWithResume(
  vendor: Vendor,
  lead: Lead,
  pdf: Uint8Array<ArrayBuffer>,
): Promise<Ingested> {
  if (lead.vendor_lead_id !== null) {
    const { status, id } = await preview(vendor, lead);
    if (status === "duplicate" && id !== null) return { id, status };
  }
  const id = crypto.randomUUID();
  const path = `${vendor.id}/${id}.pdf`;
  await uploadResume(id, path, pdf);
  try {
    const stored = await store(vendor, lead, id, path);
    if (stored.status === "duplicate") await removeResume(id, path);
    return stored;
  } catch (error) {
    if (mayHaveRun(error)) removeResumeUnlessStored(id, path);
    else await removeResume(id, path);
    throw error;
  }
}

function store(
  vendor: Vendor,
  lead: Lead,
  id: string,
  resumePath: string | null,
): Promise<Ingested> {
  const not_after = new Date(Date.now() + INSERT_WITHIN_MS).toISOString();
  const args = {
    key_hash: vendor.keyHash,
    lead: { ...lead, id, resume_path: resumePath, not_after },
  };
  return withVendor(vendor.keyHash, () => callDatabase("ingest_recruiting_lead", args, RETRY));
}

function preview(vendor: Vendor, lead: Lead): Promise<Preview> {
  const args = { key_hash: vendor.keyHash, lead };
  return withVendor(vendor.keyHash, () => callDatabase("preview_recruiting_lead", args, RETRY));
}

// Anything but a clear yes or no is refused: a vendor who meant to try must not create a lead.
function readDryRun(value: string | undefined): boolean {
  if (value === undefined || value === "false") return false;
  if (value === "true") return true;
  throw new ApiError("BAD_REQUEST", "dry_run must be true or false");
}
