/**
 * The part of Meta's Graph API that the service uses: https://developers.facebook.com/docs/graph-api/overview
 *
 * Nothing here throws, and nothing is logged: a response contains personal data, and a URL may contain a token.
 */
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import { ConfigurationError } from "../../_shared/configuration.ts";
import { hadConnection } from "../../_shared/connection.ts";
import { isObject, type Json, type JsonObject, parseJson } from "../../_shared/json.ts";
import { pastedUrl } from "../../_shared/public_url.ts";
import { KIB } from "../../_shared/units.ts";

/** A version is supported for at least two years: https://developers.facebook.com/docs/graph-api/guides/versioning */
const VERSION = "v24.0";

/** The timeout of one response in milliseconds. */
const TIMEOUT_MS = 10_000;

/** The largest response that is read. A page of 25 leads with long answers takes a quarter of it. */
const MAX_ANSWER_BYTES = 256 * KIB;

/** The fields of a lead. By default, Meta returns only `id` and `created_time`. */
export const LEAD_FIELDS =
  "id,created_time,form_id,ad_id,campaign_id,is_organic,field_data,custom_disclaimer_responses";

/** The credentials of a request. */
export interface GraphCredentials {
  /** The access token. It is sent only in the `Authorization` header. */
  token: string;
  /**
   * The app's secrets, newest first. The first one that Meta accepts signs `appsecret_proof`, which is omitted if there
   * are none. https://developers.facebook.com/docs/graph-api/guides/secure-requests
   */
  appSecrets: string[];
  /** Aborts the request. */
  signal?: AbortSignal;
}

/** The result of a request. */
export type GraphAnswer =
  | {
    ok: true;
    body: JsonObject;
    /** The app secret that Meta accepted; null if none was sent. */
    appSecret: string | null;
  }
  | GraphFailure;

/** A failed request to Meta. It contains no token, no personal data and no text from Meta. */
export interface GraphFailure {
  ok: false;
  /** The HTTP status; null without a response. */
  status: number | null;
  /** Meta's error code; null if there is none. https://developers.facebook.com/docs/graph-api/guides/error-handling */
  code: number | null;
  /** Meta's error subcode; null if there is none. */
  subcode: number | null;
  /** The wait that Meta requests; null if it requests none. */
  retryAfterSeconds: number | null;
  reason: GraphFailureReason;
}

/**
 * `refused`: Meta returned an error. `redirect`, `too_large`, `no_json`: the response is not from the Graph API.
 * `lost`: no response in time. `no_connection`: nothing was sent. `configuration`: META_GRAPH_BASE_URL is invalid.
 * `id`: the id contains other characters than digits, so no request was sent.
 */
export type GraphFailureReason =
  | "refused"
  | "redirect"
  | "too_large"
  | "no_json"
  | "lost"
  | "no_connection"
  | "configuration"
  | "id";

/** Fetches a lead by the id in Meta's notice. The parser `meta` reads the body. Never throws. */
export function getLead(
  leadgenId: string,
  token: string,
  appSecrets: string[],
  signal?: AbortSignal,
): Promise<GraphAnswer> {
  // Any other character could change the path.
  if (!/^\d{1,32}$/.test(leadgenId)) return Promise.resolve(failed("id"));
  return graphGet(leadgenId, { fields: LEAD_FIELDS }, { token, appSecrets, signal });
}

/**
 * Sends a GET request to the Graph API. If `appsecret_proof` may be wrong, the request is repeated with the next
 * secret. Redirects are not followed. Never throws.
 *
 * @param path without the version, such as `<page id>/leadgen_forms`
 */
