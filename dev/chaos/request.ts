/** Where a request's rows are, and the key by which the account finds a row in the table. */
export const TABLES = [
  "recruiting_leads", // first_name
  "leads", // external_id
  "lead_activities", // the lead and the type, of which there may be several
  "recruiting_messages", // MessageSid, as the next two
  "unmatched_texts",
  "recruiting_message_events",
] as const;
export type Table = typeof TABLES[number];

/** A row that a request must leave, once. */
export interface Row {
  table: Table;
  key: string;
  /** Whether it came with a resume. */
  hasResume?: boolean;
}

/** A row as a response names it. */
export interface Told extends Row {
  id: string;
  distributed_to?: { agency_id: string; agent_id: string | null } | null;
}

/** A request as it goes over the wire. */
export interface Message {
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** A response, as the sender sees it. */
export interface Reply {
  status: number;
  body: ReturnType<typeof JSON.parse>;
}

/** A request of the traffic. It may be sent more than once, as a caller does that got no success. */
export interface TrafficRequest {
  route: string;
  /** The request as it is sent now. A new signature may have a new time, but the ids in it stay. */
  make(): Message;
  /** The rows that it must leave. A request that is refused leaves nothing. */
  rows: Row[];
  /**
   * Reads a response that is not our failure.
   *
   * @returns what it says of the rows; `again` where it says that the request must be sent again; undefined for a
   * response that is wrong
   */
  read(reply: Reply): Told[] | "again" | undefined;
  /**
   * Whether nothing recognizes the request when it comes twice, so that only our own response may say to send it again.
   */
  isUnrecognizable?: boolean;
}
