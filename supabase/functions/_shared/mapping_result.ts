/** The response of POST /operator/mappings/preview, for the route and for the desk. */
export type MappingPreview =
  /** The lead as it would be stored. Of a stored lead: with what it lacked. */
  | { status: "read"; lead: Record<string, unknown> }
  /** The payload is no lead; `reason` says why. */
  | { status: "refused"; reason: string };

/** The response of POST /operator/mappings. */
export interface SavedMapping {
  vendor_id: string;
  /** Of the mapping that is saved now. */
  version: string;
}
