import type { Json, JsonObject } from "../../_shared/json.ts";
import type { Resume } from "../ingest/resume.ts";

/** What every parser makes of a vendor's payload. */
export interface ParsedLead {
  first_name?: string;
  /** The vendor's own id of the application, 512 characters at most; what deduplication goes by. */
  vendor_lead_id?: string;
  resume?: Resume;
  /**
   * Everything else, under the same names whatever the vendor: `last_name`, `full_name`, `email`, `phone` (E.164),
   * `phone_raw`, `address`, `city`, `state` (two letters) or `state_raw`, `zip`, `country`, `is_test`, `job_id`,
   * `job_title`, `answers`, …; the vendor's remaining fields, as sent, are under `vendor_fields`.
   */
  vendor_metadata: JsonObject;
  /** Why this payload cannot be a lead at all, for the vendor to read. */
  problem?: string;
}

/**
 * Reads one payload of one vendor. Pure, and never throws: it gives what it could read, and the route decides.
 *
 * @param payload any JSON value
 * @param config `vendors.parser_config`
 */
export type Parser = (payload: Json, config: Json) => ParsedLead;
