import type { RequestContext } from "../../_shared/app.ts";
import { requireWithinLimit } from "../../_shared/rate_limit.ts";
import { bearerToken, sha256Hex } from "../../_shared/secrets.ts";
import { describeFiles } from "../parsers/files.ts";
import { type Credential, replayContext, toVendor, type Vendor, vendorLeadId, type VendorSettings } from "./vendor.ts";
import { callAsVendor, LOOK_UP, vendors, wrongKey } from "./vendor_calls.ts";

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
