import { ACCOUNT, API_VERSION } from "./account.ts";
import type { Reply } from "../loopback_server.ts";

/** A message of the double's account. Times are ISO 8601. */
export interface Message {
  sid: string;
  direction: "outbound-api" | "inbound";
  status: string;
  to: string;
  from: string | null;
  body: string;
  messaging_service_sid: string | null;
  error_code: number | null;
  media: { sid: string; url: string; content_type: string }[];
  date_created: string;
  date_updated: string;
  date_sent: string | null;
  /** The parameters of the request that created it. Empty for an inbound one. */
  parameters: Record<string, string>;
  /** The callbacks that are still to be sent, as statuses in their order. */
  due_callbacks: string[];
}

/** A text of a recruit, as the double is told to receive it. */
export interface InboundText {
  from: string;
  to: string;
  body?: string;
  /** Files. One with bytes is one that the double has: it gives them out at its own URL. */
  media?: { url?: string; content_type: string; bytes?: Uint8Array }[];
}

/** https://help.twilio.com/articles/223134027: Twilio's default keywords for numbers of the USA. */
const STOP = ["STOP", "STOPALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT", "REVOKE", "OPTOUT"];
const START = ["START", "UNSTOP", "YES"];

const MESSAGES = `/${API_VERSION}/Accounts/${ACCOUNT.sid}/Messages`;

/** Why Twilio refuses to send this, as an error code. */
export function whyRefused(form: URLSearchParams): number | undefined {
  const [to, from, body] = [form.get("To"), form.get("From"), form.get("Body")];
  const media = form.getAll("MediaUrl");
  if (!to) return 21604;
  if (!from && !form.get("MessagingServiceSid")) return 21603;
  if (!/^\+[1-9]\d{6,14}$/.test(to)) return 21211;
  if (!body && media.length === 0) return 21602;
  if (body && body.length > 1_600) return 21617;
  if (media.length > 10) return 21623;
  if (!media.every((url) => URL.canParse(url))) return 21620;
  const validity = form.get("ValidityPeriod");
  if (validity !== null && !(/^\d+$/.test(validity) && +validity >= 1 && +validity <= 36_000)) {
    return 21624;
  }
  const callback = form.get("StatusCallback");
  if (callback !== null && !URL.canParse(callback)) return 21609;
}

/** Whether the recruit has texted STOP to this number, and not START since. */
export function isOptedOut(
  messages: Message[],
  recruit: string | null,
  number: string | null,
): boolean {
  const last = messages
    .filter(({ direction, from, to }) => direction === "inbound" && from === recruit && to === number)
    .map(({ body }) => body.trim().toUpperCase())
    .findLast((body) => STOP.includes(body) || START.includes(body));
  return STOP.includes(last ?? "");
}

/** The message that a request makes. */
export function newMessage(form: URLSearchParams, due_callbacks: string[]): Message {
  const service = form.get("MessagingServiceSid");
  const media = form.getAll("MediaUrl");
  return {
    sid: newSid(media.length > 0 ? "MM" : "SM"),
    direction: "outbound-api",
    status: service ? "accepted" : "queued",
    to: form.get("To")!,
    from: form.get("From"),
    body: form.get("Body") ?? "",
    messaging_service_sid: service,
    error_code: null,
    // The true type is known to Twilio alone, which fetches the file.
    media: media.map((url) => ({ sid: newSid("ME"), url, content_type: "image/jpeg" })),
    date_created: new Date().toISOString(),
    date_updated: new Date().toISOString(),
    date_sent: null,
    parameters: Object.fromEntries(form),
    due_callbacks,
  };
}

/** The path of a file of a message, below the origin. */
export function mediaPath(sid: string, media: string): string {
  return `${MESSAGES}/${sid}/Media/${media}`;
}

