import { BodyStream } from "./body_stream.ts";
import { ApiError } from "./errors.ts";
import { FORM_TYPES, parseForm } from "./form_body.ts";
import { type Json, JSON_BOUNDS, parseScanned } from "./json.ts";
import { type JsonBounds, scanJson } from "./json_scan.ts";
import { StrangersRoom } from "./strangers_room.ts";
import { Turns } from "./turns.ts";

export const KIB = 1024;
export const MIB = 1024 * KIB;

/** How long a body may take to arrive, in milliseconds; waiting for a turn is part of it. */
export const BODY_WITHIN_MS = 30_000;

/** A body of more bytes or values than this is large. Only so many such requests are in memory at a time. */
const LARGE = { bytes: 4 * MIB, values: 100_000, turns: 2 };
const largeBodies = new Turns(LARGE.turns);
/** Of the large bodies with many records, one at a time is parsed. The other is bytes until then, a third of the memory. */
const largeBatches = new Turns(1);
const turns = new WeakMap<Request, () => void>();

/** How much of a body is kept for the journal, in case it is refused. */
const BEGINNING_BYTES = 256 * KIB;

/** What has been received of a request's body. */
export interface ReceivedBody {
  /** How many bytes there are, by Content-Length where not all have been read. */
  bytes: number;
  /** The first of them, at most 256 KiB. */
  beginning: Uint8Array;
  /** The JSON value, where the body has one. */
  value?: Json;
}

const received = new WeakMap<Request, ReceivedBody>();

/** What has been received of a request's body. */
export function receivedBody(request: Request): ReceivedBody {
  const body = received.get(request) ?? { bytes: 0, beginning: new Uint8Array() };
  return { ...body, bytes: Math.max(body.bytes, announcedBytes(request)) };
}

/**
 * How much of a refused body is read, and for how many milliseconds. The hosted platform keeps a response from a caller
 * who is still sending (github.com/supabase/edge-runtime/issues/737).
 */
const DRAIN = { bytes: 32 * MIB, ms: 5_000 };

const JSON_TYPES = /^(?:application\/json|[^;]+\+json|text\/plain)$/;

/** How a body is read. */
export interface ReadOptions {
  /** Milliseconds that it may take to arrive. */
  within?: number;
  /** Called with the bytes of the whole body before they are parsed. */
  onBytes?: (bytes: Uint8Array) => void;
}

/**
 * Reads a JSON body of at most `limit` bytes, whatever its Content-Length says.
 *
 * @throws ApiError UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT or BAD_REQUEST.
 */
export async function readJson(
  request: Request,
  limit: number,
  bounds: JsonBounds = JSON_BOUNDS,
  { within = BODY_WITHIN_MS, onBytes }: ReadOptions = {},
): Promise<Json> {
  const type = mediaType(request);
  if (!isJson(type)) {
    throw new ApiError("UNSUPPORTED_MEDIA_TYPE", "send the body as application/json");
  }
  return await inTime(within, async (deadline) => {
    const bytes = await readBytes(request, limit, deadline);
    onBytes?.(bytes);
    keepBeginning(request, bytes);
    return await parseBody(request, type, bytes, bounds, deadline);
  });
}

/**
 * Reads a body of at most `limit` bytes whose sender is not known yet, as a webhook's: JSON as {@link readJson} takes it,
 * or a form, which becomes an object (see parseForm()). Its type is looked at once the sender is known.
 *
 * @param identify is given the bytes, and throws UNAUTHORIZED for a stranger. Of a body that could not be read it is given
 * none, and the error of the body comes first.
 * @throws ApiError PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT or BAD_REQUEST for a body that could not be read; else what
 * `identify` throws; else UNSUPPORTED_MEDIA_TYPE, or what a known sender's body is refused for.
 */
