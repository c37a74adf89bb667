/**
 * Keeps a recruiting lead and its resume together. The database and storage share no transaction, so the order counts:
 *
 * 1. Look for a duplicate, which uploads nothing.
 * 2. Note the upload in the database, and upload the resume. If the request dies now, the note has the object removed.
 *    With the insert first, it would leave a lead that has lost its resume.
 * 3. Insert the lead, which ends the note.
 * 4. Remove the object if no lead was inserted. If nobody knows whether one was, resume_uploads.ts decides later.
 */
import type { ResumeFile } from "../resumes/resume_file.ts";
import { insertLead, isRecognized, UnknownOutcome } from "./lead_calls.ts";
import type { SentLead } from "./lead_queue.ts";
import type { StoredLead } from "./responses.ts";
import { removeLeftOversLater, removeResume, uploadResume } from "./resume_uploads.ts";
import { previewLead } from "./vendor_calls.ts";

/**
 * Stores a lead with its resume, and distributes it.
 *
 * @throws ApiError as insertLead() does; INTERNAL_ERROR when storage fails.
 */
export async function insertWithResume(sent: SentLead, resume: ResumeFile): Promise<StoredLead> {
  const { vendor, lead } = sent;
  // The call records the duplicate.
  if (await isDuplicate(sent)) return await insertLead(sent);

  const path = `${vendor.id}/${lead.id}.${resume.ending}`;
  await uploadResume(lead.id, path, resume);
  try {
    const stored = await insertLead({ ...sent, lead: { ...lead, resume_path: path } });
    // A duplicate, or a request that was carried out before.
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
