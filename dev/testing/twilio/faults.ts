import { refusal } from "./errors.ts";
import { DROPPED, type Reply } from "./reply.ts";

/** What goes wrong with the next requests for messages. */
export interface Fault {
  /** POST: requests that send a message. GET: lists of them. POST unless given. */
  method?: "POST" | "GET";
  /** How many requests. 1 unless given. */
  times?: number;
  /** Only those whose parameter To is this number. */
  to?: string;
  /** Whether the request is carried out all the same, so that the message is sent. */
  accepted?: boolean;
  /** How long the response takes, in milliseconds. */
  delay_ms?: number;
  /** Closes the connection in place of a response. */
  drop?: boolean;
  /** Responds with this HTTP status and this error code of Twilio's. */
  status?: number;
  code?: number;
  /** The header Retry-After, in seconds. */
  retry_after?: number;
}

/** The faults that are still to come. */
export class Faults {
  #waiting: (Fault & { times: number })[] = [];

  add(fault: Fault): void {
    this.#waiting.push({ ...fault, times: fault.times ?? 1 });
  }

  clear(): void {
    this.#waiting = [];
  }

  /** The fault for a request with this parameter To, which is used up by it. */
  take(method: string, to: string | null): Fault | undefined {
    const fault = this.#waiting.find((waiting) =>
      (waiting.method ?? "POST") === method && (waiting.to === undefined || waiting.to === to)
    );
    if (fault && --fault.times === 0) {
      this.#waiting = this.#waiting.filter((other) => other !== fault);
    }
    return fault;
  }
}

/**
 * Handles a request with a fault.
 *
 * @param carryOut handles it without one
 */
export async function withFault(
  fault: Fault | undefined,
  carryOut: () => Reply,
): Promise<Reply | typeof DROPPED> {
  if (fault === undefined) return carryOut();
  const { accepted, delay_ms = 0, drop, status, code, retry_after } = fault;
  const reply = accepted ? carryOut() : refusal(20500);
  await new Promise((resolve) => setTimeout(resolve, delay_ms));
  if (drop) return DROPPED;
  if (status === undefined && code === undefined) return reply;
  const headers = retry_after === undefined ? undefined : { "retry-after": String(retry_after) };
  return { ...refusal(code ?? (status === 429 ? 20429 : 20500), status), headers };
}
