/**
 * Keeps a recruiting lead and its resume together. The database and storage share no transaction, so the order counts:
 *
 * 1. Look for a duplicate. A duplicate then uploads nothing.
 * 2. Upload the resume, after noting the upload in the database. If the request dies after this, another one removes the
 *    object. With the insert first it would be a lead that has lost its resume.
 * 3. Insert the lead, which ends the note.
 * 4. Remove the object if no lead was inserted. If the insert got no response, the database decides what became of it. If
 *    that gets no response either, the object is looked after later (resume_uploads.ts).
 */
import { callDatabase, type CallOptions, mayHaveRun } from "../../_shared/database.ts";
import { ApiError, internalError } from "../../_shared/errors.ts";
import type { Idempotency } from "../../_shared/idempotency.ts";
import type { Distribution, Ingested, Preview } from "../../_shared/sql_functions.ts";
import type { ResumeFile } from "../resumes/resume_file.ts";
import { type Lead, logUnrecorded } from "./lead.ts";
import { distributeAfterResponse, waitForDistribution } from "./pending_leads.ts";
import { removeLeftOversLater, removeResume, uploadResume } from "./resume_uploads.ts";
import { callAsVendor, type Vendor } from "./vendor.ts";

/** For how long a passing fault of the database is retried. A repeated call with the same lead id does no harm. */
const RETRY: CallOptions = { retryWithin: 3_000 };

/** A little more than the statement timeout of `abandon_recruiting_lead`, which may be repeated. */
const ABANDON: CallOptions = { retryWithin: 4_500 };

/** Nobody can say whether the lead was stored: the database does not respond at all. */
class UnknownOutcome extends ApiError {
  constructor(isRecognized: boolean, cause: unknown) {
    const message = isRecognized
      ? "the request could not be completed; send the same request again"
      : "the request could not be completed, and the lead may have been stored; sent again without a vendor_lead_id " +
        "or an Idempotency-Key it may be stored twice";
    super("INTERNAL_ERROR", message, { cause });
  }
}

/**
 * Stores a lead with its resume, and distributes it.
 *
 * @param resume null for a lead without one
 * @param idempotency of the request, where it has an Idempotency-Key
 * @throws ApiError UNAUTHORIZED for a key that has been revoked; INTERNAL_ERROR when the database or storage fails.
 */
export async function storeLead(
  vendor: Vendor,
  lead: Lead,
  resume: ResumeFile | null,
  idempotency: Idempotency | null,
): Promise<Ingested> {
  const id = crypto.randomUUID();
  if (resume === null) {
    return await insertLead(vendor, { ...lead, id, resume_path: null }, idempotency);
  }

  const duplicate = await findDuplicate(vendor, lead);
  // The call records the duplicate.
  if (duplicate !== null) {
    return await insertLead(vendor, { ...lead, id, resume_path: null }, idempotency);
  }

  const path = `${vendor.id}/${id}.${resume.ending}`;
  await uploadResume(id, path, resume);
  try {
    const stored = await insertLead(vendor, { ...lead, id, resume_path: path }, idempotency);
    // A duplicate, or a request that was carried out before.
    if (stored.id !== id) await removeResume(path);
    return stored;
  } catch (error) {
    if (error instanceof UnknownOutcome) removeLeftOversLater();
    else await removeResume(path);
    throw error;
  }
}

/** Says what would become of a lead, and changes nothing. */
export function previewLead(vendor: Vendor, lead: Lead): Promise<Preview> {
  return callAsVendor(vendor, "preview_recruiting_lead", { lead }, RETRY);
}

async function insertLead(
  vendor: Vendor,
  lead: Lead & { id: string; resume_path: string | null },
  idempotency: Idempotency | null,
  isFirst = true,
): Promise<Ingested> {
  const abandonAfter = async (leadId: string, error: unknown) => {
    const late = await abandon(leadId).catch((cause) => {
      throw new UnknownOutcome(isRecognized(vendor, lead) || idempotency !== null, cause.cause);
    });
    // From now on the lead cannot be stored any more, so it is safe to send it again.
    if (late === null) throw error;
    return late;
  };

  let stored: Ingested;
  try {
    stored = await callAsVendor(vendor, "ingest_recruiting_lead", { lead, idempotency }, RETRY);
  } catch (error) {
    if (!mayHaveRun(error)) throw error;
    stored = await abandonAfter(lead.id, error);
  }
  if (stored.status === "duplicate") {
    logUnrecorded(lead.request_id, stored.record_error);
    return stored;
  }
  if (stored.distribution !== "pending") return stored;

  let distribution: Distribution;
  try {
    distribution = await waitForDistribution(stored.id);
  } catch (error) {
    const late = await abandonAfter(stored.id, error);
    distributeAfterResponse(stored.id);
    return late;
  }
  if (distribution.distribution === null) {
    // A crash of the database took the lead before it was on disk.
    if (isFirst) return await insertLead(vendor, lead, idempotency, false);
    // A lead of an earlier request with the same key has been deleted since.
    if (stored.id === lead.id) throw internalError("the lead was lost twice");
  }
  return { ...stored, distributed_to: distribution.distributed_to };
}

/** Decides what became of a lead when nobody knows whether it is stored. */
function abandon(lead_id: string): Promise<Ingested | null> {
  return callDatabase("abandon_recruiting_lead", { lead_id }, ABANDON);
}

/** Whether the lead has an id of the vendor, or of the webhook's delivery, by which a repeat is known. */
function isRecognized({ credential }: Vendor, { vendor_lead_id }: Lead): boolean {
  return vendor_lead_id !== null || typeof credential.webhook?.delivery_id === "string";
}

async function findDuplicate(vendor: Vendor, lead: Lead): Promise<Ingested | null> {
  if (!isRecognized(vendor, lead)) return null;
  const { status, id } = await previewLead(vendor, lead);
  return status === "duplicate" && id !== null ? { id, status } : null;
}
