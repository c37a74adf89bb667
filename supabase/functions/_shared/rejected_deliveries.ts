import { Buffer } from "node:buffer";
import { continueAfterResponse } from "./background.ts";
import type { ApiError, ErrorCode } from "./errors.ts";
import { KEPT_BYTES } from "./body/limits.ts";
import type { ReceivedBody } from "./body/read.ts";
import { cleanText, type Json, type JsonObject, parseJson } from "./json.ts";
import { type RejectedDelivery, rejectedDeliveryWriter } from "./rejected_delivery_writer.ts";

/** The errors of a whole request for which it is kept. The others say nothing of what was sent. */
const KEPT: readonly ErrorCode[] = [
  "BAD_REQUEST",
  "PAYLOAD_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
  "INTERNAL_ERROR",
];

/**
 * The milliseconds that a response waits for its rejected deliveries to be written. The writing goes on after it.
 */
const PATIENCE_MS = 250;

/** The sender of a request, and the facts about its payloads. */
export interface Sender {
  /** Null for an import, whose sender is no recruiting vendor. */
  vendor_id: string | null;
  /** The values that a replay needs besides the lead, unless a row has its own. */
  context?: JsonObject;
  /** Reads a payload that was rejected: the sender's id of the lead, and the payload without files and secrets. */
  describe(payload: Json): { vendor_lead_id: string | null; payload: Json };
  /** A text that could not be parsed, without the keys by which a sender proves who it is. */
  withoutSecrets(text: string): string;
}

/** A row of a batch that was rejected, or a lead that is to be fetched. */
export interface RejectedRow {
  /** Its place in the request, from 0; null for a request of one. */
  row: number | null;
  code: string;
  reason: string;
  payload: Json;
  /** The sender's id of the lead, unless it is to be read from the payload. */
  vendor_lead_id?: string | null;
  /** The values that a replay needs besides the lead. */
  context?: JsonObject;
}

type Kept = Pick<
  RejectedDelivery,
  "vendor_lead_id" | "payload" | "payload_text" | "payload_bytes"
>;

/**
 * The rejected deliveries of one request. Nothing is kept of a stranger's. They are never the reason that a request
 * fails.
 */
export class RejectedDeliveries {
  readonly #request: { request_id: string; route: string };
  #sender: Sender | null = null;
  #rejected: RejectedDelivery[] = [];

  constructor(request: { request_id: string; route: string }) {
    this.#request = request;
  }

  /** From now on, what is rejected is kept. Null: it is not, as for a dry run. */
  keepFrom(sender: Sender | null): void {
    this.#sender = sender;
  }

  /** Whether what is rejected is kept. */
  get areKept(): boolean {
    return this.#sender !== null;
  }

  /** Adds a row that was rejected. */
  add({ payload, vendor_lead_id, ...row }: RejectedRow): void {
    if (this.#sender === null) return;
    const kept = keep(this.#sender, payload);
    this.#push(
      this.#sender,
      row,
      vendor_lead_id === undefined ? kept : { ...kept, vendor_lead_id },
    );
  }

  /**
   * Writes everything once the response is decided, and waits a moment for it. So an operator mostly finds the rejected
   * delivery as soon as the sender has its response.
   *
   * @param error what the whole request has ended with. It is kept as one delivery, unless rows of it were added.
   */
  async write(error: ApiError | undefined, body: ReceivedBody): Promise<void> {
    if (this.#sender === null) return;
    if (error !== undefined && KEPT.includes(error.code) && this.#rejected.length === 0) {
      const { code, message: reason } = error;
      this.#push(this.#sender, { row: null, code, reason }, keepBody(this.#sender, body));
    }
    if (this.#rejected.length === 0) return;
    const written = rejectedDeliveryWriter.write(this.#rejected);
    continueAfterResponse(written);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const patience = new Promise<void>((resolve) => timer = setTimeout(resolve, PATIENCE_MS));
    await Promise.race([written, patience]);
    clearTimeout(timer);
  }

  #push(
    { vendor_id, context: common = {} }: Sender,
    { context = common, ...row }: Omit<RejectedRow, "payload">,
    kept: Kept,
  ): void {
    this.#rejected.push({ ...this.#request, vendor_id, ...row, context, ...kept });
  }
}

function keepBody(sender: Sender, { value, beginning, bytes }: ReceivedBody): Kept {
  // A body may be refused before it was parsed, because of a header say.
  const json = value ?? (beginning.length === bytes ? parse(beginning) : undefined);
  if (json !== undefined) return keep(sender, json, bytes);
  const payload_text = cut(sender.withoutSecrets(cleanText(new TextDecoder().decode(beginning))));
  return { vendor_lead_id: null, payload: null, payload_text, payload_bytes: bytes };
}

/** @param bytes how many were received; the payload's own where it is a part of what was */
function keep(sender: Sender, value: Json, bytes?: number): Kept {
  const { vendor_lead_id, payload } = sender.describe(value);
  const text = JSON.stringify(payload);
  const fits = Buffer.byteLength(text) <= KEPT_BYTES;
  return {
    vendor_lead_id,
    payload: fits ? payload : null,
    payload_text: fits ? null : cut(text),
    payload_bytes: bytes ??
      Buffer.byteLength(payload === value ? text : JSON.stringify(value)),
  };
}

/** The value of a JSON text; undefined where it is none. */
function parse(bytes: Uint8Array): Json | undefined {
  try {
    return bytes.length === 0 ? undefined : parseJson(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/** The beginning of a text, without half a character at its end. */
function cut(text: string): string {
  if (text.length * 3 <= KEPT_BYTES) return text;
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(KEPT_BYTES)).read);
}
