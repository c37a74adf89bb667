import type { AppContext } from "../../_shared/app.ts";
import { callDatabase, type CallOptions } from "../../_shared/database.ts";
import { ApiError } from "../../_shared/errors.ts";
import type { Json, JsonObject } from "../../_shared/json.ts";
import { requireWithinLimit } from "../../_shared/rate_limit.ts";
import type { Result } from "../../_shared/result.ts";
import { bearerToken, sha256Hex } from "../../_shared/secrets.ts";
import type {
  SqlArguments,
  SqlFunction,
  SqlResults,
  VendorSettings,
} from "../../_shared/sql_functions.ts";
import { Turns } from "../../_shared/turns.ts";
import { describeFiles } from "../parsers/files.ts";
import { parserNamed } from "../parsers/index.ts";
import type { ParsedLead } from "../parsers/parser.ts";
import { vendorLeadId } from "./lead.ts";

/** A vendor whose API key, or whose webhook's proof, has been checked. */
export interface Vendor {
  id: string;
  credential: Credential;
  /** Requests a minute; null: no limit. */
  rateLimit: number | null;
  /** The vendor's parser with its configuration; null where none is configured. */
  parse: Parse | null;
}

/** What a vendor has been recognised by. The SQL functions that write check it again. */
export type Credential =
  | { /** SHA-256 of the API key, in lower-case hex. */ key_hash: string; webhook: null }
  | { key_hash: null; webhook: WebhookCredential };

export interface WebhookCredential {
  /** The secret that the request was proved with. */
  secret_id: string;
  /** The same in each repeat of a delivery; null where the scheme has none. */
  delivery_id: string | null;
  /** Which lead of the delivery, from 0. */
  part: number;
}

/** Reads a payload of one vendor. */
export type Parse = (payload: Json) => Result<ParsedLead>;

/**
 * How long an isolate remembers a vendor, in milliseconds. A changed parser or rate limit takes effect within this time. A
 * revoked key stops at once, because each SQL function that writes checks the key again.
 */
export const CACHE_MS = 2_000;
export const CACHE_SIZE = 1_000;

/**
 * Calls for vendors at a time in one isolate. PostgREST has about ten connections to the database. If all requests of a
 * burst called at once, each would wait there until its call is given up, and the database would work for nobody.
 */
const turns = new Turns(40);
const TURN_WITHIN_MS = 5_000;

/**
 * For how long a passing fault is retried when a vendor is looked up. All requests of the vendor wait for one answer, so it
 * is longer than for a lead: who comes last shall not fail at once.
 */
export const LOOK_UP: CallOptions = { retryWithin: 5_000 };

/** Of these calls, those that look up a credential which this isolate does not know: wrong ones take no vendor's turn. */
const lookUps = new Turns(5);
const LOOK_UP_WITHIN_MS = 20_000;

const cache = new Map<string, { vendor: Vendor; until: number }>();
const identifying = new Map<string, Promise<Vendor>>();

/**
 * Finds the vendor by the API key in `Authorization: Bearer <key>`, and counts the request where the vendor has a limit.
 * From now on a refusal of the request is written to the journal.
 *
 * @throws ApiError UNAUTHORIZED without a valid key; TOO_MANY_REQUESTS beyond the vendor's limit.
 */
export async function authenticateVendor(c: AppContext): Promise<Vendor> {
  const apiKey = bearerToken(c.req.raw);
  if (apiKey === undefined) {
    throw unauthorized("send the vendor API key as `Authorization: Bearer <VENDOR_API_KEY>`");
  }
  const vendor = await findVendor(sha256Hex(apiKey));
  await admitVendor(c, vendor);
  return vendor;
}

/**
 * Begins the request of a vendor that has been recognised: names it in the log and for the journal, and counts the request
 * where the vendor has a limit.
 *
 * @throws ApiError TOO_MANY_REQUESTS beyond the vendor's limit.
 */
export async function admitVendor(c: AppContext, vendor: Vendor): Promise<void> {
  c.get("log").vendor_id = vendor.id;
  c.set("sender", {
    vendor_id: vendor.id,
    context: replayContext(vendor.credential),
    describe: (payload) => ({
      vendor_lead_id: vendor.parse && vendorLeadId(vendor.parse, payload),
      payload: describeFiles(payload),
    }),
  });
  if (vendor.rateLimit !== null) {
    await requireWithinLimit(`vendor ${vendor.id}`, vendor.rateLimit);
  }
}

/** What a replay has to know besides the lead: the id of a webhook's delivery, which may have come again meanwhile. */
export function replayContext({ webhook }: Credential): JsonObject {
  if (webhook === null || webhook.delivery_id === null) return {};
  const { delivery_id, part } = webhook;
  return { webhook: { delivery_id, part } };
}

