import { isObject, type JsonObject, parseJson } from "../_shared/json.ts";
import { failure } from "../_shared/result.ts";
import type { Parse } from "../recruiting/ingest/lead.ts";
import { partParser } from "../recruiting/parsers/index.ts";
import type { ParserOf, Reading } from "./read_delivery.ts";

/** The columns of a stored lead that are read. */
export interface StoredLead {
  first_name: string;
  vendor_lead_id: string | null;
  /** The text of its metadata, which preserves numbers that JavaScript cannot represent exactly. */
  metadata_json: string;
}

/** The result of reading a stored lead again. */
export interface Leftovers {
  stored: JsonObject;
  /** The fields that the parser finds in its vendor_fields. */
  found: JsonObject;
  /** The lead including the fields that it lacked. */
  reading: Reading;
}

/**
 * Returns the parser for a stored lead's vendor_fields. A mapping does not require a first name here, because the lead
 * has one.
 */
export function leftoversParser({ parser, parser_config: config }: ParserOf): Parse {
  const parse = partParser(parser ?? "");
  if (parse === undefined) return () => failure("no parser");
  const { fields } = isObject(config) ? config : {};
  const whole = parser === "mapping" && isObject(fields)
    ? { ...config as JsonObject, fields: { first_name: { const: "-" }, ...fields } }
    : config;
  return (payload) => parse(payload, whole);
}

/** Reads the unread fields of a stored lead again. */
export function readLeftovers(lead: StoredLead, parse: Parse): Leftovers {
  const stored = metadataOf(lead);
  const payload = isObject(stored.vendor_fields) ? stored.vendor_fields : {};
  const { vendor_fields: _, ...found } = parse(payload).data?.vendor_metadata ?? {};
  const { first_name, vendor_lead_id } = lead;
  const whole = { first_name, vendor_lead_id, vendor_metadata: { ...found, ...stored } };
  return { stored, found, reading: { lead: whole, payload, parse } };
}

/** Returns the fields of a stored lead that are not columns. */
export function metadataOf({ metadata_json }: StoredLead): JsonObject {
  return parseJson(metadata_json) as JsonObject;
}
