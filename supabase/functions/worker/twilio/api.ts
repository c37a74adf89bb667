/**
 * The part of Twilio's REST API that the service uses.
 *
 * Twilio's own library is not used: it adds 3.7 MB to the bundle, and it repeats requests that `fetch` below does not.
 * api.test.ts proves that both make the same requests.
 *
 * @see https://www.twilio.com/docs/messaging/api/message-resource
 */
import { Buffer } from "node:buffer";
import { hadConnection } from "../../_shared/connection.ts";
import { isObject, JSON_BOUNDS, parseJson } from "../../_shared/json.ts";
import { type TwilioAccount, twilioAccount } from "./account.ts";
import { MIB } from "../../_shared/units.ts";

/** The timeout of a response in milliseconds. */
const TIMEOUT_MS = 10_000;

/** A page of the longest texts has 11 MB. A larger response is not from Twilio, and an isolate has 256 MB. */
const MAX_RESPONSE_BYTES = 16 * MIB;

/** The maximum page size at Twilio. */
const PAGE_SIZE = 1_000;

/** A text to send through Twilio. */
export interface NewMessage {
  /** The recipient, in E.164. */
  to: string;
  /** One of our numbers. */
  from: string;
  /** `MG…`. With it, `from` must be a sender of this messaging service. */
  messagingServiceSid: string | null;
  /** May be empty if there are media. */
  body: string;
  /** URLs that Twilio can read without credentials, at most 10. */
  mediaUrls: string[];
  /** The URL for callbacks with the delivery status. */
  statusCallback: string;
  /** How many seconds Twilio may queue the text, 1 to 36,000; null for Twilio's default. */
  validityPeriod: number | null;
}

/** The outcome of a request. */
export type Exchange =
  | {
    kind: "response";
    status: number;
    /** The `Retry-After` header. */
    retryAfter: string | null;
    /** The JSON of the body; undefined if it is not JSON. */
    body: unknown;
  }
  /** There was no connection: nothing was sent. */
  | { kind: "not_sent" }
  /** There is no response, and Twilio may have the request. */
  | { kind: "lost" };

/** A text as Twilio lists it. */
export interface TwilioMessage {
  /** `SM…` or `MM…` */
  sid: string;
  /** `inbound`, `outbound-api`, `outbound-reply` or `outbound-call`. */
  direction: string;
  from: string | null;
  to: string | null;
  body: string | null;
  /** As in `MessageStatus` of a callback. */
  status: string;
  error_code: string | null;
  num_media: number;
  date_created: Date | null;
  /** Null until Twilio has sent the text. */
  date_sent: Date | null;
}

/** A file of a text, in the format of Twilio's webhooks. */
export interface TwilioMedia {
  url: string;
  content_type: string | null;
}

/** A failed request to Twilio. The message contains no text and no phone number. */
export class TwilioError extends Error {
  override readonly name = "TwilioError";
  /** Twilio's own code or the HTTP status; `no_response` without one. */
  readonly code: string;
  /** The HTTP status; null without a response. */
  readonly status: number | null;

  constructor(exchange: Exchange) {
    const status = exchange.kind === "response" ? exchange.status : null;
    const own = exchange.kind === "response" ? errorCodeOf(exchange.body) : null;
    const code = own ?? (status === null ? "no_response" : `HTTP ${status}`);
    super(`Twilio: ${code}`);
    this.code = code;
    this.status = status;
  }
}

/** Requests Twilio to send a text. The request is sent at most once, and its failure is returned, not thrown. */
export function createMessage(
  message: NewMessage,
  { account = twilioAccount(), timeout = TIMEOUT_MS }: {
    account?: TwilioAccount;
    timeout?: number;
  } = {},
): Promise<Exchange> {
  const form = new URLSearchParams();
  form.append("To", message.to);
  form.append("StatusCallback", message.statusCallback);
  if (message.validityPeriod !== null) {
    form.append("ValidityPeriod", String(message.validityPeriod));
  }
  form.append("From", message.from);
  if (message.messagingServiceSid !== null) {
    form.append("MessagingServiceSid", message.messagingServiceSid);
  }
  if (message.body !== "") form.append("Body", message.body);
  for (const url of message.mediaUrls) form.append("MediaUrl", url);
  return send(account, messagesUrl(account), timeout, { form });
}

/**
 * Lists texts of the account, the most recently sent first. Twilio does not document the position of texts that are not
 * sent yet.
 *
 * @param filter `since` refers to the time of sending
 * @param options `within`: how many milliseconds all pages may take
 * @throws TwilioError if a page cannot be read.
 */
export async function* listMessages(
  { to, from, since }: { to?: string; from?: string; since?: Date } = {},
  account = twilioAccount(),
  { within = Infinity }: { within?: number } = {},
): AsyncGenerator<TwilioMessage> {
  const query = new URLSearchParams();
  if (to !== undefined) query.set("To", to);
  if (from !== undefined) query.set("From", from);
  // Followed by the equals sign, the name becomes `DateSent>=`.
  if (since !== undefined) query.set("DateSent>", since.toISOString().replace(/\.\d+/, ""));
  query.set("PageSize", String(PAGE_SIZE));
  for await (const page of pages(account, `${messagesUrl(account)}?${query}`, within)) {
    for (const message of page.messages ?? []) yield readMessage(message);
  }
}

