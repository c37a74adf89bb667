import { callDatabase, type CallOptions, type SqlArguments, type SqlFunction } from "../../_shared/database.ts";
import { ApiError } from "../../_shared/errors.ts";
import { SEMAPHORES } from "../../_shared/semaphores.ts";
import type { Preview } from "./responses.ts";
import type { Lead } from "./lead.ts";
import type { Credential, Vendor } from "./vendor.ts";
import { VendorCache } from "./vendor_cache.ts";

/** The vendors of API keys, by the SHA-256 of the key. */
export const vendors = new VendorCache<Vendor>();

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
): Promise<Result> {
  const { key_hash, webhook } = credential;
  // Functions that take keys alone have no argument `webhook`.
  const allArgs = { key_hash, ...(webhook && { webhook }), ...args } as unknown;
  try {
    return await SEMAPHORES.vendorCalls.run(() => callDatabase(name, allArgs as SqlArguments<Name>, options));
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
