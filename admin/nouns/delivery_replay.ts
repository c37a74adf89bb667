import type postgres from "postgres";
import { failure, type Result, success } from "../../supabase/functions/_shared/result.ts";
import type { Distributions } from "../../supabase/functions/recruiting/ingest/pending.ts";
import type { DistributedTo } from "../../supabase/functions/recruiting/ingest/responses.ts";
import { IS_FETCHED, readDelivery, type Reading } from "../../supabase/functions/desk/read_delivery.ts";
import { NO_CONTACT_DETAILS } from "../../supabase/functions/recruiting/parsers/meta.ts";
import { valueOf } from "../database.ts";
import { codeOf, CommandError } from "../errors.ts";
import { findDelivery, type Row } from "../find.ts";
import { conditionOf, type Filters } from "../lists.ts";
import type { Outcome, Session } from "../session.ts";
import { formatFirst } from "../table.ts";
import { deliveriesOf } from "./delivery_read.ts";
import { previewLeads } from "./lead_preview.ts";

/** The result of a delivery that could be replayed. */
interface Replayed {
  delivery_id: string;
  /** `duplicate`: its lead had come meanwhile. */
  status: "created" | "duplicate";
  lead_id: string;
  /** Null also while the lead is pending; undefined for an import and for a duplicate. */
  distributed_to?: DistributedTo | null;
}

/** The result of `replay_delivery`. */
interface Stored {
  id: string;
  status: "created" | "duplicate";
  distributed_to?: DistributedTo | null;
  distribution?: "pending";
}

/** The number of attempts to distribute a pending lead, and the pause after each in milliseconds. */
const ATTEMPTS = 50;
const PAUSE_MS = 100;

/** A delivery that could be replayed, with what was read of it; undefined where it was replayed before. */
interface Replay {
  replayed: Replayed;
  reading?: Reading;
}

/** Replays one delivery. */
export async function replayDelivery(
  session: Session,
  given: string,
  dryRun: boolean,
): Promise<Outcome> {
  const { id } = await findDelivery(session.sql, given);
  const { data, error } = await replay(session, id, dryRun);
  if (error !== null) throw new CommandError(`The delivery ${id} cannot be replayed: ${error}`);
  const { replayed } = data;
  return withPreview(
    dryRun ? [data] : [],
    { dry_run: dryRun, ...replayed },
    prefix(dryRun) + describe(replayed),
  );
}

/** Replays every open delivery of a selection, the oldest first. One that is still refused does not stop the others. */
export async function replayDeliveries(
  session: Session,
  selection: Filters,
  dryRun: boolean,
): Promise<Outcome> {
  const { sql, progress } = session;
  const { isMeant } = await conditionOf(sql, selection);
  const open = await sql<{ id: string }[]>`
    select id from public.rejected_deliveries
    where status = 'open' and ${isMeant} order by received_at, id`;
  const replays: Replay[] = [];
  const refused: { delivery_id: string; reason: string }[] = [];
  for (const [i, { id }] of open.entries()) {
    progress(`${i} of ${open.length} replayed, ${refused.length} still refused`);
    const { data, error } = await replay(session, id, dryRun);
    if (error === null) replays.push(data);
    else refused.push({ delivery_id: id, reason: error });
  }
  const replayed = replays.map(({ replayed }) => replayed);
  const created = replayed.filter(({ status }) => status === "created").length;
  const counts = { created, duplicates: replayed.length - created, refused: refused.length };
  const summary = `${prefix(dryRun)}New leads: ${created}. ` +
    `Leads that had come meanwhile: ${counts.duplicates}. Still refused, and open: ${counts.refused}.`;
  return withPreview(
    dryRun ? replays : [],
    { dry_run: dryRun, ...counts, replayed, still_refused: refused },
    refused.length > 0 ? `${formatFirst(refused)}\n\n${summary}` : summary,
  );
}

