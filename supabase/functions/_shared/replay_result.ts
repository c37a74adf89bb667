/** The response of POST /operator/deliveries/replay, for the route and for the desk. */
export interface ReplayResult {
  dry_run: boolean;
  /** In the request's order. */
  results: (Replayed | NotTried)[];
}

/** The outcome of a delivery, or what it would be. */
export interface Replayed {
  delivery_id: string;
  /** `duplicate`: the lead had come meanwhile. `refused`: the delivery stays as it is. */
  status: "created" | "duplicate" | "refused";
  /** Of `created` and `duplicate`. In a dry run, of a lead that is not stored yet, the id it would get. */
  lead_id?: string;
  /** Of a new recruiting lead; null: no open order wants it. Left out while others distribute leads. */
  distributed_to?: { agency_id: string; agent_id: string | null } | null;
  /** The delivery had been replayed before this request; the other fields are the result of then. */
  was_replayed?: true;
  /** Of `refused`: why. */
  reason?: string;
  /** In a dry run: the lead as it would be stored. */
  lead?: Record<string, unknown>;
}

/** A delivery for which there was no time. The first of a request is always tried, so the rest is sent again. */
export interface NotTried {
  delivery_id: string;
  status: "not_tried";
}
