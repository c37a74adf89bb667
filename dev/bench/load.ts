import { probe } from "./probe.ts";

/** What the load generator is to send. */
export interface Load {
  /** The connections are spread over them. */
  urls: string[];
  headers: Record<string, string>;
  /** Text of the body; every `{id}` in it becomes a UUID, another one for each request. */
  body: string;
  /** The UUIDs, over and over. New ones unless given. */
  ids?: string[];
  /** Requests under way at any time, each on a connection that is kept. */
  connections: number;
  /** How long to send. A tenth of it is sent before, to open the connections, and is not measured. */
  seconds: number;
  /** The status that every answer has to have. */
  status: number;
}

/** What came of it. */
export interface LoadResult {
  /** Requests answered, those before the measurement included. */
  requests: number;
  /** Requests answered a second. */
  rate: number;
  /** Share of one core that the generator itself took. */
  generator: number;
}

/**
 * Sends requests from a process of its own.
 *
 * @throws {Error} when an answer has another status
 */
export function generateLoad(load: Load): Promise<LoadResult> {
  return probe("load_generator.ts", [JSON.stringify(load)]);
}

/** The headers of a request with JSON. */
export function jsonHeaders(token: string): Record<string, string> {
  return { "authorization": `Bearer ${token}`, "content-type": "application/json" };
}