export async function readStrangersBody<Sender>(
  request: Request,
  limit: number,
  identify: (bytes: Uint8Array) => Promise<Sender>,
  { within = BODY_WITHIN_MS }: ReadOptions = {},
): Promise<{ sender: Sender; body: Json }> {
  return await inTime(within, async (deadline) => {
    const room = new StrangersRoom(announcedBytes(request) || limit);
    try {
      const bytes = await readBytes(request, limit, deadline, room).catch(async (error) => {
        await identify(new Uint8Array()).catch(() => {});
        throw error;
      });
      const sender = await identify(bytes).catch((error) => {
        bytes.buffer.transfer(0);
        throw error;
      });
      keepBeginning(request, bytes);
      const type = mediaType(request);
      if (!isJson(type) && !FORM_TYPES.includes(type)) {
        throw new ApiError("UNSUPPORTED_MEDIA_TYPE", "send the body as JSON or as a form");
      }
      // The platform copies an uploaded file several times.
      const share = type.startsWith("multipart/") ? LARGE.turns : 1;
      if (bytes.length > LARGE.bytes) await takeTurn(request, deadline, share);
      room.release();
      return { sender, body: await parseBody(request, type, bytes, JSON_BOUNDS, deadline) };
    } finally {
      room.release();
    }
  });
}

/**
 * Reads an `application/x-www-form-urlencoded` body of at most `limit` bytes.
 *
 * @throws ApiError UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT or BAD_REQUEST.
 */
export async function readForm(request: Request, limit: number): Promise<URLSearchParams> {
  checkFormHeaders(request, limit);
  const bytes = await inTime(BODY_WITHIN_MS, (deadline) => readBytes(request, limit, deadline));
  return new URLSearchParams(new TextDecoder().decode(bytes));
}

/**
 * Refuses what can be refused before a form is read.
 *
 * @throws ApiError UNSUPPORTED_MEDIA_TYPE or PAYLOAD_TOO_LARGE.
 */
export function checkFormHeaders(request: Request, limit: number): void {
  if (mediaType(request) !== "application/x-www-form-urlencoded") {
    throw new ApiError(
      "UNSUPPORTED_MEDIA_TYPE",
      "send the body as application/x-www-form-urlencoded",
    );
  }
  if (announcedBytes(request) > limit) throw tooLarge(limit);
}

/**
 * Reads and forgets what is left of a body when the response is known, up to a bound. Never throws.
 *
 * @param keepBeginning whether {@link receivedBody} is to have the beginning of a body that was refused unread
 */
export async function finishBody(request: Request, keepBeginning = false): Promise<void> {
  if (request.body === null || request.body.locked) return;
  if (announcedBytes(request) > DRAIN.bytes) return;
  const stream = new BodyStream(request.body, 0);
  const timer = setTimeout(() => stream.cancel(), DRAIN.ms);
  try {
    for (let size = 0; size <= DRAIN.bytes && await stream.read(); stream.forget()) {
      size += stream.size;
      if (keepBeginning) addToReceived(request, stream.bytes);
    }
  } catch {
    // The caller has hung up; there is nobody left to respond to.
  } finally {
    clearTimeout(timer);
  }
}

/** Lets go of a body when nobody needs it any more: the next large one may be read. */
export function releaseBody(request: Request): void {
  received.delete(request);
  turns.get(request)?.();
}

async function parseBody(
  request: Request,
  type: string,
  bytes: Uint8Array<ArrayBuffer>,
  bounds: JsonBounds,
  deadline: AbortSignal,
): Promise<Json> {
  const body = received.get(request)!;
  if (FORM_TYPES.includes(type) && !isMislabelledJson(type, bytes)) {
    return body.value = await parseForm(bytes, request.headers.get("content-type")!, bounds);
  }
  const scan = scanJson(bytes, bounds);
  if (scan.values > LARGE.values) await takeTurn(request, deadline);
  if (bounds.values > LARGE.values) await takeBatchTurn(request, deadline);
  return body.value = parseScanned(bytes, scan);
}

