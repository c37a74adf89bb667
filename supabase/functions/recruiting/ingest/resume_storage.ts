import { serviceClient } from "../../_shared/database.ts";
import { internalError } from "../../_shared/errors.ts";
import { describeError, logError } from "../../_shared/log.ts";

const BUCKET = "resumes";

/**
 * Within this time the database must have begun to insert a lead, however long the call was on its way. Far longer than
 * the call is waited for, so that the clocks need not agree.
 */
export const INSERT_WITHIN_MS = 30_000;

/** By then the lead is either there or never will be, since no statement runs for more than 8 s. */
const SETTLED_AFTER_MS = INSERT_WITHIN_MS + 10_000;

/**
 * Stores a lead's PDF.
 *
 * @throws ApiError INTERNAL_ERROR when storage does not take it; then nothing is left behind.
 */
export async function uploadResume(
  leadId: string,
  path: string,
  pdf: Uint8Array<ArrayBuffer>,
): Promise<void> {
  const { error } = await serviceClient().storage.from(BUCKET)
    .upload(path, pdf, { contentType: "application/pdf" });
  if (error === null) return;
  // A lost answer does not tell whether the object was made, or is still being made.
  await tryToRemove(path);
  removeResumeUnlessStored(leadId, path);
  throw internalError(error);
}

/** Removes an object that no lead refers to: now, or later where storage does not answer. Never throws. */
export async function removeResume(leadId: string, path: string): Promise<void> {
  if (await tryToRemove(path) !== null) removeResumeUnlessStored(leadId, path);
}

/**
 * For a lead whose insert was never answered: once the insert must have ended, removes the object unless the lead is
 * there. Runs after the response; an object that is left over all the same is harmless, and logged.
 */
export function removeResumeUnlessStored(leadId: string, path: string): void {
  const settle = async () => {
    await new Promise((resolve) => setTimeout(resolve, SETTLED_AFTER_MS));
    const { data, error } = await serviceClient().from("recruiting_leads")
      .select("id").eq("id", leadId).maybeSingle();
    const failure = error ?? (data === null ? await tryToRemove(path) : null);
    if (failure !== null) throw failure;
  };
  const done = settle().catch((error) =>
    logError({ event: "resume_left_over", path, ...describeError(error) })
  );
  globalThis.EdgeRuntime?.waitUntil(done);
}

/** What kept an object from being removed, or null. That there is none is no failure. */
async function tryToRemove(path: string): Promise<Error | null> {
  try {
    return (await serviceClient().storage.from(BUCKET).remove([path])).error;
  } catch (error) {
    return error as Error;
  }
}

declare global {
  /** Supabase's edge runtime; absent elsewhere. */
  var EdgeRuntime: { waitUntil(promise: Promise<unknown>): void } | undefined;
}
