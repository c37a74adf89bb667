/**
 * Bounds how many large bodies are in memory. While one arrives it has room, and while it is worked on it has a turn. It
 * has come before it waits for its turn, so nobody's turn waits for a sender.
 */
import { ApiError } from "./errors.ts";
import { Turns } from "./turns.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

/** A body of more bytes or values than this is large. */
export const LARGE = { bytes: 4 * MIB, values: 100_000 };

/** What arriving bodies share. */
export interface Room {
  /** A body needs room once it has so many bytes. */
  from: number;
  /** The room, in bytes. */
  turns: Turns;
}

/** Strangers may be many, so their bodies need room early. It is their own, so they never hold up known senders. */
const KNOWN: Room = { from: LARGE.bytes, turns: new Turns(16 * MIB) };
const STRANGERS: Room = { from: 64 * KIB, turns: new Turns(16 * MIB) };

/** How many large bodies are worked on at a time. */
const AT_A_TIME = 2;
const turns = new Turns(AT_A_TIME);

/** What ends the room or the turn of a request. */
const ends = new WeakMap<Request, () => void>();

/** The room for a body of a known sender, or of a stranger. */
export function roomFor(sender: string | undefined): Room {
  return sender === undefined ? STRANGERS : KNOWN;
}

/**
 * Waits for room for an arriving body.
 *
 * @param bytes how large it may become
 * @throws ApiError REQUEST_TIMEOUT where the deadline comes first.
 */
export async function takeRoom(
  request: Request,
  bytes: number,
  sender: string | undefined,
  deadline: AbortSignal,
): Promise<void> {
  setEnd(request, await roomFor(sender).turns.take(deadline, { share: bytes, sender }));
}

/**
 * Waits for the turn of a body that has come, and gives up its room.
 *
 * @param alone whether it takes so much memory that no other may have a turn meanwhile
 * @throws ApiError REQUEST_TIMEOUT where the deadline comes first.
 */
export async function takeTurn(
  request: Request,
  alone: boolean,
  deadline: AbortSignal,
): Promise<void> {
  setEnd(request, await turns.take(deadline, { share: alone ? AT_A_TIME : 1 }));
}

/** Ends the room or the turn that a request has. */
export function letOthersCome(request: Request): void {
  ends.get(request)?.();
}

function setEnd(request: Request, end: (() => void) | undefined): void {
  if (end === undefined) {
    const message =
      "other large bodies came first, and this one was not read in time; send it again";
    throw new ApiError("REQUEST_TIMEOUT", message);
  }
  letOthersCome(request);
  ends.set(request, end);
}
