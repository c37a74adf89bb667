import { ApiError } from "../../_shared/errors.ts";
import { isObject, type Json, type JsonObject } from "../../_shared/json.ts";
import { logError } from "../../_shared/log.ts";
import { failure, type Result, success } from "../../_shared/result.ts";
import { PARSERS } from "../parsers/index.ts";
import type { ParsedLead } from "../parsers/parser.ts";
import type { Resume } from "../parsers/resume.ts";
import { readResumeFile, type ResumeFile } from "../resumes/resume_file.ts";

/** A lead as the SQL functions expect it, without its id and resume. */
export interface Lead {
  first_name: string;
  vendor_lead_id: string | null;
  vendor_metadata: JsonObject;
  /** The request that contained the lead, and its kind. A bulk request has them once for all leads. */
  request_id?: string;
  received_via?: "single" | "webhook";
}

/** The content of a payload. */
export interface LeadAndResume {
  lead: Lead;
  /** Not decoded yet. */
  resume?: Resume;
}

/** A valid lead and the resume to store with it, if any. */
export interface ReceivedLead {
  lead: Lead;
  resume: ResumeFile | null;
}

/** Why a lead without a name is refused; private.lead_problem() says the same. */
export const MISSING_FIRST_NAME = "missing first_name";

/** Parses a payload of one vendor. */
export type Parse = (payload: Json) => Result<ParsedLead>;

/** The parser of a vendor's payloads, with its configuration. */
export interface VendorParser {
  /** Its name; null if none is configured. */
  parser: string | null;
  parserConfig: Json;
  /** Parses each lead of a body with several leads, instead of the vendor's parser. */
  partParser?: Parse;
}

/** Returns the vendor's parser; null if none is configured. */
function parserOf({ parser, parserConfig, partParser }: VendorParser): Parse | null {
  if (partParser !== undefined) return partParser;
  const parse = PARSERS.get(parser ?? "");
  return parse === undefined ? null : (payload) => parse(payload, parserConfig);
}

/**
 * Returns the vendor's parser. Called after the body is read, so that a rejected delivery contains the body.
 *
 * @throws ApiError BAD_REQUEST if no parser is configured.
 */
export function requireParser(vendor: VendorParser): Parse {
  const parse = parserOf(vendor);
  if (parse !== null) return parse;
  throw new ApiError("BAD_REQUEST", "no parser is configured for the vendor");
}

/** Returns the vendor's id of a lead that cannot be stored, if the parser finds one. */
export function vendorLeadId(vendor: VendorParser, payload: Json): string | null {
  return isObject(payload) ? parserOf(vendor)?.(payload).data?.vendor_lead_id ?? null : null;
}

/**
 * Reads a payload with the vendor's parser. A resume that cannot be stored is recorded in the lead's metadata.
 *
 * @throws ApiError BAD_REQUEST if the vendor has no parser, or with the parser's reason if the payload is not a lead.
 */
export function requireLead(vendor: VendorParser, payload: Json): ReceivedLead {
  const { data, error } = readLead(requireParser(vendor), payload);
  if (error !== null) throw new ApiError("BAD_REQUEST", error);
  const { lead, resume } = data;
  if (resume === undefined) return { lead, resume: null };

  const { data: file, error: reason } = readResumeFile(resume.base64);
  return reason === null ? { lead, resume: file } : { lead: skipResume(lead, reason), resume: null };
}

/**
 * Reads a payload with its vendor's parser and checks what docs/specification.md requires of every recruiting lead.
 *
 * @returns the lead, or the reason, for the vendor, why the payload is not a lead
 */
export function readLead(parse: Parse, payload: Json): Result<LeadAndResume> {
  if (!isObject(payload)) return failure("the lead must be a JSON object");
  const { data: parsed, error } = parse(payload);
  if (error !== null) return failure(error);
  const { first_name, vendor_lead_id = null, vendor_metadata, resume } = parsed;
  if (first_name === undefined) return failure(MISSING_FIRST_NAME);
  return success({ lead: { first_name, vendor_lead_id, vendor_metadata }, resume });
}

/**
 * Records in a lead's metadata that its resume is not stored, before the entries about other files.
 *
 * @param reason `bulk`, `replay`, or why the file is not stored (see readResumeFile())
 */
export function skipResume(lead: Lead, reason: string): Lead {
  const { resume_skipped: others } = lead.vendor_metadata;
  const resume_skipped = typeof others === "string" ? `${reason}; ${others}` : reason;
  return { ...lead, vendor_metadata: { ...lead.vendor_metadata, resume_skipped } };
}

/**
 * Logs that duplicates could not be recorded. The request succeeds anyway.
 *
 * @param record_error the SQLSTATE; undefined if they are recorded
 */
export function logUnrecorded(request_id: string | undefined, record_error?: string): void {
  if (record_error === undefined) return;
  logError({ request_id, event: "duplicate_not_recorded", error_code: record_error });
}