export async function graphGet(
  path: string,
  query: Record<string, string>,
  { token, appSecrets, signal }: GraphCredentials,
): Promise<GraphAnswer> {
  let answer: GraphAnswer = failed("configuration");
  for (const appSecret of appSecrets.length > 0 ? appSecrets : [null]) {
    const proof: Record<string, string> = appSecret === null ? {} : { appsecret_proof: proofOf(token, appSecret) };
    answer = await request(path, { ...query, ...proof }, token, signal);
    if (answer.ok) return { ...answer, appSecret };
    // Meta has no specific code for a wrong proof.
    if (answer.code !== 100 || answer.subcode !== null) break;
  }
  return answer;
}

/**
 * Returns the origin of the Graph API: `META_GRAPH_BASE_URL` or Meta's own host. Plain http is allowed only to this
 * machine.
 *
 * @throws ConfigurationError if the variable is invalid.
 */
export function graphOrigin(): string {
  const url = URL.parse(pastedUrl(Deno.env.get("META_GRAPH_BASE_URL") ?? "") || "https://graph.facebook.com");
  const isHere = url !== null && ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
  const mayBe = url?.protocol === "https:" || url?.protocol === "http:" && isHere;
  if (!mayBe || url.href !== `${url.origin}/`) {
    throw new ConfigurationError("META_GRAPH_BASE_URL must be an origin, such as https://graph.facebook.com");
  }
  return url.origin;
}

function proofOf(token: string, appSecret: string): string {
  return createHmac("sha256", appSecret).update(token).digest("hex");
}

async function request(
  path: string,
  query: Record<string, string>,
  token: string,
  signal?: AbortSignal,
): Promise<GraphAnswer> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await fetch(`${graphOrigin()}/${VERSION}/${path}?${new URLSearchParams(query)}`, {
      headers: { accept: "application/json", authorization: `Bearer ${token}` },
      redirect: "manual",
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
    });
    return await readAnswer(response);
  } catch (error) {
    if (error instanceof ConfigurationError) return failed("configuration");
    return failed(hadConnection(error) ? "lost" : "no_connection");
  }
}

async function readAnswer(response: Response): Promise<GraphAnswer> {
  const { status, headers } = response;
  if (status >= 300 && status < 400) {
    await response.body?.cancel();
    return failed("redirect", { status });
  }
  const retryAfterSeconds = waitOf(headers);
  const text = await readText(response);
  if (text === null) return failed("too_large", { status, retryAfterSeconds });
  const body = jsonOf(text);
  if (!isObject(body)) return failed("no_json", { status, retryAfterSeconds });
  if (status === 200 && !("error" in body)) return { ok: true, body, appSecret: null };
  const { code, error_subcode } = isObject(body.error) ? body.error : {};
  return failed("refused", { status, retryAfterSeconds, code: numberOf(code), subcode: numberOf(error_subcode) });
}

/** Returns the text of a response; null if it is too large. */
async function readText({ body }: Response): Promise<string | null> {
  const parts: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the response.
  for await (const part of body ?? []) {
    size += part.length;
    if (size > MAX_ANSWER_BYTES) return null;
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

function jsonOf(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns the wait that Meta requests, in seconds. `X-Business-Use-Case-Usage` contains it in minutes for each kind of
 * use. https://developers.facebook.com/docs/graph-api/overview/rate-limiting
 */
function waitOf(headers: Headers): number | null {
  const usage = jsonOf(headers.get("x-business-use-case-usage") ?? "");
  const uses = isObject(usage) ? Object.values(usage).flatMap((list) => Array.isArray(list) ? list : []) : [];
  const waits = uses.filter(isObject).map((use) => Number(use.estimated_time_to_regain_access) * 60)
    .concat(Number(headers.get("retry-after")))
    .filter((seconds) => Number.isFinite(seconds) && seconds > 0);
  return waits.length === 0 ? null : Math.ceil(Math.max(...waits));
}

function numberOf(value: Json | undefined): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) ? value : null;
}

function failed(reason: GraphFailureReason, known: Partial<GraphFailure> = {}): GraphFailure {
  return { ok: false, status: null, code: null, subcode: null, retryAfterSeconds: null, ...known, reason };
}
