/**
 * The part of Meta's Graph API that we use: https://developers.facebook.com/docs/graph-api/overview
 *
 * Nothing here throws, and nothing is logged: an answer has a person's data, and an address may have a token.
 */
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import { ConfigurationError } from "../../_shared/configuration.ts";
import { hadConnection } from "../../_shared/connection.ts";
import { isObject, type Json, type JsonObject, parseJson } from "../../_shared/json.ts";
import { pastedUrl } from "../../_shared/public_url.ts";
import { KIB } from "../../_shared/units.ts";

/** A version works for two years at least: https://developers.facebook.com/docs/graph-api/guides/versioning */
const VERSION = "v24.0";

/** The milliseconds that one answer may take. */
const TIMEOUT_MS = 10_000;

/** The largest answer that is read. A page of 25 leads with long answers has a quarter of it. */
const MAX_ANSWER_BYTES = 256 * KIB;

/** The fields of a lead. Meta gives `id` and `created_time` alone of those that nobody names. */
export const LEAD_FIELDS =
  "id,created_time,form_id,ad_id,campaign_id,is_organic,field_data,custom_disclaimer_responses";

/** What a request proves itself by. */
export interface GraphCredentials {
  /** The access token. It goes in the header `Authorization` alone. */
  token: string;
  /**
   * The app's secrets, newest first. The first one that Meta knows makes `appsecret_proof`; without any there is none.
   * https://developers.facebook.com/docs/graph-api/guides/secure-requests
   */
  appSecrets: string[];
  /** Ends the request before its time. */
  signal?: AbortSignal;
}

/** What came of a request. */
export type GraphAnswer =
  | {
    ok: true;
    body: JsonObject;
    /** The app secret that Meta took; null where none was sent. */
    appSecret: string | null;
  }
  | GraphFailure;

/** Meta did not give what was asked for. It names no token, no person and nothing that Meta wrote. */
export interface GraphFailure {
  ok: false;
  /** The HTTP status; null without an answer. */
  status: number | null;
  /** Meta's error code; null where the answer has none. https://developers.facebook.com/docs/graph-api/guides/error-handling */
  code: number | null;
  /** Meta's error subcode; null where there is none. */
  subcode: number | null;
  /** The wait that Meta asks for; null where it asks for none. */
  retryAfterSeconds: number | null;
  reason: GraphFailureReason;
}

/**
 * `refused`: Meta's answer is an error. `redirect`, `too_large`, `no_json`: what came is no answer of the Graph API.
 * `lost`: no answer in time. `no_connection`: nothing was sent. `configuration`: META_GRAPH_BASE_URL is wrong.
 * `id`: the id has more than digits, so nothing was asked.
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

/** Fetches a lead by the id in Meta's notice. The body is what the parser `meta` reads. Never throws. */
export function getLead(
  leadgenId: string,
  token: string,
  appSecrets: string[],
  signal?: AbortSignal,
): Promise<GraphAnswer> {
  // An id with more in it would be another path.
  if (!/^\d{1,32}$/.test(leadgenId)) return Promise.resolve(failed("id"));
  return graphGet(leadgenId, { fields: LEAD_FIELDS }, { token, appSecrets, signal });
}

/**
 * Reads something of the Graph API. A request whose `appsecret_proof` may be wrong is sent again with the next secret.
 * Redirects are not followed. Never throws.
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
    // Meta has no code of its own for a wrong proof.
    if (answer.code !== 100 || answer.subcode !== null) break;
  }
  return answer;
}

/**
 * Where the Graph API is: `META_GRAPH_BASE_URL`, else Meta's own host. Plain http goes to this machine alone.
 *
 * @throws ConfigurationError where the variable is wrong.
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

/** The text of an answer; null where it is too large. */
async function readText({ body }: Response): Promise<string | null> {
  const parts: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop ends the response.
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
 * The wait that Meta asks for, in seconds. `X-Business-Use-Case-Usage` has it in minutes, for each kind of use.
 * https://developers.facebook.com/docs/graph-api/overview/rate-limiting
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
