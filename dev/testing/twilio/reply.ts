/** A response of the double. */
export interface Reply {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** In place of a response: the connection is closed. */
export const DROPPED = Symbol("dropped");
