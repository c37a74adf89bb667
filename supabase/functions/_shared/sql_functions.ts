import type { Database } from "./database.types.ts";
import type { Json } from "./json.ts";

/**
 * What the SQL functions return, which Postgres knows as jsonb alone; each function's comment in supabase/schemas says the
 * same. Their arguments are in database.types.ts, which is generated.
 */
export interface SqlResults {
  authenticate_vendor: { vendor_id: string; parser: string | null; parser_config: Json };
  ingest_recruiting_lead: Ingested;
  preview_recruiting_lead: Preview;
  ingest_recruiting_leads: {
    created: number;
    duplicates: number;
    errors: { row: number; reason: string }[];
  };
  import_leads: {
    imported: { index: number; id: string }[];
    /** The id is that of the lead stored before. */
    duplicates: { index: number; id: string }[];
    failed: { index: number; reason: string }[];
  };
  log_presentation_activity: object;
  receive_sms: { status: "received" | "no_conversation" };
  update_sms_status: { status: "updated" | "ignored" };
}

/** Where a recruiting lead went. */
export interface DistributedTo {
  agency_id: string;
  agent_id: string | null;
}

/** What became of a recruiting lead; the id is the stored lead's. */
export type Ingested =
  | { id: string; status: "created"; distributed_to: DistributedTo | null }
  | { id: string; status: "duplicate"; distributed_to?: undefined };

/** What would become of a recruiting lead. */
export interface Preview {
  status: "created" | "duplicate";
  /** The existing lead's, for a duplicate. */
  id: string | null;
  distributed_to: DistributedTo | null;
}

/** The name of an SQL function that the edge functions call. */
export type SqlFunction = keyof SqlResults & keyof Database["public"]["Functions"];

/** Its arguments by name; any may be null, which the generated types do not say. */
export type SqlArguments<Name extends SqlFunction> = {
  [Argument in keyof Database["public"]["Functions"][Name]["Args"]]: unknown;
};
