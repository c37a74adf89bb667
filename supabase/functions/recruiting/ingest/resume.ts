/**
 * Stores a recruiting lead and its resume together. The database and storage share no transaction, so the order
 * matters:
 *
 * 1. Check for a duplicate, which uploads nothing.
 * 2. Record the upload in the database, and upload the resume. If the request dies now, the record causes the object to
 * be removed. If the insert came first, the lead would lose its resume.
 * 3. Insert the lead, which deletes the record.
 * 4. Remove the object if no lead was inserted. If this is unknown, the record decides later: any request removes
 * objects that other requests left behind.
 */
import { continueAfterResponse } from "../../_shared/background.ts";
import { callDatabase, type CallOptions, serviceClient } from "../../_shared/database.ts";
import { internalError } from "../../_shared/errors.ts";
import { describeError, logError } from "../../_shared/log.ts";
import type { ResumeFile } from "../resumes/resume_file.ts";
import { type StoredLead, UnknownOutcome } from "./responses.ts";
import { isRecognized, leadBatcher, type SentLead } from "./store.ts";
import { previewLead } from "./vendor.ts";

/** How long a transient fault of the database is retried. */
const RETRY: CallOptions = { retryWithin: 3_000 };

/** Slightly longer than the age at which the database considers an upload abandoned. */
const CLEAN_UP_AFTER_MS = 40_000;
const CLEAN_UP_ATTEMPTS = 3;

/**
 * Stores a lead with its resume, and distributes it.
 *
 * @throws ApiError for the same reasons as LeadBatcher.store(); INTERNAL_ERROR if storage fails.
 */
export async function storeWithResume(sent: SentLead, resume: ResumeFile): Promise<StoredLead> {
  const { vendor, lead } = sent;
  // The call records the duplicate.
  if (await isDuplicate(sent)) return await leadBatcher.store(sent);

  const path = `${vendor.id}/${lead.id}.${resume.ending}`;
  await uploadResume(lead.id, path, resume);
  try {
    const stored = await leadBatcher.store({ ...sent, lead: { ...lead, resume_path: path } });
    // A duplicate, or a request that was already processed.
    if (stored.id !== lead.id) await removeResume(path);
    return stored;
  } catch (error) {
    if (error instanceof UnknownOutcome) removeLeftOversLater();
    else await removeResume(path);
    throw error;
  }
}

async function isDuplicate({ vendor, lead }: SentLead): Promise<boolean> {
  if (!isRecognized(vendor, lead)) return false;
  return (await previewLead(vendor, lead)).status === "duplicate";
}

/**
 * Records the upload of a lead's resume, and uploads it.
 *
 * @throws ApiError INTERNAL_ERROR if the database or storage fails.
 */
async function uploadResume(
  lead_id: string,
  path: string,
  { bytes, mediaType }: ResumeFile,
): Promise<void> {
  const { has_left_over }: { has_left_over: boolean } = await callDatabase(
    "begin_resume_upload",
    { lead_id, path },
    RETRY,
  );
  if (has_left_over) continueAfterResponse(removeLeftOvers());

  const { error } = await resumes().upload(path, bytes, { contentType: mediaType });
  if (error === null) return;
  // Without a response, the object may exist, or may still be created.
  await resumes().remove([path]);
  removeLeftOversLater();
  throw internalError(error);
}

/** Removes the object of a lead that was not inserted: now, or later if storage or the database fails. */
async function removeResume(path: string): Promise<void> {
  try {
    await remove([path]);
  } catch {
    removeLeftOversLater();
  }
}

/**
 * Removes abandoned objects after this request has ended. If that fails, the next request with a resume tries again.
 */
function removeLeftOversLater(): void {
  const work = async () => {
    for (let attempt = 0; attempt < CLEAN_UP_ATTEMPTS; attempt++) {
      await new Promise((resolve) => setTimeout(resolve, CLEAN_UP_AFTER_MS));
      if (await removeLeftOvers()) return;
    }
  };
  continueAfterResponse(work());
}

/** Removes the objects of requests that died. Returns whether it succeeded; never rejects. */
async function removeLeftOvers(): Promise<boolean> {
  try {
    const paths: string[] = await callDatabase("left_over_resumes", {}, RETRY);
    if (paths.length > 0) await remove(paths);
    return true;
  } catch (error) {
    const cause = (error as Error).cause ?? error;
    logError({ event: "resumes_left_over", ...describeError(cause) });
    return false;
  }
}

async function remove(paths: string[]): Promise<void> {
  const { error } = await resumes().remove(paths);
  if (error !== null) throw error;
  await callDatabase("forget_resume_uploads", { paths }, RETRY);
}

function resumes() {
  return serviceClient().storage.from("resumes");
}
