/** The response of POST /desk/mappings/preview, shared by the route and the desk. */
export type MappingPreview =
  /** The lead as it would be stored; for a stored lead, the fields that it lacked. */
  | { status: "read"; lead: Record<string, unknown>; found?: FoundField[] }
  /** The payload is not a lead; `reason` says why. */
  | { status: "refused"; reason: string; found: FoundField[] };

/** A field of the mapping, and what is at its paths in a rejected delivery; null: nothing. */
export interface FoundField {
  field: string;
  path: string;
  value: string | null;
}

/** The response of POST /desk/mappings. */
export interface SavedMapping {
  vendor_id: string;
  /** The version of the saved mapping. */
  version: string;
}