/** Adds the first leads as they would be stored. */
function withPreview(replays: Replay[], data: object, text: string): Outcome {
  const readings = replays.flatMap(({ replayed, reading }) =>
    replayed.status === "created" && reading !== undefined ? [reading] : []
  );
  if (readings.length === 0) return { data, text };
  const preview = previewLeads(readings);
  const delivery_ids = replays.map(({ replayed }) => replayed.delivery_id);
  return {
    data: { ...data, preview: preview.data },
    text: `${preview.text}\n\n${text}`,
    shows: { delivery_ids, dry_run: true },
  };
}

/** Stores the lead of a delivery; an error says why it cannot be stored, and leaves the delivery open. */
async function replay(session: Session, id: string, dryRun: boolean): Promise<Result<Replay>> {
  const { sql, act } = session;
  const [delivery] = await deliveriesOf(sql, sql`${id}`);
  if (delivery === undefined) return failure("it has been pruned");
  const [vendor] = await sql<Row<"vendors">[]>`
    select * from public.vendors where id = ${delivery.vendor_id}`;
  let reading: Reading | undefined;
  if (delivery.status === "open") {
    const { data, error } = readDelivery(delivery, vendor);
    if (error === NO_CONTACT_DETAILS && !dryRun) {
      const isFetched = await act(
        (transaction) => valueOf<boolean>(transaction`select public.refetch_lead(${id})`),
        (isFetched) => isFetched ? { delivery_ids: [id] } : null,
      );
      if (isFetched) return failure(IS_FETCHED);
    }
    if (error !== null) return failure(error);
    reading = data;
  }
  // Of one that is not open, the database returns the first result again.
  const lead = (reading?.lead ?? {}) as postgres.JSONValue;
  try {
    let stored = await act(
      (transaction) => valueOf<Stored>(transaction`select public.replay_delivery(${id}, ${transaction.json(lead)})`),
      ({ id: lead_id }) => ({ delivery_ids: [id], lead_ids: [lead_id] }),
      dryRun,
    );
    if (stored.distribution === "pending" && !dryRun) stored = await waitForDistribution(session, stored);
    const { id: lead_id, status, distributed_to } = stored;
    return success({ replayed: { delivery_id: id, status, lead_id, distributed_to }, reading });
  } catch (error) {
    return failure(explainRefusal(error));
  }
}

/** Waits until a pending lead has been distributed, by this call or by another transaction. */
async function waitForDistribution({ goOn }: Session, stored: Stored): Promise<Stored> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { leads } = await goOn((transaction) =>
      valueOf<Distributions>(transaction`select public.distribute_pending_leads(array[${stored.id}::uuid])`)
    );
    const { distribution, distributed_to } = leads[stored.id]!;
    if (distribution !== "pending") return { ...stored, distributed_to };
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return stored;
}

/**
 * The reason for which the database refused a delivery.
 *
 * @throws the error itself, when it is not about the delivery
 */
function explainRefusal(error: unknown): string {
  const code = codeOf(error);
  if (!(error instanceof Error) || error.name !== "PostgresError") throw error;
  if (code.startsWith("PT")) return error.message;
  if (code === "55P03") return "others have locked it; try again in a moment";
  // Data exceptions and violated constraints.
  if (/^2[23]/.test(code)) return `the database refuses it: ${error.message} (${code})`;
  throw error;
}

function prefix(dryRun: boolean): string {
  return dryRun ? "Dry run, nothing was changed. " : "";
}

function describe({ status, lead_id, distributed_to: to }: Replayed): string {
  if (status === "duplicate") return `Its lead had come meanwhile: ${lead_id}`;
  const stored = `Stored as the lead ${lead_id}`;
  if (to === undefined) return stored;
  if (to === null) return `${stored}, which no order wants now`;
  const agent = to.agent_id ? `, agent ${to.agent_id}` : "";
  return `${stored}, distributed to the agency ${to.agency_id}${agent}`;
}
