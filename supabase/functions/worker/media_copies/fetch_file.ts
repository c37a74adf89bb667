import { Buffer } from "node:buffer";
import { hadConnection } from "../../_shared/connection.ts";
import { failure, type Result, success } from "../../_shared/result.ts";
import { MIB } from "../../_shared/units.ts";
import type { TwilioAccount } from "../twilio/account.ts";
import { fileType } from "./file_type.ts";
import { pinnedRequest } from "../../_shared/pinned_request.ts";
import { allowedAddresses } from "../../_shared/public_address.ts";

/** The maximum size of a stored file. The bucket `text-media` has the same limit. */
const MAX_FILE_BYTES = 5 * MIB;

const MAX_REDIRECTS = 3;

/** The timeout of a file in milliseconds, including its redirects. */
const TIMEOUT_MS = 20_000;

const REDIRECTS = [301, 302, 303, 307, 308];

/** A file of a recruit's text. */
export interface FetchedFile {
  bytes: Uint8Array<ArrayBuffer>;
  /** Determined by the content. */
  contentType: string;
}

/** Why a file was not fetched. `failed`: another attempt would have the same result. */
export interface NotFetched {
  outcome: "failed" | "later";
  /** As in `media_copies.reason`. */
  reason: string;
}

/**
 * Fetches a file of a text from Twilio, following redirects. Only Twilio's first host receives the account's
 * credentials. Redirects must lead to a public host over https. Never rejects, and logs nothing.
 *
 * @param request makes the requests to other hosts
 */
export async function fetchFile(
  account: TwilioAccount,
  address: string,
  request = pinnedRequest,
): Promise<Result<FetchedFile, NotFetched>> {
  const first = URL.parse(address);
  if (first === null || !isTwilios(first, account)) return failed("address");
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    let url = first;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const isFirstHost = url.origin === first.origin;
      const headers = new Headers(isFirstHost ? { authorization: loginOf(account) } : {});
      const { data: response, error } = url.origin === account.origin
        ? success(await fetch(url, { headers, redirect: "manual", signal }))
        : await fetchPublic(url, headers, signal, request);
      if (error !== null) return failure(error);
      if (!REDIRECTS.includes(response.status)) return await readFile(response, isFirstHost);
      await response.body?.cancel();
      const next = URL.parse(response.headers.get("location") ?? "", url);
      if (next === null) break;
      url = next;
    }
    return failed("address");
  } catch (error) {
    return later(hadConnection(error) ? "lost" : "no_connection");
  }
}

/** Whether the file is on Twilio's host. The account of a double allows only the double. */
function isTwilios(url: URL, { origin }: TwilioAccount): boolean {
  if (url.username !== "" || url.password !== "") return false;
  const isTwilio = ({ protocol, port, hostname }: URL) =>
    protocol === "https:" && port === "" && hostname.endsWith(".twilio.com");
  return url.origin === origin || isTwilio(new URL(origin)) && isTwilio(url);
}

/** Requests a URL of another host at the public address that was checked. */
async function fetchPublic(
  url: URL,
  headers: Headers,
  signal: AbortSignal,
  request: typeof pinnedRequest,
): Promise<Result<Response, NotFetched>> {
  if (url.protocol !== "https:" || url.username !== "" || url.password !== "") return failed("address");
  const ended = new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const addresses = await Promise.race([allowedAddresses(url.hostname), ended]);
  if (addresses === null) return failed("address");
  const { data, error } = await request({
    url,
    addresses,
    method: "GET",
    headers,
    maxBytes: MAX_FILE_BYTES + 1,
    signal,
  });
  if (error !== null) return later(error);
  if (!data.isComplete) return later("lost");
  const { status, body } = data;
  return success(new Response(body.length > 0 ? body : null, { status, headers: data.headers }));
}

function loginOf({ username, password }: TwilioAccount): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

async function readFile(response: Response, isFirstHost: boolean): Promise<Result<FetchedFile, NotFetched>> {
  const { status, headers, body } = response;
  if (status !== 200) {
    await body?.cancel();
    if (status === 404 || status === 410) return failed("gone");
    return later(isFirstHost && (status === 401 || status === 403) ? "credentials" : `HTTP ${status}`);
  }
  const parts: Uint8Array[] = [];
  let size = Number(headers.get("content-length") ?? 0) > MAX_FILE_BYTES ? Infinity : 0;
  // Leaving the loop cancels the response.
  for await (const part of body ?? []) {
    size += part.length;
    if (size > MAX_FILE_BYTES) break;
    parts.push(part);
  }
  if (size > MAX_FILE_BYTES) return failed("too_large");
  const { buffer, byteOffset, byteLength } = Buffer.concat(parts);
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  const contentType = fileType(bytes);
  return contentType === undefined ? failed("type") : success({ bytes, contentType });
}

function failed(reason: string): Result<never, NotFetched> {
  return failure({ outcome: "failed", reason });
}

function later(reason: string): Result<never, NotFetched> {
  return failure({ outcome: "later", reason });
}
