import { type Account, API_VERSION } from "./account.ts";
import { refusal } from "./errors.ts";
import type { Reply } from "./reply.ts";
import type { Message, Store } from "./store.ts";

/** Numbers that are always refused: https://www.twilio.com/docs/iam/test-credentials#test-sms-messages */
const MAGIC_FROM: Record<string, number> = {
  "+15005550001": 21212,
  "+15005550007": 21606,
  "+15005550008": 21611,
};
const MAGIC_TO: Record<string, number> = {
  "+15005550001": 21211,
  "+15005550002": 21612,
  "+15005550003": 21408,
  "+15005550004": 21610,
  "+15005550009": 21614,
};

/** Why Twilio refuses to send this, as an error code. */
export function whyRefused(store: Store, form: URLSearchParams): number | undefined {
  const [to, from, body] = [form.get("To"), form.get("From"), form.get("Body")];
  const media = form.getAll("MediaUrl");
  if (!to) return 21604;
  if (!from && !form.get("MessagingServiceSid")) return 21603;
  if (from && MAGIC_FROM[from]) return MAGIC_FROM[from];
  if (MAGIC_TO[to]) return MAGIC_TO[to];
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
  if (from && store.isOptedOut(to, from)) return 21610;
}

/** The message that a request makes. It is accepted once it is stored. */
export function newMessage(form: URLSearchParams, dueCallbacks: string[]): Message {
  const service = form.get("MessagingServiceSid");
  const media = form.getAll("MediaUrl");
  return {
    ...emptyMessage(media.length > 0 ? "MM" : "SM"),
    direction: "outbound-api",
    status: service ? "accepted" : "queued",
    to: form.get("To")!,
    from: form.get("From"),
    body: form.get("Body") ?? "",
    messaging_service_sid: service,
    // The true type is known to Twilio alone, which fetches the file.
    media: media.map((url) => ({ sid: newSid("ME"), url, content_type: "image/jpeg" })),
    parameters: Object.fromEntries(form),
    due_callbacks: dueCallbacks,
  };
}

/** A text of a recruit, as the double is told to receive it. */
export interface InboundText {
  from: string;
  to: string;
  body?: string;
  media?: { url: string; content_type: string }[];
}

/** A text that a recruit has sent to one of the account's numbers. */
export function inboundMessage({ from, to, body = "", media = [] }: InboundText): Message {
  const empty = emptyMessage(media.length > 0 ? "MM" : "SM");
  return {
    ...empty,
    direction: "inbound",
    status: "received",
    to,
    from,
    body,
    media: media.map((item) => ({ ...item, sid: newSid("ME") })),
    date_sent: empty.date_created,
  };
}

/** The list as it is requested: https://www.twilio.com/docs/messaging/api/message-resource#read-multiple-message-resources */
export function listMessages(account: Account, store: Store, query: URLSearchParams): Reply {
  const size = Math.min(Math.max(Number(query.get("PageSize") ?? 50), 1), 1_000);
  const page = Number(query.get("Page") ?? 0);
  const found = store.all().reverse().filter((message) => isListed(message, query));
  // A page begins after the last message of the page before, so that a new message moves none.
  const last = query.get("PageToken")?.slice(2);
  const start = found.findIndex(({ sid }) => sid === last) + 1;
  const messages = found.slice(start, start + size);
  const path = `${accountPath(account)}/Messages.json`;
  const uri = (page: number, token?: string) => {
    const parameters = new URLSearchParams(query);
    parameters.set("PageSize", String(size));
    parameters.set("Page", String(page));
    if (token === undefined) parameters.delete("PageToken");
    else parameters.set("PageToken", token);
    return `${path}?${parameters}`;
  };
  const hasMore = start + size < found.length;
  return {
    status: 200,
    body: {
      messages: messages.map((message) => messageResource(account, message)),
      page,
      page_size: size,
      start: page * size,
      end: page * size + Math.max(messages.length - 1, 0),
      uri: uri(page, query.get("PageToken") ?? undefined),
      first_page_uri: uri(0),
      next_page_uri: hasMore ? uri(page + 1, `PA${messages.at(-1)!.sid}`) : null,
      // The double's pages are only read forwards.
      previous_page_uri: null,
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
export function messageResource(account: Account, message: Message): Record<string, unknown> {
  const uri = `${accountPath(account)}/Messages/${message.sid}`;
  return {
    account_sid: account.sid,
    api_version: API_VERSION,
    body: message.body,
    date_created: rfc2822(message.date_created),
    date_sent: rfc2822(message.date_sent),
    date_updated: rfc2822(message.date_updated),
    direction: message.direction,
    error_code: message.error_code,
    error_message: null,
    from: message.from,
    messaging_service_sid: message.messaging_service_sid,
    num_media: String(message.media.length),
    // The double does not count them. A message of a messaging service has 0 until it is sent.
    num_segments: message.status === "accepted" ? "0" : "1",
    price: null,
    price_unit: "USD",
    sid: message.sid,
    status: message.status,
    subresource_uris: { media: `${uri}/Media.json` },
    to: message.to,
    uri: `${uri}.json`,
  };
}

/** The media of a message: https://www.twilio.com/docs/messaging/api/media-resource */
export function listMedia(account: Account, message: Message): Reply {
  const uri = `${accountPath(account)}/Messages/${message.sid}/Media`;
  return {
    status: 200,
    body: {
      media_list: message.media.map(({ sid, content_type }) => ({
        account_sid: account.sid,
        content_type,
        date_created: rfc2822(message.date_created),
        date_updated: rfc2822(message.date_created),
        parent_sid: message.sid,
        sid,
        uri: `${uri}/${sid}.json`,
      })),
      page: 0,
      page_size: 50,
      start: 0,
      end: Math.max(message.media.length - 1, 0),
      uri: `${uri}.json?PageSize=50&Page=0`,
      first_page_uri: `${uri}.json?PageSize=50&Page=0`,
      next_page_uri: null,
      previous_page_uri: null,
    },
  };
}

export function unknownResource(path: string): Reply {
  const { status, body } = refusal(20404);
  return {
    status,
    body: { ...(body as object), message: `The requested resource ${path} was not found` },
  };
}

function emptyMessage(prefix: "SM" | "MM"): Message {
  const now = new Date().toISOString();
  return {
    sid: newSid(prefix),
    direction: "outbound-api",
    status: "queued",
    to: "",
    from: null,
    body: "",
    messaging_service_sid: null,
    error_code: null,
    media: [],
    date_created: now,
    date_updated: now,
    date_sent: null,
    parameters: {},
    due_callbacks: [],
  };
}

function accountPath(account: Account): string {
  return `/${API_VERSION}/Accounts/${account.sid}`;
}

/** Two letters and 32 hexadecimal digits, as all ids of Twilio's. */
function newSid(prefix: string): string {
  return prefix + crypto.randomUUID().replaceAll("-", "");
}

/** `Tue, 18 Aug 2026 14:00:00 +0000`: seconds are the finest that Twilio tells. */
function rfc2822(iso: string | null): string | null {
  return iso && new Date(iso).toUTCString().replace("GMT", "+0000");
}
