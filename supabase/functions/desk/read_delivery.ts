import { BATCH_BOUNDS, type Json, type JsonObject, parseJson } from "../_shared/json.ts";
import { failure, type Result, success } from "../_shared/result.ts";
import { type ImportedLead, readImportedLead } from "../api/imported_lead.ts";
import { type Lead, type Parse, readLead, skipResume } from "../recruiting/ingest/lead.ts";
import { PARSERS, partParser } from "../recruiting/parsers/index.ts";

/** Why the notice of a lead stays open after its replay. */
export const IS_FETCHED = "its lead is fetched from Meta now; the delivery is replayed when it is stored";

/** The columns of a rejected delivery that are read. */
export interface RejectedDelivery {
  route: string;
  /** Its index in a batch; null if the whole request was rejected. */
  row: number | null;
  /** The text of its payload, which preserves numbers that JavaScript cannot represent exactly. */
  payload_json: string | null;
}

/** A vendor's parser and its configuration. */
export interface ParserOf {
  slug: string;
  parser: string | null;
  parser_config: Json;
}

/** A lead, and the input it was read from. */
export interface Reading {
  lead: Lead | ImportedLead;
  payload: JsonObject;
  /** Undefined for an import, whose fields are the same for all senders. */
  parse?: Parse;
}

/**
 * Reads a rejected payload with its vendor's current parser, or as an import; an error says why it is not a lead.
 *
 * @param vendor undefined for an import
 */
export function readDelivery(
  { route, row, payload_json }: RejectedDelivery,
  vendor: ParserOf | undefined,
): Result<Reading> {
  if (payload_json === null) {
    return failure("only the beginning of what was sent is kept, so it must be sent again");
  }
  const isBatch = vendor === undefined || route.endsWith("/bulk") || payload_json.startsWith("[");
  if (isBatch && row === null) {
    return failure("it is a whole request of several leads, which must be sent again");
  }
  const payload = parseJson(payload_json, BATCH_BOUNDS) as JsonObject;
  if (vendor === undefined) {
    const { data: lead, error } = readImportedLead(payload);
    return error === null ? success({ lead, payload }) : failure(error);
  }
  const isPart = row !== null && route.startsWith("/recruiting/webhooks/");
  const parser = isPart ? partParser(vendor.parser ?? "") : PARSERS.get(vendor.parser ?? "");
  if (parser === undefined) return failure(`the vendor ${vendor.slug} has no parser`);
  const parse: Reading["parse"] = (given) => parser(given, vendor.parser_config);
  const { data, error } = readLead(parse, payload);
  if (error !== null) return failure(error);
  const { lead, resume } = data;
  return success({
    lead: resume === undefined ? lead : skipResume(lead, "replay"),
    payload,
    parse,
  });
}
