import type { Database } from "./database.types.ts";
import type { Json, JsonObject } from "./json.ts";

/**
 * What the SQL functions return. Postgres only knows that it is jsonb, so the types stand here, as in the functions'
 * comments in supabase/schemas. The types of the arguments are generated into database.types.ts.
 */
export interface SqlResults {
  identify_vendor: VendorSettings;
  /** Null where the slug has no webhook. */
  identify_webhook: WebhookSettings | null;
  /** Seconds to wait; null: the request is within the limit. */
  count_request: { retry_after: number | null };
  /** One for each lead, in the order sent. */
  ingest_recruiting_leads: (Ingested | RefusedLead)[];
  /** By the leads' ids. Null when the lead is not stored and never will be. */
  abandon_recruiting_leads: Record<string, Ingested | null>;
  begin_resume_upload: { /** Whether `left_over_resumes` has any. */ has_left_over: boolean };
  /** Paths of objects in the bucket `resumes`. */
  left_over_resumes: string[];
  forget_resume_uploads: null;
  distribute_pending_leads: {
    /** All that the call asked about, by their ids. */
    leads: Record<string, Distribution>;
    /** Whether those that are still pending wait for orders that somebody has locked. */
    order_is_locked: boolean;
  };
  preview_recruiting_lead: Preview;
  ingest_recruiting_lead_batch: {
    created: number;
    duplicates: number;
    errors: { row: number; reason: string }[];
    /** The SQLSTATE where the duplicates could not be recorded. */
    record_error?: string;
  };
  import_leads: {
    imported: { index: number; id: string }[];
    /** With the id of the lead stored before. */
    duplicates: { index: number; id: string }[];
    failed: { index: number; reason: string }[];
  };
  log_presentation_activity: object;
  /** How many were written. */
  record_rejections: number;
  /** The version of the newest migration; null: there is no record of migrations. */
  service_health: { migrations: string | null };
  receive_sms: { status: "received" | "no_conversation" };
  update_sms_status: { status: "updated" | "ignored" };
  claim_texts: {
    texts: ClaimedText[];
    /** When a text that only waits for its number's rate can be claimed; null: none does. */
    next_at: string | null;
  };
  record_text_outcome: TextState;
  record_text_lookup: TextState;
}

/** How far an outbound text has come. */
export type TextState =
  | "pending"
  | "sending"
  | "accepted"
  | "unconfirmed"
  | "refused"
  | "failed";

/** An outbound text that one worker has to itself for 60 s. */
export interface ClaimedText {
  message_id: string;
  /** `look_up`: Twilio may have it already. */
  task: "send" | "look_up";
  /** To be given back with what became of it. */
  attempt: number;
  to: string;
  from: string;
  messaging_service_sid: string | null;
  body: string;
  media: TextMedia[];
  /** For how long Twilio may hold it; null: as long as it does by itself. */
  validity_seconds: number | null;
  /** When the last request to Twilio began. */
  attempted_at: string;
}

/** A file of a text: an `https` URL, or `text-media/<path>` in our storage. */
export interface TextMedia {
  url: string;
  content_type: string | null;
}

/** What is set for a vendor. */
export interface VendorSettings {
  vendor_id: string;
  parser: string | null;
  parser_config: Json;
  /** Requests a minute; null: no limit. */
  rate_limit: number | null;
}

/** A vendor and its webhook. */
export interface WebhookSettings extends VendorSettings {
  /** How the vendor proves that a request is its own. */
  scheme: string;
  /** What the scheme needs. */
  config: JsonObject;
  /** The valid ones, newest first. */
  secrets: { id: string; kind: "secret" | "verify_token"; secret: string }[];
}

/** The agency and the agent that a recruiting lead went to. */
export interface DistributedTo {
  agency_id: string;
  agent_id: string | null;
}

/** Whether a recruiting lead has been handed out, and to whom. */
export interface Distribution {
  /** Null when there is no such lead. */
  distribution: "distributed" | "unmatched" | "pending" | "not_requested" | null;
  distributed_to: DistributedTo | null;
}

/** What became of a recruiting lead. The id of a duplicate is that of the lead stored before. */
export type Ingested =
  | {
    id: string;
    status: "created";
    distributed_to: DistributedTo | null;
    /** Only while it is not known where the lead goes. */
    distribution?: "pending";
  }
  | {
    id: string;
    status: "duplicate";
    /** The SQLSTATE where it could not be recorded. */
    record_error?: string;
  };

/** A lead that the database refused, among others. */
export interface RefusedLead {
  /** The SQLSTATE as `code`. */
  error: { code: string; message: string };
}

/** What would become of a recruiting lead. */
export interface Preview {
  status: "created" | "duplicate";
  /** The lead stored before, for a duplicate. */
  id: string | null;
  distributed_to: DistributedTo | null;
}

/** The name of an SQL function that the edge functions call. */
export type SqlFunction = keyof SqlResults & keyof Database["public"]["Functions"];

/** The arguments of an SQL function by name. Any may be null, which the generated types do not say. */
export type SqlArguments<Name extends SqlFunction> = {
  [Argument in keyof Database["public"]["Functions"][Name]["Args"]]: unknown;
};
