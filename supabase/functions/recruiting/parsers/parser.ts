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
   * Everything else, under the same names for every vendor, which docs/parsers.md lists. Other values of the payload
   * are under `vendor_fields`, as sent.
   */
  vendor_metadata: JsonObject;
}

/**
 * The error of a parser for an event that is not a new application, such as a rejected candidate or a test ping. Ingest
 * responds with it; a webhook responds that the event is ignored.
 */
export const NOT_A_NEW_APPLICATION = "not a new application";

/**
 * Reads one payload of one vendor. Pure, and never throws. A parser returns the values that it could read, and the
 * route decides whether they make a lead. If the payload cannot be a lead, the error explains why, for the vendor to
 * read.
 *
 * @param payload any JSON value
 * @param config `vendors.parser_config`
 */
export type Parser = (payload: Json, config: Json) => Result<ParsedLead>;

/** The leads in one body, and the parser for each of them, which replaces the vendor's. */
export interface SplitLeads {
  /** As they appear in the body. An item that is not an object is not a lead, and is not passed to `parse`. */
  leads: Json[];
  parse(lead: Json): Result<ParsedLead>;
}
