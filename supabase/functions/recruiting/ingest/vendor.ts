/** Finds the vendor of a credential, and makes database calls on behalf of a vendor. */
import type { RequestContext } from "../../_shared/app.ts";
import { callDatabase, type CallOptions, type SqlArguments, type SqlFunction } from "../../_shared/database.ts";
import { ApiError } from "../../_shared/errors.ts";
import type { Json, JsonObject } from "../../_shared/json.ts";
import { requireWithinLimit } from "../../_shared/rate_limit.ts";
import { bearerToken, sha256Hex } from "../../_shared/secrets.ts";
import { SEMAPHORES } from "../../_shared/semaphores.ts";
import { describeFiles, withoutGoogleKey } from "../parsers/files.ts";
import { type Lead, vendorLeadId, type VendorParser } from "./lead.ts";
import type { Preview } from "./responses.ts";

/** A vendor whose API key or webhook proof has been verified. */
export interface Vendor extends VendorParser {
  id: string;
  credential: Credential;
  /** Requests per minute; null means no limit. */
  rateLimit: number | null;
}

/** The credential that identified a vendor. The SQL functions that write verify it again. */
export type Credential =
  | { /** SHA-256 of the API key, in lower-case hex. */ key_hash: string; webhook: null }
  | { key_hash: null; webhook: WebhookCredential };

export interface WebhookCredential {
  /** The secret that proved the request. */
  secret_id: string;
  /** The same in every repetition of a delivery; null if the scheme has none. */
  delivery_id: string | null;
  /** The lead's index in the delivery, from 0. */
  part: number;
}

/** The settings of a vendor, as identify_vendor() returns it. */
export interface VendorSettings {
  vendor_id: string;
  parser: string | null;
  parser_config: Json;
  /** Requests per minute; null means no limit. */
  rate_limit: number | null;
}

/** Combines the settings of a vendor with its credential. */
export function toVendor(
  credential: Credential,
  { vendor_id, parser, parser_config, rate_limit }: VendorSettings,
): Vendor {
  return { id: vendor_id, credential, rateLimit: rate_limit, parser, parserConfig: parser_config };
}

/**
 * The context that a replay needs besides the lead: the id of a webhook's delivery, which may have been repeated
 * meanwhile.
 */
export function replayContext({ webhook }: Credential): JsonObject {
  if (webhook === null || webhook.delivery_id === null) return {};
  const { delivery_id, part } = webhook;
  return { webhook: { delivery_id, part } };
}

/**
 * How many milliseconds an isolate caches a vendor. A changed parser or rate limit takes effect within this time. A
 * revoked key stops working immediately, because each SQL function that writes checks the key again.
 */
const REMEMBER_MS = 2_000;
const MOST = 1_000;

/** Caches the vendors of credentials; null if a credential has no vendor. */
export class VendorCache<Found> {
  readonly #remembered = new Map<string, { found: NonNullable<Found>; until: number }>();
  readonly #asking = new Map<string, Promise<Found>>();

  /** The last result. A stale one still shows that the credential was valid a moment ago. */
  last(key: string): { found: NonNullable<Found>; isFresh: boolean } | undefined {
    const last = this.#remembered.get(key);
    return last && { found: last.found, isFresh: last.until > Date.now() };
  }

