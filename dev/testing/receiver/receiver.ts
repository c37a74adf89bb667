import { Buffer } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import { standardCheck } from "../../../supabase/functions/recruiting/webhooks/standard.ts";
import { LoopbackServer } from "../loopback_server.ts";

/** A request of a destination. */
export interface Delivery {
  /** Its header `webhook-id`. */
  id: string | null;
  path: string;
  body: string;
  /** Whether its signature is right; null where the receiver knows no secret. */
  isVerified: boolean | null;
}

/** How the receiver responds; 204 where nothing is said. */
export interface Verdict {
  status: number;
  body?: string;
}

/** The deliveries of which the receiver's page shows the newest. */
const SHOWN = 20;

/** A receiver for destinations. A browser that opens it sees what has come. */
export class Receiver extends LoopbackServer {
  /** The signing secrets, `whsec_…`, of which one must fit. None: signatures are not checked. */
  readonly secrets: string[] = [];
  /** Gets each delivery, and may respond in another way. A signature that is wrong gets 401 before. */
  onDelivery: (delivery: Delivery) => Verdict | void = () => {};
  readonly #newest: { delivery: Delivery; status: number }[] = [];

  protected override async respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (incoming.method === "GET") {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(this.#page());
      return;
    }
    const body = Buffer.concat(await incoming.toArray());
    const headers = new Headers(incoming.headers as Record<string, string>);
    const received = { headers, query: new URLSearchParams(), body, bodies: [body] };
    const check = standardCheck({}, received, new Date());
    const isVerified = this.secrets.length > 0 ? this.secrets.some((secret) => check(secret) !== null) : null;
    const delivery = { id: headers.get("webhook-id"), path: incoming.url!, body: body.toString(), isVerified };
    const verdict = this.onDelivery(delivery) ?? { status: 204 };
    const { status, body: words } = isVerified === false ? { status: 401 } : verdict;
    this.#newest.unshift({ delivery, status });
    this.#newest.length = Math.min(this.#newest.length, SHOWN);
    response.writeHead(status).end(words);
  }

  #page(): string {
    const items = this.#newest.map(({ delivery: { id, path, body, isVerified }, status }) =>
      `<h2>${path}: ${status}</h2><p>${id}: ${describe(isVerified)}</p><pre>${escaped(indented(body))}</pre>`
    );
    return `<!doctype html><html lang="en"><title>Receiver</title><style>body { font: 14px sans-serif; margin: 2em }
      pre { background: #f4f4f4; padding: 1em; white-space: pre-wrap }</style>
      <h1>The newest deliveries, and the response to each</h1>${items.join("") || "<p>None so far.</p>"}`;
  }
}

/** What the check of a signature has found, in words. */
export function describe(isVerified: boolean | null): string {
  return isVerified === null ? "not checked, because no secret was given" : isVerified ? "verified" : "NOT verified";
}

/** JSON in several lines; another text as it is. */
export function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
