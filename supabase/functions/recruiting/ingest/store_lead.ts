/**
 * Keeps a recruiting lead and its resume together. The database and storage share no transaction, so the order counts:
 *
 * 1. Look for a duplicate. A duplicate then uploads nothing.
 * 2. Upload the resume. If the request dies after this, a leftover object remains, which is harmless. With the insert
 *    first it would be a lead that has lost its resume.
 * 3. Insert the lead.
 * 4. Remove the object if no lead was inserted. If that is not known, look again once the insert must have ended.
 */
import { continueAfterResponse } from "../../_shared/background.ts";
import { type CallOptions, mayHaveRun, serviceClient } from "../../_shared/database.ts";
import { internalError } from "../../_shared/errors.ts";
import type { Idempotency } from "../../_shared/idempotency.ts";
import { describeError, logError } from "../../_shared/log.ts";
import type { Ingested, Preview } from "../../_shared/sql_functions.ts";
import type { Lead } from "./lead.ts";
import { waitForDistribution } from "./pending_leads.ts";
import { callAsVendor, type Vendor } from "./vendor.ts";

/** For how long a passing fault of the database is retried. A repeated call with the same lead id does no harm. */
const RETRY: CallOptions = { retryWithin: 3_000 };

/**
 * The database refuses a lead whose call arrives later than this after it was sent. It is far longer than the call is
 * waited for, so the clocks need not agree.
 */
const INSERT_WITHIN_MS = 30_000;

/** By then the lead is stored or never will be, because no statement runs for more than 8 s. */
const SETTLED_AFTER_MS = INSERT_WITHIN_MS + 10_000;

/**
 * Stores a lead with its resume, and distributes it.
 *
 * @param pdf the resume's bytes, or null for a lead without one
 * @param idempotency of the request, where it has an Idempotency-Key
 * @throws ApiError UNAUTHORIZED for a key that has been revoked; INTERNAL_ERROR when the database or storage fails.
 */
export async function storeLead(
  vendor: Vendor,
  lead: Lead,
  pdf: Uint8Array<ArrayBuffer> | null,
  idempotency: Idempotency | null,
): Promise<Ingested> {
  const id = crypto.randomUUID();
  if (pdf === null) {
    return await insertLead(vendor, { ...lead, id, resume_path: null }, idempotency);
  }

  const duplicate = await findDuplicate(vendor, lead);
  // The call records the duplicate.
  if (duplicate !== null) {
    return await insertLead(vendor, { ...lead, id, resume_path: null }, idempotency);
  }

  const path = `${vendor.id}/${id}.pdf`;
  await uploadResume(id, path, pdf);
  try {
    const stored = await insertLead(vendor, { ...lead, id, resume_path: path }, idempotency);
    // A duplicate, or a request that was carried out before.
    if (stored.id !== id) await removeResume(id, path);
    return stored;
  } catch (error) {
    if (mayHaveRun(error)) removeResumeLater(id, path);
    else await removeResume(id, path);
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
): Promise<Ingested> {
  const not_after = new Date(Date.now() + INSERT_WITHIN_MS).toISOString();
  const args = { lead: { ...lead, not_after }, idempotency };
  const stored = await callAsVendor(vendor, "ingest_recruiting_lead", args, RETRY);
  if (stored.status === "duplicate" || stored.distribution !== "pending") return stored;
  return { ...stored, distributed_to: await waitForDistribution(stored.id) };
}

async function findDuplicate(vendor: Vendor, lead: Lead): Promise<Ingested | null> {
  if (lead.vendor_lead_id === null) return null;
  const { status, id } = await previewLead(vendor, lead);
  return status === "duplicate" && id !== null ? { id, status } : null;
}

async function uploadResume(
  leadId: string,
  path: string,
  pdf: Uint8Array<ArrayBuffer>,
): Promise<void> {
  const { error } = await resumes().upload(path, pdf, { contentType: "application/pdf" });
  if (error === null) return;
  // Without a response, the object may have been made, or may still be made.
  await resumes().remove([path]);
  removeResumeLater(leadId, path);
  throw internalError(error);
}

/** Removes the object of a lead that was not inserted: now, or later if storage fails. */
async function removeResume(leadId: string, path: string): Promise<void> {
  const { error } = await resumes().remove([path]);
  if (error !== null) removeResumeLater(leadId, path);
}

/**
 * Removes an object once the insert of its lead must have ended, unless the lead is there. Runs after the response. If
 * it fails, the leftover object is logged.
 */
function removeResumeLater(leadId: string, path: string): void {
  const remove = async () => {
    await new Promise((resolve) => setTimeout(resolve, SETTLED_AFTER_MS));
    const lead = await serviceClient().from("recruiting_leads")
      .select("id").eq("id", leadId).maybeSingle();
    if (lead.error !== null) throw lead.error;
    if (lead.data !== null) return;
    const { error } = await resumes().remove([path]);
    if (error !== null) throw error;
  };
  const done = remove().catch((error) =>
    logError({ event: "resume_left_over", path, ...describeError(error) })
  );
  continueAfterResponse(done);
}

function resumes() {
  return serviceClient().storage.from("resumes");
}
