import { probe } from "./probe.ts";

/** What the load generator is to send. */
export interface Load {
  url: string;
  headers: Record<string, string>;
  /** Text of the body; every `{id}` in it becomes one UUID, new for each request. */
  body: string;
  /** Requests under way at any time, each on a connection that is kept. */
  connections: number;
  requests: number;
  /** Requests before those, to open the connections; they are not measured. */
  warmUp: number;
  /** The status that every answer has to have. */
  status: number;
  /** A request that follows while the answer holds this text. `{id}` in its body is that of the request before. */
  followUp?: { after: string; url: string; body: string };
}

/** What came of it. */
export interface LoadResult {
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
