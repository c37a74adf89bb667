import { Buffer } from "node:buffer";
import { continueAfterResponse } from "./background.ts";
import { callDatabase } from "./database.ts";
import type { ApiError, ErrorCode } from "./errors.ts";
import { KEPT_BYTES } from "./body/limits.ts";
import type { ReceivedBody } from "./body/read.ts";
import { cleanText, type Json, type JsonObject, parseJson } from "./json.ts";
import { type RejectedDelivery, rejectedDeliveryWriter } from "./rejected_delivery_writer.ts";

/** The errors for which a whole request is stored. Other errors do not concern its content. */
const KEPT: readonly ErrorCode[] = [
  "BAD_REQUEST",
  "PAYLOAD_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
  "INTERNAL_ERROR",
];

/**
 * How many milliseconds a response waits for its rejected deliveries to be written. The writing then continues in the
 * background.
 */
const PATIENCE_MS = 250;

/** The sender of a request, and the facts about its payloads. */
export interface Sender {
  /** Null for an import, whose sender is not a recruiting vendor. */
  vendor_id: string | null;
  /** The values that a replay needs besides the lead, unless a row has its own values. */
  context?: JsonObject;
  /** Describes a rejected payload: the sender's id of the lead, and the payload without files and secrets. */
  describe(payload: Json): { vendor_lead_id: string | null; payload: Json };
  /** Removes the sender's credentials from a text that could not be parsed. */
  withoutSecrets(text: string): string;
}

/** A rejected row of a batch, or a lead that must be fetched. */
export interface RejectedRow {
  /** Its index in the request, from 0; null if the request has one lead. */
  row: number | null;
  code: string;
  reason: string;
  payload: Json;
  /** The sender's id of the lead, if it is not in the payload. */
  vendor_lead_id?: string | null;
  /** The values that a replay needs besides the lead. */
  context?: JsonObject;
}

type Kept = Pick<
  RejectedDelivery,
  "vendor_lead_id" | "payload" | "payload_text" | "payload_bytes"
>;

/**
 * The rejected deliveries of one request. Deliveries of strangers are not stored. Failing to store a rejected delivery
 * fails the request only where that is the only record of a lead: `store()`.
 */
export class RejectedDeliveries {
  readonly #request: { request_id: string; route: string };
  #sender: Sender | null = null;
  #rejected: RejectedDelivery[] = [];

  constructor(request: { request_id: string; route: string }) {
    this.#request = request;
  }

  /** Starts storing rejected deliveries; null stops it, as for a dry run. */
  keepFrom(sender: Sender | null): void {
    this.#sender = sender;
  }

  /** Whether rejected deliveries are stored. */
  get areKept(): boolean {
    return this.#sender !== null;
  }

  /** Adds a rejected row. */
  add(row: RejectedRow): void {
    if (this.#sender !== null) this.#rejected.push(this.#deliveryOf(this.#sender, row));
  }

  /**
   * Stores rows before the response, because they are the only record of their leads.
   *
   * @throws ApiError INTERNAL_ERROR if the database fails. The sender must send them again.
   */
  async store(rows: RejectedRow[]): Promise<void> {
    const sender = this.#sender;
    if (sender === null || rows.length === 0) return;
    const rejections = rows.map((row) => this.#deliveryOf(sender, row));
    // If a response is lost, they are stored twice, which is better than not at all.
    await callDatabase("record_rejections", { rejections }, { retryWithin: 3_000 });
  }

  /**
   * Writes all rejected deliveries once the response is decided, and waits briefly, so that an operator usually finds a
   * rejected delivery as soon as the sender has the response.
   *
   * @param error the error of the whole request. It is stored as one delivery, unless rows were added.
   */
  async write(error: ApiError | undefined, body: ReceivedBody): Promise<void> {
    if (this.#sender === null) return;
    if (error !== undefined && KEPT.includes(error.code) && this.#rejected.length === 0) {
      const { code, message: reason } = error;
      const kept = keepBody(this.#sender, body);
      this.#rejected.push(this.#complete(this.#sender, { row: null, code, reason }, kept));
    }
    if (this.#rejected.length === 0) return;
    const written = rejectedDeliveryWriter.write(this.#rejected);
    continueAfterResponse(written);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const patience = new Promise<void>((resolve) => timer = setTimeout(resolve, PATIENCE_MS));
    await Promise.race([written, patience]);
    clearTimeout(timer);
  }

  #deliveryOf(sender: Sender, { payload, vendor_lead_id, ...row }: RejectedRow): RejectedDelivery {
    const kept = keep(sender, payload);
    return this.#complete(sender, row, vendor_lead_id === undefined ? kept : { ...kept, vendor_lead_id });
  }

  #complete(
    { vendor_id, context: common = {} }: Sender,
    { context = common, ...row }: Omit<RejectedRow, "payload">,
    kept: Kept,
  ): RejectedDelivery {
    return { ...this.#request, vendor_id, ...row, context, ...kept };
  }
}

function keepBody(sender: Sender, { value, beginning, bytes }: ReceivedBody): Kept {
  // A body may be refused before it is parsed, for example because of a header.
  const json = value ?? (beginning.length === bytes ? parse(beginning) : undefined);
  if (json !== undefined) return keep(sender, json, bytes);
  const payload_text = cut(sender.withoutSecrets(cleanText(new TextDecoder().decode(beginning))));
  return { vendor_lead_id: null, payload: null, payload_text, payload_bytes: bytes };
}

/** @param bytes the received size; if omitted, the size of the payload, which is part of a larger body */
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

/** Returns the value of a JSON text; undefined if it is not JSON. */
function parse(bytes: Uint8Array): Json | undefined {
  try {
    return bytes.length === 0 ? undefined : parseJson(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/** Returns the beginning of a text, without a partial character at its end. */
function cut(text: string): string {
  if (text.length * 3 <= KEPT_BYTES) return text;
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(KEPT_BYTES)).read);
}
