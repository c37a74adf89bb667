import * as z from "zod";
import { BATCH_CALL, batchIdempotency } from "../_shared/batch.ts";
import { callDatabase } from "../_shared/database.ts";
import type { ApiError } from "../_shared/errors.ts";
import type { Idempotency } from "../_shared/body/json.ts";
import { describeError, logError } from "../_shared/log.ts";
import { failure, type Result, success } from "../_shared/result.ts";
import { SEMAPHORES } from "../_shared/semaphores.ts";
import { count, id } from "../_shared/validate.ts";
import type { ImportedLead } from "./imported_lead.ts";

/**
 * The number of leads in one call of `import_leads`: a third of the request's leads, within these bounds. Concurrent
 * calls are faster than one call with all leads, because a chunk is parsed while the database stores another. Each
 * statement also stays far below its timeout. A small chunk is sent sooner; a large one costs the database a tenth
 * less.
 */
const CHUNK_SIZE = { least: 350, most: 1_000 };

/** The agent who receives the leads, and their distribution. */
export interface Target {
  agency_id: string;
  agent_id: string;
  distribution_id: string | null;
}

/** A valid lead with its index in the request. */
export type Row = ImportedLead & { index: number };

/** Why a lead was not imported. */
export const leadError = z.strictObject({
  index: count.describe("Zero-based index into `leads`."),
  external_id: z.union([z.string(), z.number()]).nullable().describe("As sent."),
  code: z.enum(["INVALID", "DUPLICATE", "DATABASE_ERROR"]),
  reason: z.string(),
  lead_id: id.optional().describe("The lead stored before, for a duplicate."),
}).meta({ id: "LeadError" });

type LeadError = Omit<z.infer<typeof leadError>, "index" | "external_id">;

/** The id of an imported lead, or why it was not imported. */
export type Outcome = Result<string, LeadError>;

const ALREADY_STORED = "the agency has a lead with this external_id";

/** The outcome of a lead if the database does not return one, as in a chunk that failed as a whole. */
const UNKNOWN = failure<LeadError>({
  code: "DATABASE_ERROR",
  reason: "the lead may not have been stored; send it again",
});

/**
 * Stores leads in chunks. If only some chunks fail, their leads are reported individually, because the caller needs the
 * outcomes of the others. Leads that were stored nevertheless are duplicates when they are sent again.
 *
 * @param count the number of leads in the request, including invalid ones
 * @param rows leads with distinct external_ids. They are consumed lazily, so that a chunk is parsed while the database
 * stores earlier ones, which saves a fifth of the time for 10,000 leads. Without rows, the database still checks the
 * agency and the agent.
 * @param idempotency of the request. Each chunk is a part of it and has its own stored result; the same body has the
 * same chunks.
 * @param requestId for the log
 * @returns the outcome of each lead, by its index
 * @throws ApiError BAD_REQUEST for an unknown agency or agent, unless a chunk was stored before; INTERNAL_ERROR if every
 * chunk failed.
 */
export async function storeLeads(
  target: Target,
  count: number,
  rows: Iterable<Row>,
  idempotency: Idempotency | null,
  requestId: string,
): Promise<Map<number, Outcome>> {
  const { least, most } = CHUNK_SIZE;
  const chunkSize = Math.min(Math.max(Math.ceil(count / 3), least), most);
  const calls: Promise<StoredChunk>[] = [];
  for (const leads of split(rows, chunkSize)) {
    const part = calls.length;
    calls.push(storeChunk(target, leads, batchIdempotency(idempotency, part)));
    // The call is sent on the event loop's next turn. Without this wait, it would be sent after all chunks are parsed.
    await new Promise((resolve) => setTimeout(resolve));
  }
  const chunks = await Promise.all(calls);
  reportFailedChunks(chunks, requestId);
  return outcomesOf(chunks);
}

/** The result of `import_leads`. The id of a duplicate is that of the stored lead. */
interface Imported {
  imported: { index: number; id: string }[];
  duplicates: { index: number; id: string }[];
  failed: { index: number; reason: string }[];
}

/** A chunk, and the result of `import_leads` for it. */
type StoredChunk = { leads: Row[] } & Result<Imported, ApiError>;

/** Stores a chunk. Never rejects, because nothing awaits the call while later chunks are parsed. */
async function storeChunk(
  target: Target,
  leads: Row[],
  idempotency: Idempotency,
): Promise<StoredChunk> {
  const args = { ...target, leads, idempotency };
  const call: Promise<Imported> = SEMAPHORES.batchCalls.run(() => callDatabase("import_leads", args, BATCH_CALL));
  return { leads, ...await call.then(success, failure<ApiError>) };
}

/** Logs failed chunks; throws if the whole request has failed. */
function reportFailedChunks(chunks: StoredChunk[], requestId: string): void {
  const errors = chunks.map(({ error }) => error).filter((error) => error !== null);
  const isNothingStored = errors.length === chunks.length;
  // An agent may be deactivated between two chunks. A refusal of the whole request would hide what is stored.
  const refused = errors.find(({ code }) => code === "BAD_REQUEST" ? isNothingStored : code !== "INTERNAL_ERROR");
  if (refused !== undefined) throw refused;
  if (isNothingStored) throw errors[0];
  for (const { cause } of errors) {
    logError({ request_id: requestId, event: "import_chunk_failed", ...describeError(cause) });
  }
}

function outcomesOf(chunks: StoredChunk[]): Map<number, Outcome> {
  const outcomes = new Map<number, Outcome>();
  for (const { leads, data } of chunks) {
    for (const { index } of leads) outcomes.set(index, UNKNOWN);
    for (const { index, id } of data?.imported ?? []) outcomes.set(index, success(id));
    for (const { index, id } of data?.duplicates ?? []) {
      outcomes.set(index, failure({ code: "DUPLICATE", reason: ALREADY_STORED, lead_id: id }));
    }
    for (const { index, reason } of data?.failed ?? []) {
      outcomes.set(index, failure({ code: "DATABASE_ERROR", reason }));
    }
  }
  return outcomes;
}

/** Splits the rows into chunks; one empty chunk if there are no rows. */
function* split(rows: Iterable<Row>, size: number): Generator<Row[]> {
  let chunk: Row[] = [];
  let isFirst = true;
  for (const row of rows) {
    chunk.push(row);
    if (chunk.length < size) continue;
    yield chunk;
    isFirst = false;
    chunk = [];
  }
  if (isFirst || chunk.length > 0) yield chunk;
}
