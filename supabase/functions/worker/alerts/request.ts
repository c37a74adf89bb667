import { hadConnection } from "../../_shared/connection.ts";
import { signatureHeaders } from "../dispatches/signature.ts";
import type { Receiver } from "./settings.ts";

/** The timeout of a receiver's response in milliseconds. */
const TIMEOUT_MS = 5_000;

/** The outcome of a request to a receiver. */
export interface Outcome {
  /** `refused`: the receiver did not accept it. `lost`: there is no response, and the receiver may have accepted it. */
  outcome: "delivered" | "refused" | "lost";
  /** `HTTP 200`, `no_connection` or `lost`. */
  code: string;
  /** The Retry-After header in seconds; null if there is none. */
  retryAfter: number | null;
}

/** The content of a request to a receiver. */
export interface AlertBody {
  /** A sentence for a person. */
  text: string;
  kind: string;
  subject: string;
  state: "open" | "acknowledged" | "resolved";
  /** When the alert was opened. */
  since: string;
  details: Record<string, unknown>;
}

/** Posts a body to a receiver, signed as Standard Webhooks (https://www.standardwebhooks.com). Never rejects. */
export function postAlert({ url, keys, link }: Receiver, id: string, body: AlertBody): Promise<Outcome> {
  const { text, kind, subject, state, since, details } = body;
  const content = JSON.stringify({ text, kind, subject, state, since, link, details });
  return send(url, {
    method: "POST",
    headers: signatureHeaders(id, content, keys),
    // A Blob, because Deno repeats requests with other bodies if the connection breaks.
    body: new Blob([content], { type: "application/json" }),
  });
}

/** Notifies a monitor that alerts are checked. Never rejects. */
export function ping(url: string): Promise<Outcome> {
  return send(url, { method: "GET" });
}

/** Redirects are not followed: the URL is then wrong, and signed content must not reach another host. */
async function send(url: string, init: RequestInit): Promise<Outcome> {
  try {
    const response = await fetch(url, { ...init, redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
    // The content of the body does not matter, and may be long.
    response.body?.cancel().catch(() => {});
    const seconds = Number(response.headers.get("retry-after") || NaN);
    return {
      outcome: response.ok ? "delivered" : "refused",
      code: `HTTP ${response.status}`,
      retryAfter: Number.isInteger(seconds) && seconds >= 0 ? Math.min(seconds, 3600) : null,
    };
  } catch (error) {
    return hadConnection(error)
      ? { outcome: "lost", code: "lost", retryAfter: null }
      : { outcome: "refused", code: "no_connection", retryAfter: null };
  }
}
