import { Buffer } from "node:buffer";
import { continueAfterResponse } from "./background.ts";
import type { ReceivedBody } from "./body_bytes.ts";
import type { ApiError, ErrorCode } from "./errors.ts";
import { type JournalEntry, writeToJournal } from "./journal_writer.ts";
import { cleanText, type Json, type JsonObject, parseJson } from "./json.ts";

/** The refusals of a whole request that are written. The others say nothing of what was sent. */
const WRITTEN: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...["BAD_REQUEST", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE", "INTERNAL_ERROR"] as const,
]);

/** Above this size only the beginning of a payload is kept. */
export const PAYLOAD_BYTES = 256 * 1024;

/** How long a response waits for the journal, in milliseconds. Then the journal goes on after the response. */
const PATIENCE_MS = 250;

/** Who has sent a request, and what there is to say of its payloads. */
export interface Sender {
  /** Null for an import, whose sender is no recruiting vendor. */
  vendor_id: string | null;
  /** What a replay needs besides the lead, unless a row has its own. */
  context?: JsonObject;
  /** Reads a payload that was refused: the sender's id of the lead, and the payload without files and secrets. */
  describe(payload: Json): { vendor_lead_id: string | null; payload: Json };
}

/** A row of a batch that was refused, or a lead that is to be fetched. */
export interface RejectedRow {
  /** Null: there is no other in the request. */
  row: number | null;
  code: string;
  reason: string;
  payload: Json;
  /** The sender's id of the lead, unless it is to be read from the payload. */
  vendor_lead_id?: string | null;
  /** What a replay needs besides the lead. */
  context?: JsonObject;
}

/**
 * What one request has to write to the journal of refusals, `rejected_deliveries`. There is one only when the
 * sender is known, so a stranger's request writes nothing. The journal is never the reason that a request fails.
 */
export class Journal {
  readonly #sender: Sender;
  readonly #request: { request_id: string; route: string };
  #entries: JournalEntry[] = [];

  constructor(sender: Sender, request: { request_id: string; route: string }) {
    this.#sender = sender;
    this.#request = request;
  }

  /** Adds a row that was refused. */
  rejectRow({ row, code, reason, payload, vendor_lead_id, context }: RejectedRow): void {
    const entry = this.#entry({ row, code, reason, context }, payload);
    this.#entries.push(vendor_lead_id === undefined ? entry : { ...entry, vendor_lead_id });
  }

  /**
   * Writes everything once the response is decided, and waits a moment for it, so that an operator mostly finds the
   * entry as soon as the sender has its response.
   *
   * @param refusal the error that the whole request has ended with. It is written unless its rows are.
   */
  async close(refusal: ApiError | undefined, body: ReceivedBody): Promise<void> {
    if (refusal !== undefined && WRITTEN.has(refusal.code) && this.#entries.length === 0) {
      const { code, message: reason } = refusal;
      this.#entries.push(this.#entry({ row: null, code, reason }, body));
    }
    if (this.#entries.length === 0) return;
    const written = writeToJournal(this.#entries);
    continueAfterResponse(written);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const patience = new Promise<void>((resolve) => timer = setTimeout(resolve, PATIENCE_MS));
    await Promise.race([written, patience]);
    clearTimeout(timer);
  }

  #entry(
    { context, ...refusal }: Pick<RejectedRow, "row" | "code" | "reason" | "context">,
    sent: Json | ReceivedBody,
  ): JournalEntry {
    const { vendor_id } = this.#sender;
    return {
      ...this.#request,
      vendor_id,
      ...refusal,
      context: context ?? this.#sender.context ?? {},
      ...this.#payloadOf(sent),
    };
  }

  #payloadOf(
    sent: Json | ReceivedBody,
  ): Pick<JournalEntry, "vendor_lead_id" | "payload" | "payload_text" | "payload_bytes"> {
    const received = isReceived(sent) ? sent : undefined;
    const value = isReceived(sent) ? sent.value ?? parseUnread(sent) : sent;
    if (value === undefined) {
      const { beginning, bytes: payload_bytes } = received!;
      const payload_text = cut(withoutSecrets(cleanText(new TextDecoder().decode(beginning))));
      return { vendor_lead_id: null, payload: null, payload_text, payload_bytes };
    }
    const { vendor_lead_id, payload } = this.#sender.describe(value);
    const text = JSON.stringify(payload);
    const bytes = byteLength(text);
    const fits = bytes <= PAYLOAD_BYTES;
    return {
      vendor_lead_id,
      payload: fits ? payload : null,
      payload_text: fits ? null : cut(text),
      payload_bytes: received?.bytes ??
        (payload === value ? bytes : byteLength(JSON.stringify(value))),
    };
  }
}

function isReceived(sent: Json | ReceivedBody): sent is ReceivedBody {
  return typeof sent === "object" && sent !== null && "beginning" in sent &&
    sent.beginning instanceof Uint8Array;
}

/** The value of a body that was refused before it was parsed, because of a header say; undefined where it is no JSON. */
function parseUnread({ bytes, beginning }: ReceivedBody): Json | undefined {
  if (bytes === 0 || bytes > beginning.length) return undefined;
  try {
    return parseJson(new TextDecoder().decode(beginning));
  } catch {
    return undefined;
  }
}

const encoder = new TextEncoder();

function byteLength(text: string): number {
  return Buffer.byteLength(text);
}

/** The beginning of a text, without half a character at its end. */
function cut(text: string): string {
  if (text.length * 3 <= PAYLOAD_BYTES) return text;
  return text.slice(0, encoder.encodeInto(text, new Uint8Array(PAYLOAD_BYTES)).read);
}

/** Google's form key in a text of any format: its name, what stands between, and the key to its end. */
const GOOGLE_KEY = /(google.{0,6}?key[^\w<]{0,10})(?:(?<=[^\\]")(?:[^"\\]|\\.)*|[^\s"'&,<}\\]*)/gis;

/** A text that could not be parsed, without the keys by which a sender proves who it is. */
function withoutSecrets(text: string): string {
  return text.replace(GOOGLE_KEY, "$1");
}
