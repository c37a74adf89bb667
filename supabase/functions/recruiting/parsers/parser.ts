import type { Json, JsonObject } from "../../_shared/json.ts";
import type { Result } from "../../_shared/result.ts";
import type { Resume } from "./resume.ts";

/** What every parser makes of a vendor's payload. */
export interface ParsedLead {
  first_name?: string;
  /** The vendor's own id of the application, at most 512 characters. Deduplication goes by it. */
  vendor_lead_id?: string;
  resume?: Resume;
  /**
   * Everything else, under the same names whatever the vendor: `last_name`, `full_name`, `email`, `phone` (E.164),
   * `phone_raw`, `address`, `city`, `state` (two letters) or `state_raw`, `zip`, `country`, `is_test`, `job_id`,
   * `job_title`, `answers`, …; the vendor's remaining fields, as sent, are under `vendor_fields`.
   */
  vendor_metadata: JsonObject;
}

/**
 * Reads one payload of one vendor. Pure, and never throws: a parser returns what it could read, and the route decides
 * whether that is a lead. The error of the result is for a payload that no lead can come from; the vendor reads it.
 *
 * @param payload any JSON value
 * @param config `vendors.parser_config`
 */
export type Parser = (payload: Json, config: Json) => Result<ParsedLead>;
