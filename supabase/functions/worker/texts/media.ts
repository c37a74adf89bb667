import { serviceClient } from "../../_shared/database.ts";
import { toPublicUrl } from "../../_shared/public_url.ts";
import { failure, type Result, success } from "../../_shared/result.ts";
import type { TextMedia } from "./claimed_text.ts";
import type { Outcome } from "./outcome.ts";

/** The bucket with the files of agents' texts. Paths in it begin with the conversation's id. */
const BUCKET = "text-media";

/**
 * The path of an uploaded file: a conversation's id and a name. In the URL of a request, other paths could lead to any
 * file of any bucket, all of which the service role can read.
 */
const OWN_FILE = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\/(?!\.+$)[-\w!.*'()&$@=;:+,]+$/;

/** How many seconds Twilio may read a file: a text may wait in Twilio's queue for 10 hours. */
const READABLE_FOR_S = 24 * 60 * 60;

/**
 * Returns the URLs at which Twilio can read the files of a text: signed URLs for our own files, other URLs unchanged.
 *
 * @returns as an error, the outcome of the text if a file is not available
 */
export async function readableUrls(media: TextMedia[]): Promise<Result<string[], Outcome>> {
  const urls: string[] = [];
  for (const { url } of media) {
    if (!url.startsWith(`${BUCKET}/`)) {
      urls.push(url);
      continue;
    }
    const path = url.slice(BUCKET.length + 1);
    if (!OWN_FILE.test(path)) return failure({ outcome: "failed", code: "media_not_found" });
    const { data, error } = await serviceClient().storage.from(BUCKET)
      .createSignedUrl(path, READABLE_FOR_S)
      .catch((error: object) => failure(error));
    if (error !== null) {
      // The HTTP status is 400, and the body contains 404.
      const isMissing = "statusCode" in error && String(error.statusCode) === "404";
      return failure(
        isMissing ? { outcome: "failed", code: "media_not_found" } : { outcome: "later", code: "storage" },
      );
    }
    urls.push(toPublicUrl(data.signedUrl));
  }
  return success(urls);
}
