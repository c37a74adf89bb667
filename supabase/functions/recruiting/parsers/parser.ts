import type { Json, JsonObject } from "../../_shared/json.ts";
import type { Result } from "../../_shared/result.ts";
import type { Resume } from "./resume.ts";

/** A lead as every parser returns it. */
export interface ParsedLead {
  first_name?: string;
  /** The vendor's id of the application, at most 512 characters. A second lead with the same id is a duplicate. */
  vendor_lead_id?: string;
  resume?: Resume;
  /**
   * Everything else, under the same names for every vendor: docs/parsers.md has them. What these do not say of the
   * payload is under `vendor_fields`, as sent.
   */
  vendor_metadata: JsonObject;
}

/**
 * The error of a parser for an event that is no new application, such as a rejected candidate or a test ping. Ingest
 * responds with it; a webhook is told that the event is ignored.
 */
export const NOT_A_NEW_APPLICATION = "not a new application";

/**
 * Reads one payload of one vendor. Pure, and never throws. A parser returns what it could read, and the route decides
 * whether that is a lead. Where the payload cannot be a lead at all, the error says why, for the vendor to read.
 *
 * @param payload any JSON value
 * @param config `vendors.parser_config`
 */
export type Parser = (payload: Json, config: Json) => Result<ParsedLead>;

/** The leads in one body, and what reads each of them in place of the vendor's parser. */
export interface SplitLeads {
  /** As they stand in the body. One that is no object is no lead; it is not meant for `parse`. */
  leads: Json[];
  parse(lead: Json): Result<ParsedLead>;
}