  /**
   * Queries the database, once for all requests of a burst.
   *
   * @param isKnown whether the credential was valid a moment ago. Any other credential needs a permit.
   * @throws ApiError for the same reasons as `ask`; INTERNAL_ERROR if there is no permit within 20 s.
   */
  ask(key: string, isKnown: boolean, ask: () => Promise<Found>): Promise<Found> {
    let asking = this.#asking.get(key);
    if (asking === undefined) {
      asking = (isKnown ? ask() : SEMAPHORES.vendorLookUps.run(ask))
        .then((found) => this.#remember(key, found))
        .finally(() => this.#asking.delete(key));
      this.#asking.set(key, asking);
    }
    return asking;
  }

  /** Removes a revoked credential. */
  forget(key: string): void {
    this.#remembered.delete(key);
  }

  #remember(key: string, found: Found): Found {
    if (found === null || found === undefined) this.forget(key);
    else {
      if (this.#remembered.size >= MOST) this.#remembered.clear();
      this.#remembered.set(key, { found, until: Date.now() + REMEMBER_MS });
    }
    return found;
  }
}

/** The vendors of API keys, by the SHA-256 of the key. */
const vendors = new VendorCache<Vendor>();

/** A request whose vendor is known. */
export interface VendorRequest extends RequestContext {
  readonly vendor: Vendor;
}

/**
 * Finds the vendor by the API key in `Authorization: Bearer <key>`, and admits its request.
 *
 * @throws ApiError UNAUTHORIZED without a valid key; TOO_MANY_REQUESTS if the vendor's limit is exceeded.
 */
export async function authenticateVendor(context: RequestContext): Promise<VendorRequest> {
  const apiKey = bearerToken(context.request);
  if (apiKey === undefined) {
    throw wrongKey("send the vendor API key as `Authorization: Bearer <VENDOR_API_KEY>`");
  }
  return await admitVendor(context, await findVendor(sha256Hex(apiKey)));
}

/**
 * Begins the request of an authenticated vendor: adds the vendor to the log line, starts to store rejected deliveries,
 * and counts the request if the vendor has a limit.
 *
 * @throws ApiError TOO_MANY_REQUESTS if the vendor's limit is exceeded.
 */
export async function admitVendor(
  context: RequestContext,
  vendor: Vendor,
): Promise<VendorRequest> {
  context.log.vendor_id = vendor.id;
  context.rejected.keepFrom({
    vendor_id: vendor.id,
    context: replayContext(vendor.credential),
    describe: (payload) => ({
      vendor_lead_id: vendorLeadId(vendor, payload),
      payload: describeFiles(payload),
    }),
    withoutSecrets: withoutGoogleKey,
  });
  if (vendor.rateLimit !== null) {
    await requireWithinLimit(`vendor ${vendor.id}`, vendor.rateLimit);
  }
  return { ...context, vendor };
}

async function findVendor(keyHash: string): Promise<Vendor> {
  const last = vendors.last(keyHash);
  if (last?.isFresh) return last.found;
  return await vendors.ask(keyHash, last !== undefined, async () => {
    const credential: Credential = { key_hash: keyHash, webhook: null };
    const settings: VendorSettings = await callAsVendor(
      { credential },
      "identify_vendor",
      {},
      LOOK_UP,
    );
    return toVendor(credential, settings);
  });
}

/**
 * How long a transient fault is retried when a vendor is looked up. It is longer than for a lead, because all requests
 * of the vendor wait for one result, and the last of them must not fail immediately.
 */
export const LOOK_UP: CallOptions = { retryWithin: 5_000 };

/** The SQL functions that check a vendor's credential. */
type VendorFunction = {
  [Name in SqlFunction]: "key_hash" extends keyof SqlArguments<Name> ? Name : never;
}[SqlFunction];

/**
 * Calls an SQL function with the vendor's credential, which the function verifies.
 *
 * @throws ApiError for the same reasons as callDatabase(). UNAUTHORIZED removes the vendor from the cache.
 */
export async function callAsVendor<Name extends VendorFunction, Result>(
  { credential }: Pick<Vendor, "credential">,
  name: Name,
  args: Omit<SqlArguments<Name>, "key_hash" | "webhook">,
  options?: CallOptions,
  permits = SEMAPHORES.vendorCalls,
): Promise<Result> {
  const { key_hash, webhook } = credential;
  // Functions that accept only keys have no argument `webhook`.
  const allArgs = { key_hash, ...(webhook && { webhook }), ...args } as unknown;
  try {
    return await permits.run(() => callDatabase(name, allArgs as SqlArguments<Name>, options));
  } catch (error) {
    throw errorFor(credential, error);
  }
}

/** Returns what would happen to a lead, and changes nothing. */
export function previewLead(vendor: Pick<Vendor, "credential">, lead: Lead): Promise<Preview> {
  return callAsVendor(vendor, "preview_recruiting_lead", { lead }, { retryWithin: 3_000 });
}

/**
 * Returns the error for a vendor whose call the database refused. UNAUTHORIZED removes the vendor from the cache,
 * because its key or its webhook's secret has been revoked.
 */
export function errorFor({ key_hash }: Credential, error: unknown): unknown {
  if (!(error instanceof ApiError) || error.code !== "UNAUTHORIZED") return error;
  if (key_hash === null) return wrongProof(error.cause);
  vendors.forget(key_hash);
  return wrongKey(error.message, error.cause);
}

/** The response to a request without a valid API key. */
function wrongKey(message: string, cause?: unknown): ApiError {
  const headers = { "WWW-Authenticate": 'Bearer realm="recruiting"' };
  return new ApiError("UNAUTHORIZED", message, { headers, cause });
}

/**
 * The response to a webhook request without a valid proof. It is the same for every reason, so that a stranger learns
 * nothing about webhooks and vendors.
 */
export function wrongProof(cause?: unknown): ApiError {
  return new ApiError("UNAUTHORIZED", "the signature or secret is missing or wrong", { cause });
}
