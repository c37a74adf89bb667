/** The response of POST /desk/deliveries/replay, shared by the route and the desk. */
export interface ReplayResult {
  dry_run: boolean;
  /** In the request's order. */
  results: (Replayed | NotTried)[];
}

/** The outcome of a replayed delivery; in a dry run, the expected outcome. */
export interface Replayed {
  delivery_id: string;
  /** `duplicate`: the lead has been stored in the meantime. `refused`: the delivery is unchanged. */
  status: "created" | "duplicate" | "refused";
  /** Set for `created` and `duplicate`. In a dry run, the id that a new lead would get. */
  lead_id?: string;
  /** Set for a new recruiting lead; null if no open order accepts it. Omitted while others distribute leads. */
  distributed_to?: { agency_id: string; agent_id: string | null } | null;
  /** The delivery was replayed before this request; the other fields are the earlier result. */
  was_replayed?: true;
  /** Set for `refused`: why. */
  reason?: string;
  /** In a dry run: the lead as it would be stored. */
  lead?: Record<string, unknown>;
}

/**
 * A delivery that was not tried for lack of time. The first of a request is always tried, so the rest can be sent
 * again.
 */
export interface NotTried {
  delivery_id: string;
  status: "not_tried";
}