async function findVendor(keyHash: string): Promise<Vendor> {
  const cached = cache.get(keyHash);
  if (cached && cached.until > Date.now()) return cached.vendor;
  // Asks once for all requests of a burst: so they do not take the turns of other vendors.
  let vendor = identifying.get(keyHash);
  if (vendor === undefined) {
    const ask = () => askForVendor(keyHash);
    vendor = (cached ? ask() : lookUp(ask)).finally(() => identifying.delete(keyHash));
    identifying.set(keyHash, vendor);
  }
  return await vendor;
}

async function askForVendor(keyHash: string): Promise<Vendor> {
  const credential: Credential = { key_hash: keyHash, webhook: null };
  const settings = await callAsVendor({ credential }, "identify_vendor", {}, LOOK_UP);
  const vendor = toVendor(credential, settings);
  if (cache.size >= CACHE_SIZE) cache.clear();
  cache.set(keyHash, { vendor, until: Date.now() + CACHE_MS });
  return vendor;
}

/**
 * Looks up a credential that may be wrong when it is its turn. One that was right a moment ago needs none.
 *
 * @throws ApiError INTERNAL_ERROR when its turn has not come within 20 s.
 */
export function lookUp<Result>(ask: () => Promise<Result>): Promise<Result> {
  return lookUps.run(LOOK_UP_WITHIN_MS, ask);
}

/**
 * Makes a call for a vendor when it is its turn. The time limit of the call begins with its turn.
 *
 * @throws ApiError INTERNAL_ERROR when its turn has not come within 5 s.
 */
export function inTurn<Result>(call: () => Promise<Result>): Promise<Result> {
  return turns.run(TURN_WITHIN_MS, call);
}

/** The SQL functions that check a vendor's credential. */
type VendorFunction = {
  [Name in SqlFunction]: "key_hash" extends keyof SqlArguments<Name> ? Name : never;
}[SqlFunction];

/**
 * Calls an SQL function with the vendor's credential, which the function checks.
 *
 * @throws ApiError as callDatabase() does. After UNAUTHORIZED the isolate has forgotten the vendor.
 */
export async function callAsVendor<Name extends VendorFunction>(
  { credential }: Pick<Vendor, "credential">,
  name: Name,
  args: Omit<SqlArguments<Name>, "key_hash" | "webhook">,
  options?: CallOptions,
): Promise<SqlResults[Name]> {
  try {
    const { key_hash, webhook } = credential;
    // Functions that take keys alone have no argument `webhook`.
    const allArgs = { key_hash, ...(webhook && { webhook }), ...args };
    return await inTurn(() =>
      callDatabase(name, allArgs as unknown as SqlArguments<Name>, options)
    );
  } catch (error) {
    throw refusalFor(credential, error);
  }
}

/**
 * The error for a vendor whose call the database has refused. After UNAUTHORIZED the isolate has forgotten the vendor: its
 * key or its webhook's secret has been taken away.
 */
export function refusalFor({ key_hash }: Credential, error: unknown): unknown {
  if (!(error instanceof ApiError) || error.code !== "UNAUTHORIZED") return error;
  if (key_hash === null) return wrongProof(error.cause);
  cache.delete(key_hash);
  return unauthorized(error.message, error.cause);
}

/** A vendor as the database knows it, with what it has been recognised by. */
export function toVendor(
  credential: Credential,
  { vendor_id, parser, parser_config, rate_limit }: VendorSettings,
): Vendor {
  const parse = parserNamed(parser ?? "");
  return {
    id: vendor_id,
    credential,
    rateLimit: rate_limit,
    parse: parse === undefined ? null : (payload) => parse(payload, parser_config),
  };
}

/**
 * The vendor's parser. Asked for after the body was read, so that the journal has what was sent.
 *
 * @throws ApiError BAD_REQUEST where none is configured.
 */
export function requireParser({ parse }: Vendor): Parse {
  if (parse !== null) return parse;
  throw new ApiError("BAD_REQUEST", "no parser is configured for the vendor");
}

function unauthorized(message: string, cause?: unknown): ApiError {
  const headers = { "WWW-Authenticate": 'Bearer realm="recruiting"' };
  return new ApiError("UNAUTHORIZED", message, { headers, cause });
}

/**
 * The response to a webhook's request without a valid proof. It is the same for whatever reason, so that a stranger learns
 * nothing about webhooks and vendors.
 */
export function wrongProof(cause?: unknown): ApiError {
  return new ApiError("UNAUTHORIZED", "the signature or secret is missing or wrong", { cause });
}
