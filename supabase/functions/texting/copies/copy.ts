import { callDatabase, serviceClient } from "../../_shared/database.ts";
import { describeError, logError } from "../../_shared/log.ts";
import { failure, type Result, success } from "../../_shared/result.ts";
import { AT_A_TIME } from "../../_shared/semaphores.ts";
import { type TwilioAccount, twilioAccount } from "../twilio_account.ts";
import { type FetchedFile, fetchFile, type NotFetched } from "./fetch_file.ts";

/** After this time no further file is claimed. */
const CLAIM_FOR_MS = 20_000;

/** A lease has 60 s. A file takes at most 20 s, and its upload as long. */
const RECORD_WITHIN_MS = 15_000;

/** A file of a recruit's text, which one worker has to itself for 60 s. */
interface ClaimedFile {
  message_id: string;
  position: number;
  /** To be given back with what became of it. */
  attempt: number;
  /** Where Twilio has it. */
  url: string;
  /** The name of its copy in the bucket. */
  path: string;
}

/** What one call of the worker has copied. */
export interface Copied {
  /** The number of files. */
  files: number;
  /** The number of errors in the service itself, which the log has. A file that is not had is none. */
  errors: number;
}

/** Copies the files of recruits' texts that are due from Twilio into storage. Never rejects. */
export async function copyMedia(requestId: string): Promise<Copied> {
  const copied: Copied = { files: 0, errors: 0 };
  const report = (error: unknown, message_id?: string) => {
    copied.errors++;
    const cause = error instanceof Error ? error.cause ?? error : error;
    logError({ request_id: requestId, event: "file_not_copied", message_id, ...describeError(cause) });
  };
  const account = accountOf();
  if (account === null) return copied;
  try {
    for (const deadline = Date.now() + CLAIM_FOR_MS; Date.now() < deadline;) {
      const files: ClaimedFile[] = await callDatabase("claim_media_copies", { max: AT_A_TIME.files });
      if (files.length === 0) break;
      await Promise.all(files.map(async (file) => {
        try {
          if (await copy(account, file)) copied.files++;
        } catch (error) {
          report(error, file.message_id);
        }
      }));
    }
  } catch (error) {
    report(error);
  }
  return copied;
}

/** The account at Twilio; null where none is set, or a setting is wrong. Then the texts report it. */
function accountOf(): TwilioAccount | null {
  try {
    return twilioAccount();
  } catch {
    return null;
  }
}

/** Copies a file and records what became of it. Returns whether there is a copy. */
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
  // The text was deleted meanwhile.
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
  // The worker that had it before may have died after its upload.
  const { error } = await textMedia().upload(path, bytes, { contentType, upsert: true });
  return error === null ? success(fetched.data) : failure({ outcome: "later", reason: "storage" });
}

function textMedia() {
  return serviceClient().storage.from("text-media");
}