/** A text that a recruit has sent to one of the account's numbers. */
export function inboundMessage({ from, to, body = "", media = [] }: InboundText): Message {
  const now = new Date().toISOString();
  return {
    sid: newSid(media.length > 0 ? "MM" : "SM"),
    direction: "inbound",
    status: "received",
    to,
    from,
    body,
    messaging_service_sid: null,
    error_code: null,
    media: media.map(({ url = "", content_type }) => ({ url, content_type, sid: newSid("ME") })),
    date_created: now,
    date_updated: now,
    date_sent: now,
    parameters: {},
    due_callbacks: [],
  };
}

/**
 * The list as it is requested, newest first:
 * https://www.twilio.com/docs/messaging/api/message-resource#read-multiple-message-resources
 *
 * @param messages all of the account, oldest first
 */
export function listMessages(messages: Message[], query: URLSearchParams): Reply {
  const size = Math.min(Math.max(Number(query.get("PageSize") ?? 50), 1), 1_000);
  const found = messages.toReversed().filter((message) => isListed(message, query));
  // A page begins after the last message of the page before, so that a new message moves none.
  const last = query.get("PageToken")?.slice(2);
  const start = found.findIndex(({ sid }) => sid === last) + 1;
  const page = found.slice(start, start + size);
  const next = new URLSearchParams(query);
  next.set("Page", `${Number(query.get("Page") ?? 0) + 1}`);
  next.set("PageToken", `PA${page.at(-1)?.sid}`);
  return {
    status: 200,
    body: {
      messages: page.map(messageResource),
      page_size: size,
      next_page_uri: start + size < found.length ? `${MESSAGES}.json?${next}` : null,
    },
  };
}

/** Whether a message passes the filters. One that was not sent yet has no DateSent, so a filter by it leaves it out. */
function isListed(message: Message, query: URLSearchParams): boolean {
  const [to, from] = [query.get("To"), query.get("From")];
  if (to !== null && message.to !== to) return false;
  if (from !== null && message.from !== from) return false;
  return [...query].every(([name, value]) => {
    if (!name.startsWith("DateSent")) return true;
    const { date_sent } = message;
    if (date_sent === null) return false;
    // A date without a time means the whole day.
    const sent = value.length === 10 ? date_sent.slice(0, 10) : date_sent;
    const given = value.length === 10 ? value : new Date(value).toISOString();
    if (name === "DateSent>") return sent >= given;
    if (name === "DateSent<") return sent <= given;
    return sent.slice(0, 10) === given.slice(0, 10);
  });
}

/** A message as the API shows it. */
export function messageResource(message: Message): Record<string, unknown> {
  const { due_callbacks: _, parameters: __, media, ...shown } = message;
  const uri = `${MESSAGES}/${message.sid}`;
  return {
    ...shown,
    account_sid: ACCOUNT.sid,
    api_version: API_VERSION,
    date_created: rfc2822(message.date_created),
    date_sent: rfc2822(message.date_sent),
    date_updated: rfc2822(message.date_updated),
    error_message: null,
    num_media: `${media.length}`,
    // The double does not count them. A message of a messaging service has 0 until it is sent.
    num_segments: message.status === "accepted" ? "0" : "1",
    price: null,
    price_unit: "USD",
    subresource_uris: { media: `${uri}/Media.json` },
    uri: `${uri}.json`,
  };
}

/** The media of a message: https://www.twilio.com/docs/messaging/api/media-resource */
export function listMedia({ sid: parent_sid, media, date_created }: Message): unknown {
  const media_list = media.map(({ sid, content_type }) => ({
    account_sid: ACCOUNT.sid,
    content_type,
    date_created: rfc2822(date_created),
    date_updated: rfc2822(date_created),
    parent_sid,
    sid,
    uri: `${MESSAGES}/${parent_sid}/Media/${sid}.json`,
  }));
  return { media_list, page_size: 50, next_page_uri: null };
}

/** Two letters and 32 hexadecimal digits, as all ids of Twilio's. */
function newSid(prefix: string): string {
  return prefix + crypto.randomUUID().replaceAll("-", "");
}

/** `Tue, 18 Aug 2026 14:00:00 +0000`: seconds are the finest that Twilio tells. */
function rfc2822(iso: string | null): string | null {
  return iso && new Date(iso).toUTCString().replace("GMT", "+0000");
}