/** Whether JSON is sent as a form, as curl does unless told otherwise. A form has these brackets percent-encoded. */
function isMislabelledJson(type: string, bytes: Uint8Array): boolean {
  return type === "application/x-www-form-urlencoded" &&
    /^\s*[[{]/.test(new TextDecoder().decode(bytes.subarray(0, 64)));
}

function isJson(type: string): boolean {
  return type === "" || JSON_TYPES.test(type);
}

function keepBeginning(request: Request, bytes: Uint8Array): void {
  received.set(request, { bytes: bytes.length, beginning: bytes.slice(0, BEGINNING_BYTES) });
}

function addToReceived(request: Request, added: Uint8Array): void {
  const { bytes = 0, beginning = new Uint8Array() } = received.get(request) ?? {};
  const kept = added.subarray(0, BEGINNING_BYTES - beginning.length);
  const longer = new Uint8Array(beginning.length + kept.length);
  longer.set(beginning);
  longer.set(kept, beginning.length);
  received.set(request, { bytes: bytes + added.length, beginning: longer });
}

function mediaType(request: Request): string {
  const encoding = request.headers.get("content-encoding") ?? "identity";
  if (encoding.toLowerCase() !== "identity") {
    throw new ApiError("UNSUPPORTED_MEDIA_TYPE", "send the body without Content-Encoding");
  }
  const type = request.headers.get("content-type") ?? "";
  return (type.split(";", 1)[0] as string).trim().toLowerCase();
}

/** Runs something that ends with REQUEST_TIMEOUT once the deadline has passed. */
async function inTime<Result>(
  within: number,
  run: (deadline: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), within);
  try {
    return await run(deadline.signal);
  } finally {
    clearTimeout(timer);
  }
}

async function readBytes(
  request: Request,
  limit: number,
  deadline: AbortSignal,
  room?: StrangersRoom,
): Promise<Uint8Array<ArrayBuffer>> {
  const announced = announcedBytes(request);
  if (announced > limit) throw tooLarge(limit);
  if (request.body === null) return new Uint8Array();

  if (announced > LARGE.bytes && room === undefined) await takeTurn(request, deadline);
  const stream = new BodyStream(request.body, announced);
  const ends = [deadline, ...(room === undefined ? [] : [room.tooSlow])];
  for (const end of ends) end.addEventListener("abort", () => stream.cancel(), { once: true });
  try {
    while (await stream.read()) {
      if (stream.size > limit) throw tooLarge(limit);
      if (room !== undefined && !await room.take(stream.size, deadline)) throw othersCameFirst();
      if (room === undefined && stream.size > LARGE.bytes) await takeTurn(request, deadline);
    }
  } catch (cause) {
    if (ends.every(({ aborted }) => !aborted)) stream.release();
    received.set(request, {
      bytes: stream.size,
      beginning: stream.bytes.slice(0, BEGINNING_BYTES),
    });
    if (cause instanceof ApiError) throw cause;
    throw new ApiError("BAD_REQUEST", "the body could not be read to its end", { cause });
  } finally {
    room?.arrived();
  }
  if (deadline.aborted) {
    const message = `the body did not arrive within ${BODY_WITHIN_MS / 1_000} s`;
    throw new ApiError("REQUEST_TIMEOUT", message);
  }
  if (room?.tooSlow.aborted) {
    const message = "the body came too slowly while others were waiting; send it again";
    throw new ApiError("REQUEST_TIMEOUT", message);
  }
  return stream.bytes;
}

async function takeTurn(request: Request, deadline: AbortSignal, share = 1): Promise<void> {
  if (turns.has(request)) return;
  const end = await largeBodies.take(deadline, share);
  if (end === undefined) throw othersCameFirst();
  turns.set(request, end);
}

/** Waits until a large body with many records may be parsed. It has a turn already. */
async function takeBatchTurn(request: Request, deadline: AbortSignal): Promise<void> {
  const endTurn = turns.get(request);
  if (endTurn === undefined) return;
  const endBatch = await largeBatches.take(deadline);
  if (endBatch === undefined) throw othersCameFirst();
  turns.set(request, () => {
    endBatch();
    endTurn();
  });
}

function othersCameFirst(): ApiError {
  const message = "other large bodies came first, and this one was not read in time; send it again";
  return new ApiError("REQUEST_TIMEOUT", message);
}

function announcedBytes(request: Request): number {
  return Number(request.headers.get("content-length")) || 0;
}

function tooLarge(limit: number): ApiError {
  const size = limit >= MIB ? `${limit / MIB} MiB` : `${limit / KIB} KiB`;
  return new ApiError("PAYLOAD_TOO_LARGE", `the body is larger than ${size}`);
}