/**
 * Lists the files of a recruit's text.
 *
 * @throws TwilioError if they cannot be listed.
 */
export async function listMedia(sid: string, account = twilioAccount()): Promise<TwilioMedia[]> {
  const url = messageUrl(account, sid).replace(/\.json$/, "/Media.json");
  const media: TwilioMedia[] = [];
  for await (const page of pages(account, url)) {
    for (const { uri, content_type } of page.media_list ?? []) {
      media.push({ url: account.origin + uri.replace(/\.json$/, ""), content_type });
    }
  }
  return media;
}

/**
 * Deletes a text with its files from the account. A text that no longer exists counts as deleted.
 *
 * @throws TwilioError if Twilio does not delete it: 20009 while it is still being sent or received.
 */
export async function deleteMessage(sid: string, account = twilioAccount()): Promise<void> {
  const exchange = await send(account, messageUrl(account, sid), TIMEOUT_MS, { method: "DELETE" });
  const isGone = exchange.kind === "response" && [204, 404].includes(exchange.status);
  if (!isGone) throw new TwilioError(exchange);
}

interface Page {
  messages?: Record<string, unknown>[];
  media_list?: { uri: string; content_type: string | null }[];
  next_page_uri?: string | null;
}

async function* pages(
  account: TwilioAccount,
  first: string,
  within = Infinity,
): AsyncGenerator<Page> {
  const deadline = Date.now() + within;
  for (let url: string | null = first; url !== null;) {
    if (Date.now() > deadline) throw new TwilioError({ kind: "lost" });
    const exchange = await send(account, url, TIMEOUT_MS);
    if (exchange.kind !== "response" || exchange.status !== 200 || !isObject(exchange.body)) {
      throw new TwilioError(exchange);
    }
    const page = exchange.body as Page;
    yield page;
    // Only a path is accepted: our credentials must not be sent to another host.
    url = page.next_page_uri?.startsWith("/") ? account.origin + page.next_page_uri : null;
  }
}

function messagesUrl({ origin, sid }: TwilioAccount): string {
  return `${origin}/2010-04-01/Accounts/${encodeURIComponent(sid)}/Messages.json`;
}

function messageUrl(account: TwilioAccount, sid: string): string {
  return messagesUrl(account).replace(/\.json$/, `/${encodeURIComponent(sid)}.json`);
}

async function send(
  { username, password }: TwilioAccount,
  url: string,
  timeout: number,
  { form, method = form ? "POST" : "GET" }: { form?: URLSearchParams; method?: string } = {},
): Promise<Exchange> {
  try {
    const response = await fetch(url, {
      method,
      headers: {
        "Accept": "application/json",
        "Accept-Charset": "utf-8",
        "Authorization": `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`,
      },
      // If the connection breaks after the request was sent, Deno 2.9 repeats the request automatically. It cannot
      // repeat a Blob.
      body: form && new Blob([form.toString()], { type: "application/x-www-form-urlencoded" }),
      redirect: "manual",
      signal: AbortSignal.timeout(timeout),
    });
    return {
      kind: "response",
      status: response.status,
      retryAfter: response.headers.get("retry-after"),
      body: parseBody(await readText(response)),
    };
  } catch (error) {
    return { kind: hadConnection(error) ? "lost" : "not_sent" };
  }
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const bytes of response.body ?? []) {
    size += bytes.length;
    if (size > MAX_RESPONSE_BYTES) throw new Error("the response is too large");
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
}

function readMessage(message: Record<string, unknown>): TwilioMessage {
  return {
    sid: String(message.sid),
    direction: String(message.direction),
    from: textOf(message.from),
    to: textOf(message.to),
    body: textOf(message.body),
    status: String(message.status),
    error_code: textOf(message.error_code),
    num_media: Number(message.num_media ?? 0),
    date_created: createdAtOf(message),
    date_sent: dateOf(message.date_sent),
  };
}

/** Returns the error code in the body of a response, such as `21610`; null if there is none. */
export function errorCodeOf(body: unknown): string | null {
  return isObject(body) ? textOf(body.code) : null;
}

/** Returns when Twilio created a message, by Twilio's clock and to the second; null if it is not reported. */
export function createdAtOf(body: unknown): Date | null {
  return isObject(body) ? dateOf(body.date_created) : null;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" || typeof value === "number" ? String(value) : null;
}

// RFC 2822, as in "Fri, 24 May 2019 17:18:27 +0000".
function dateOf(value: unknown): Date | null {
  const date = new Date(typeof value === "string" ? value : NaN);
  return Number.isNaN(date.getTime()) ? null : date;
}

function parseBody(text: string): unknown {
  try {
    return parseJson(text, { ...JSON_BOUNDS, textBytes: MAX_RESPONSE_BYTES });
  } catch {
    return undefined;
  }
}
