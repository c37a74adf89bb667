import type { Json } from "../../_shared/json.ts";
import { pinnedRequest, type PinnedResponse } from "../../_shared/pinned_request.ts";
import { allowedAddresses, type Reach, type Resolve } from "../../_shared/public_address.ts";
import { failure, type Result } from "../../_shared/result.ts";
import { KIB } from "../../_shared/units.ts";
import { VERSION } from "../../_shared/version.ts";
import { noResponse, type Outcome, outcomeOf, type ResponseRules } from "./outcome.ts";
import { keyOf, signatureHeaders } from "./signature.ts";

/** The timeout of a delivery in milliseconds: the name, the connection, the request and its response. */
const TIMEOUT_MS = 15_000;

/** The maximum number of bytes of a response that are read. */
const MAX_RESPONSE_BYTES = 64 * KIB;

/** A message to a receiver. */
export interface Message {
  /** The header `webhook-id`, the same in every attempt. */
  id: string;
  url: string;
  /** Further headers. */
  headers: Record<string, string>;
  /** The signing secrets, `whsec_…`: with several, as after a rotation, there is a signature by each. */
  secrets: string[];
  body: Json;
  rules: ResponseRules;
}

/** Where messages may go. */
export interface Network {
  /** Public addresses are reached by https alone, others by http too. */
  reach: Reach;
  resolve?: Resolve;
  caCerts?: string[];
  timeout?: number;
}

/** Posts a message, signed as Standard Webhooks. Redirects are not followed. Never rejects, and logs nothing. */
export async function postMessage(message: Message, network: Network): Promise<Outcome> {
  const content = JSON.stringify(message.body);
  const headers = headersOf(message, content);
  if (headers === null) return noResponse("failed", "header");
  const { data, error } = await post(message.url, headers, new TextEncoder().encode(content), network);
  return error === null ? outcomeOf(data, message.rules) : noResponse("retry", error);
}

/** Posts a body to an address of the URL's host that the network allows. An error is the reason of an outcome. */
export async function post(
  to: string,
  headers: Headers,
  body: Uint8Array,
  network: Network,
): Promise<Result<PinnedResponse>> {
  const signal = AbortSignal.timeout(network.timeout ?? TIMEOUT_MS);
  const url = URL.parse(to);
  if (url === null || !mayUse(url, network)) return failure("address");
  const { addresses, reason } = await addressesOf(url, network, signal);
  if (addresses === null) return failure(reason);
  return await pinnedRequest({
    url,
    addresses,
    method: "POST",
    headers,
    body,
    maxBytes: MAX_RESPONSE_BYTES,
    signal,
    caCerts: network.caCerts,
  });
}

function mayUse(url: URL, { reach }: Network): boolean {
  if (url.username !== "" || url.password !== "") return false;
  return url.protocol === "https:" || url.protocol === "http:" && reach !== "public";
}

type Addresses = { addresses: string[]; reason: null } | { addresses: null; reason: string };

async function addressesOf(url: URL, { reach, resolve }: Network, signal: AbortSignal): Promise<Addresses> {
  const ended = new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  try {
    const found = allowedAddresses(url.hostname, { reach, resolve });
    const addresses = await Promise.race([found, ended]);
    return addresses === null ? { addresses, reason: "address" } : { addresses, reason: null };
  } catch {
    return { addresses: null, reason: signal.aborted ? "timeout" : "no_address" };
  }
}

/** Ours replace those of the same names. Returns null if one cannot be sent. */
function headersOf({ id, headers, secrets }: Message, content: string): Headers | null {
  const keys = secrets.map(keyOf).filter((key) => key !== null);
  try {
    const all = new Headers(headers);
    const ours = {
      "content-type": "application/json",
      "user-agent": `lead-intake/${VERSION}`,
      ...signatureHeaders(id, content, keys),
    };
    for (const [name, value] of Object.entries(ours)) all.set(name, value);
    return all;
  } catch {
    return null;
  }
}
