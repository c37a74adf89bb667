import { serviceClient } from "../../_shared/database.ts";
import { toPublicUrl } from "../../_shared/public_url.ts";
import { failure, type Result, success } from "../../_shared/result.ts";
import type { TextMedia } from "./claimed_text.ts";
import type { Outcome } from "./outcome.ts";

/** Where agents put the files of their texts. The path below it begins with the conversation's id. */
const BUCKET = "text-media";

/**
 * One of our files: a conversation's id and a name. In the address of a request, other names could lead to any file of
 * any bucket, and we may read them all.
 */
const OWN_FILE = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\/(?!\.+$)[-\w!.*'()&$@=;:+,]+$/;

/** The seconds for which Twilio may read a file: a text may wait in its queue for 10 hours. */
const READABLE_FOR_S = 24 * 60 * 60;

/**
 * The addresses at which Twilio can read the files of a text: signed ones for our own files, others as they are.
 *
 * @returns as an error what becomes of the text when a file cannot be had
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
      // The HTTP status is 400 then, and the body says 404.
      const isMissing = "statusCode" in error && String(error.statusCode) === "404";
      return failure(
        isMissing ? { outcome: "failed", code: "media_not_found" } : { outcome: "later", code: "storage" },
      );
    }
    urls.push(toPublicUrl(data.signedUrl));
  }
  return success(urls);
}
