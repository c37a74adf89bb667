import { callDatabase, serviceClient } from "../../_shared/database.ts";
import type { Job } from "../../_shared/jobs.ts";
import { failure, type Result, success } from "../../_shared/result.ts";
import { AT_A_TIME } from "../../_shared/semaphores.ts";
import { type TwilioAccount, twilioAccount } from "../twilio/account.ts";
import { type FetchedFile, fetchFile, type NotFetched } from "./fetch_file.ts";

/** A lease lasts 60 s. A file takes at most 20 s, and its upload at most as long again. */
const RECORD_WITHIN_MS = 15_000;

/** A file of a recruit's text. No other worker can claim it for 60 s. */
interface ClaimedFile {
  message_id: string;
  position: number;
  /** Reported with the outcome. */
  attempt: number;
  /** The URL of the file at Twilio. */
  url: string;
  /** The name of its copy in the bucket. */
  path: string;
}

/**
 * Copies due files of recruits' texts from Twilio to storage. Returns null without a Twilio account, which the job for
 * texts reports.
 */
export function mediaCopies(): Job<ClaimedFile> | null {
  const account = accountOf();
  return account && {
    atOnce: AT_A_TIME.files,
    claim: async (max) => ({ items: await callDatabase("claim_media_copies", { max }) }),
    handle: async (file) => ({ state: await copy(account, file) ? "copied" : null }),
    idsOf: ({ message_id, position }) => ({ message_id, position }),
  };
}

/**
 * Returns the Twilio account; null if it is not set, or a setting is invalid. The job for texts reports an invalid one.
 */
function accountOf(): TwilioAccount | null {
  try {
    return twilioAccount();
  } catch {
    return null;
  }
}

/** Copies a file and records the outcome. Returns whether there is a copy. */
async function copy(account: TwilioAccount, { url, path, ...claim }: ClaimedFile): Promise<boolean> {
  const { data, error } = await fetchAndStore(account, url, path);
  const state: string | null = await callDatabase("record_media_copy", {
    ...claim,
    outcome: error?.outcome ?? "copied",
    path: data && path,
    content_type: data && data.contentType,
    reason: error && error.reason,
  }, { retryWithin: RECORD_WITHIN_MS });
  if (data === null) return false;
  if (state !== null) return true;
  // The text was deleted in the meantime.
  const { error: left } = await textMedia().remove([path]);
  if (left !== null) throw left;
  return false;
}

async function fetchAndStore(
  account: TwilioAccount,
  url: string,
  path: string,
): Promise<Result<FetchedFile, NotFetched>> {
  const fetched = await fetchFile(account, url);
  if (fetched.error !== null) return fetched;
  const { bytes, contentType } = fetched.data;
  // An earlier worker may have died after its upload.
  const { error } = await textMedia().upload(path, bytes, { contentType, upsert: true });
  return error === null ? success(fetched.data) : failure({ outcome: "later", reason: "storage" });
}

function textMedia() {
  return serviceClient().storage.from("text-media");
}
