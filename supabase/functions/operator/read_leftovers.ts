import { isObject, type JsonObject, parseJson } from "../_shared/json.ts";
import { failure } from "../_shared/result.ts";
import type { Parse } from "../recruiting/ingest/lead.ts";
import { partParser } from "../recruiting/parsers/index.ts";
import type { ParserOf, Reading } from "./read_delivery.ts";

/** The parts of a stored lead that are read. */
export interface StoredLead {
  first_name: string;
  vendor_lead_id: string | null;
  /** The text of its metadata, which keeps numbers exact that JavaScript cannot hold. */
  metadata_json: string;
}

/** What is read again of a stored lead. */
export interface Leftovers {
  stored: JsonObject;
  /** The fields that the parser finds in its vendor_fields. */
  found: JsonObject;
  /** The lead with what it lacked. */
  reading: Reading;
}

/** The parser for a stored lead's vendor_fields. A mapping needs no first name for that: the lead has it. */
export function leftoversParser({ parser, parser_config: config }: ParserOf): Parse {
  const parse = partParser(parser ?? "");
  if (parse === undefined) return () => failure("no parser");
  const { fields } = isObject(config) ? config : {};
  const whole = parser === "mapping" && isObject(fields)
    ? { ...config as JsonObject, fields: { first_name: { const: "-" }, ...fields } }
    : config;
  return (payload) => parse(payload, whole);
}

/** Reads again what no parser has read of a stored lead. */
export function readLeftovers(lead: StoredLead, parse: Parse): Leftovers {
  const stored = metadataOf(lead);
  const payload = isObject(stored.vendor_fields) ? stored.vendor_fields : {};
  const { vendor_fields: _, ...found } = parse(payload).data?.vendor_metadata ?? {};
  const { first_name, vendor_lead_id } = lead;
  const whole = { first_name, vendor_lead_id, vendor_metadata: { ...found, ...stored } };
  return { stored, found, reading: { lead: whole, payload, parse } };
}

/** What a stored lead has beside its columns. */
export function metadataOf({ metadata_json }: StoredLead): JsonObject {
  return parseJson(metadata_json) as JsonObject;
}
