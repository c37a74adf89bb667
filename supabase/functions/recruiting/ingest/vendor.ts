import { ApiError } from "../../_shared/errors.ts";
import { isObject, type Json, type JsonObject } from "../../_shared/json.ts";
import type { Result } from "../../_shared/result.ts";
import { parserNamed } from "../parsers/index.ts";
import type { ParsedLead } from "../parsers/parser.ts";

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

/** What is set for a vendor, as identify_vendor() returns it. */
export interface VendorSettings {
  vendor_id: string;
  parser: string | null;
  parser_config: Json;
  /** Requests a minute; null: no limit. */
  rate_limit: number | null;
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
 * The vendor's parser. Asked for after the body was read, so that a rejected delivery has what was sent.
 *
 * @throws ApiError BAD_REQUEST where none is configured.
 */
export function requireParser({ parse }: Vendor): Parse {
  if (parse !== null) return parse;
  throw new ApiError("BAD_REQUEST", "no parser is configured for the vendor");
}

/** The vendor's id of a lead that cannot be stored, where the parser finds one. */
export function vendorLeadId({ parse }: Vendor, payload: Json): string | null {
  return parse !== null && isObject(payload) ? parse(payload).data?.vendor_lead_id ?? null : null;
}

/** What a replay has to know besides the lead: the id of a webhook's delivery, which may have come again meanwhile. */
export function replayContext({ webhook }: Credential): JsonObject {
  if (webhook === null || webhook.delivery_id === null) return {};
  const { delivery_id, part } = webhook;
  return { webhook: { delivery_id, part } };
}
