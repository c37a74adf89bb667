/** From a credential to its vendor, and the calls of the database in a vendor's name. */
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

/** A vendor whose API key, or whose webhook's proof, has been checked. */
export interface Vendor extends VendorParser {
  id: string;
  credential: Credential;
  /** Requests a minute; null: no limit. */
  rateLimit: number | null;
}

/** The credential by which a vendor has been recognised. The SQL functions that write check it again. */
export type Credential =
  | { /** SHA-256 of the API key, in lower-case hex. */ key_hash: string; webhook: null }
  | { key_hash: null; webhook: WebhookCredential };

export interface WebhookCredential {
  /** The secret that the request was proved with. */
  secret_id: string;
  /** The same in each repeat of a delivery; null where the scheme has none. */
  delivery_id: string | null;
  /** The lead's index in the delivery, from 0. */
  part: number;
}

/** The settings of a vendor, as identify_vendor() returns it. */
export interface VendorSettings {
  vendor_id: string;
  parser: string | null;
  parser_config: Json;
  /** Requests a minute; null: no limit. */
  rate_limit: number | null;
}

/** A vendor as the database knows it, with its credential. */
export function toVendor(
  credential: Credential,
  { vendor_id, parser, parser_config, rate_limit }: VendorSettings,
): Vendor {
  return { id: vendor_id, credential, rateLimit: rate_limit, parser, parserConfig: parser_config };
}

/** The context of a replay besides the lead: the id of a webhook's delivery, which may have come again meanwhile. */
export function replayContext({ webhook }: Credential): JsonObject {
  if (webhook === null || webhook.delivery_id === null) return {};
  const { delivery_id, part } = webhook;
  return { webhook: { delivery_id, part } };
}

/**
 * The milliseconds for which an isolate remembers a vendor. A changed parser or rate limit takes effect within this
 * time. A revoked key stops at once, because each SQL function that writes checks the key again.
 */
const REMEMBER_MS = 2_000;
const MOST = 1_000;

/** The database's answers about vendors, by their credentials; null where there is no such vendor. */
export class VendorCache<Found> {
  readonly #remembered = new Map<string, { found: NonNullable<Found>; until: number }>();
  readonly #asking = new Map<string, Promise<Found>>();

  /** The last answer. One that is not fresh still says that the credential was right a moment ago. */
  last(key: string): { found: NonNullable<Found>; isFresh: boolean } | undefined {
    const last = this.#remembered.get(key);
    return last && { found: last.found, isFresh: last.until > Date.now() };
  }

  /**
   * Asks the database, once for all requests of a burst.
   *
   * @param isKnown whether the credential was right a moment ago. Any other needs a permit.
   * @throws ApiError as `ask` does; INTERNAL_ERROR when there is no permit within 20 s.
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

  /** Forgets what was said of a credential, because it has been taken away. */
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
 * @throws ApiError UNAUTHORIZED without a valid key; TOO_MANY_REQUESTS beyond the vendor's limit.
 */
export async function authenticateVendor(context: RequestContext): Promise<VendorRequest> {
  const apiKey = bearerToken(context.request);
  if (apiKey === undefined) {
    throw wrongKey("send the vendor API key as `Authorization: Bearer <VENDOR_API_KEY>`");
  }
  return await admitVendor(context, await findVendor(sha256Hex(apiKey)));
}

/**
 * Begins the request of a vendor that has been recognised: names it in the log, keeps what is rejected from now on, and
 * counts the request where the vendor has a limit.
 *
 * @throws ApiError TOO_MANY_REQUESTS beyond the vendor's limit.
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
 * For how long a passing fault is retried when a vendor is looked up. All requests of the vendor wait for one answer,
 * so it is longer than for a lead: who comes last shall not fail at once.
 */
export const LOOK_UP: CallOptions = { retryWithin: 5_000 };

/** The SQL functions that check a vendor's credential. */
type VendorFunction = {
  [Name in SqlFunction]: "key_hash" extends keyof SqlArguments<Name> ? Name : never;
}[SqlFunction];

/**
 * Calls an SQL function with the vendor's credential, which the function checks.
 *
 * @throws ApiError as callDatabase() does. After UNAUTHORIZED the isolate has forgotten the vendor.
 */
export async function callAsVendor<Name extends VendorFunction, Result>(
  { credential }: Pick<Vendor, "credential">,
  name: Name,
  args: Omit<SqlArguments<Name>, "key_hash" | "webhook">,
  options?: CallOptions,
  permits = SEMAPHORES.vendorCalls,
): Promise<Result> {
  const { key_hash, webhook } = credential;
  // Functions that take keys alone have no argument `webhook`.
  const allArgs = { key_hash, ...(webhook && { webhook }), ...args } as unknown;
  try {
    return await permits.run(() => callDatabase(name, allArgs as SqlArguments<Name>, options));
  } catch (error) {
    throw errorFor(credential, error);
  }
}

/** Says what would become of a lead, and changes nothing. */
export function previewLead(vendor: Pick<Vendor, "credential">, lead: Lead): Promise<Preview> {
  return callAsVendor(vendor, "preview_recruiting_lead", { lead }, { retryWithin: 3_000 });
}

/**
 * The error for a vendor whose call the database has refused. After UNAUTHORIZED the isolate has forgotten the vendor:
 * its key or its webhook's secret has been taken away.
 */
export function errorFor({ key_hash }: Credential, error: unknown): unknown {
  if (!(error instanceof ApiError) || error.code !== "UNAUTHORIZED") return error;
  if (key_hash === null) return wrongProof(error.cause);
  vendors.forget(key_hash);
  return wrongKey(error.message, error.cause);
}

/** The response to a request without a valid API key. */
export function wrongKey(message: string, cause?: unknown): ApiError {
  const headers = { "WWW-Authenticate": 'Bearer realm="recruiting"' };
  return new ApiError("UNAUTHORIZED", message, { headers, cause });
}

/**
 * The response to a webhook's request without a valid proof. It is the same for whatever reason, so that a stranger
 * learns nothing about webhooks and vendors.
 */
export function wrongProof(cause?: unknown): ApiError {
  return new ApiError("UNAUTHORIZED", "the signature or secret is missing or wrong", { cause });
}
