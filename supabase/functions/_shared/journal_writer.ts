import { callDatabase } from "./database.ts";
import type { Json, JsonObject } from "./json.ts";
import { describeError, logError } from "./log.ts";

/** A refusal as `record_rejections()` takes it. */
export interface JournalEntry {
  request_id: string;
  route: string;
  vendor_id: string | null;
  vendor_lead_id: string | null;
  row: number | null;
  code: string;
  reason: string;
  payload: Json;
  payload_text: string | null;
  payload_bytes: number;
  context: JsonObject;
}

/** What one call takes, at most: entries, and bytes as received. */
const CALL = { entries: 500, bytes: 1024 * 1024 };

/** What may wait to be written, at most. The isolate's memory is needed for requests. */
const WAITING = { entries: 20_000, bytes: 16 * 1024 * 1024 };

/** A little more than the statement timeout of `record_rejections`. */
const TIMEOUT_MS = 4_000;

let waiting: JournalEntry[] = [];
let waitingBytes = 0;
let writing: Promise<void> | undefined;

/**
 * Writes refusals to the journal. All requests of an isolate share one call at a time, so a sender of many wrong requests
 * takes one connection of the database and not all of them. Never rejects: what cannot be written is counted in the log.
 *
 * @returns resolves when everything that waits has been written or given up
 */
export function writeToJournal(entries: JournalEntry[]): Promise<void> {
  for (const [index, entry] of entries.entries()) {
    if (waiting.length >= WAITING.entries || waitingBytes >= WAITING.bytes) {
      logError({ event: "journal_full", entries: entries.length - index });
      break;
    }
    waiting.push(entry);
    waitingBytes += size(entry);
  }
  return writing ??= writeAll();
}

async function writeAll(): Promise<void> {
  while (waiting.length > 0) {
    const rejections = takeSome();
    try {
      await callDatabase("record_rejections", { rejections }, { timeout: TIMEOUT_MS });
    } catch (error) {
      const { cause } = error as Error;
      const entries = rejections.length;
      logError({ event: "journal_not_written", entries, ...describeError(cause) });
    }
  }
  writing = undefined;
}

/** Takes what fits into one call, and at least one entry. */
function takeSome(): JournalEntry[] {
  let count = 0;
  let bytes = 0;
  for (const entry of waiting) {
    bytes += size(entry);
    if (count > 0 && (count === CALL.entries || bytes > CALL.bytes)) break;
    waitingBytes -= size(entry);
    count += 1;
  }
  const taken = waiting.slice(0, count);
  waiting = waiting.slice(count);
  return taken;
}

/** Roughly what an entry takes, in bytes. What is not kept of a payload does not count. */
function size({ payload_bytes, payload_text }: JournalEntry): number {
  return 500 + (payload_text === null ? Math.min(payload_bytes, 256 * 1024) : payload_text.length);
}
