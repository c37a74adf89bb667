import type postgres from "postgres";
import { parseJson } from "../../supabase/functions/_shared/json.ts";
import { failure, type Result, success } from "../../supabase/functions/_shared/result.ts";
import { type ImportedLead, readImportedLead } from "../../supabase/functions/api/imported_lead.ts";
import {
  type Lead,
  readLead,
  skipResume,
} from "../../supabase/functions/recruiting/ingest/lead.ts";
import type { Distributions } from "../../supabase/functions/recruiting/ingest/pending_leads.ts";
import type { DistributedTo } from "../../supabase/functions/recruiting/ingest/responses.ts";
import { parserNamed, partParser } from "../../supabase/functions/recruiting/parsers/index.ts";
import { codeOf, CommandError } from "../errors.ts";
import { findDelivery, type Row } from "../find.ts";
import type { Outcome, Session } from "../session.ts";
import { formatTable } from "../table.ts";
import { dryRunnable } from "../transaction.ts";
import { conditionOf, type Selection } from "./delivery_selection.ts";

/** What came of a delivery that could be replayed. */
interface Replayed {
  delivery_id: string;
  /** `duplicate`: its lead had come meanwhile. */
  status: "created" | "duplicate";
  lead_id: string;
  /** Null also while the lead is pending; undefined for an import and for a duplicate. */
  distributed_to?: DistributedTo | null;
}

/** What `replay_delivery` returns. */
interface Stored {
  id: string;
  status: "created" | "duplicate";
  distributed_to?: DistributedTo | null;
  distribution?: "pending";
}

const FAILURES_SHOWN = 50;

/** How often a lead that others are handing out is asked about again, and the pause before, in milliseconds. */
const ATTEMPTS = 50;
const PAUSE_MS = 100;

/** Replays one delivery. */
export async function replayDelivery(
  { sql }: Session,
  given: string,
  dryRun: boolean,
): Promise<Outcome> {
  const { id } = await findDelivery(sql, given);
  const { data: replayed, error } = await replay(sql, id, dryRun);
  if (error !== null) throw new CommandError(`The delivery ${id} cannot be replayed: ${error}`);
  return { data: { dry_run: dryRun, ...replayed }, text: prefix(dryRun) + describe(replayed) };
}

/** Replays every open delivery of a selection, the oldest first. One that is still refused does not stop the others. */
export async function replayDeliveries(
  { sql, progress }: Session,
  selection: Selection,
  dryRun: boolean,
): Promise<Outcome> {
  const { isMeant } = await conditionOf(sql, selection);
  const open = await sql<{ id: string }[]>`
    select d.id from public.rejected_deliveries d
    where d.status = 'open' and ${isMeant}
    order by d.received_at, d.id`;
  const replayed: Replayed[] = [];
  const refused: { delivery_id: string; reason: string }[] = [];
  for (const [i, { id }] of open.entries()) {
    progress(`${i} of ${open.length} replayed, ${refused.length} still refused`);
    const { data, error } = await replay(sql, id, dryRun);
    if (error === null) replayed.push(data);
    else refused.push({ delivery_id: id, reason: error });
  }
  const created = replayed.filter(({ status }) => status === "created").length;
  const counts = { created, duplicates: replayed.length - created, refused: refused.length };
  const summary = `${prefix(dryRun)}New leads: ${created}. ` +
    `Leads that had come meanwhile: ${counts.duplicates}. Still refused, and open: ${counts.refused}.`;
  const more = refused.length - FAILURES_SHOWN;
  const failures = formatTable(refused.slice(0, FAILURES_SHOWN)) +
    (more > 0 ? `\n${more} more` : "");
  return {
    data: { dry_run: dryRun, ...counts, replayed, still_refused: refused },
    text: refused.length > 0 ? `${failures}\n\n${summary}` : summary,
  };
}

/** Stores the lead of a delivery; an error says why it cannot be stored, and leaves the delivery open. */
async function replay(sql: postgres.Sql, id: string, dryRun: boolean): Promise<Result<Replayed>> {
  const { data: lead, error } = await readDelivery(sql, id);
  if (error !== null) return failure(error);
  try {
    let stored = await dryRunnable(sql, dryRun, async (transaction) => {
      const [{ result }] = await transaction<[{ result: Stored }]>`
        select public.replay_delivery(${id}, ${
        transaction.json(lead as postgres.JSONValue)
      }) as result`;
      return result;
    });
    if (stored.distribution === "pending" && !dryRun) stored = await handOut(sql, stored);
    const { id: lead_id, status, distributed_to } = stored;
    return success({ delivery_id: id, status, lead_id, distributed_to });
  } catch (error) {
    return failure(explainRefusal(error));
  }
}

/** What replay_delivery() takes: the lead of a delivery as the vendor's present parser reads it. */
async function readDelivery(
  sql: postgres.Sql,
  id: string,
): Promise<Result<Lead | ImportedLead | object>> {
  const [delivery] = await sql<(Row<"rejected_deliveries"> & { payload_json: string | null })[]>`
    select d.*, d.payload::text as payload_json
    from public.rejected_deliveries d where d.id = ${id}`;
  if (delivery === undefined) return failure("it has been pruned");
  const { status, route, row, vendor_id, payload_json } = delivery;
  // The database returns the first result again.
  if (status !== "open") return success({});
  if (payload_json === null) {
    return failure("only the beginning of what was sent is kept, so it must be sent again");
  }
  const isBatch = vendor_id === null || route.endsWith("/bulk") || payload_json.startsWith("[");
  if (isBatch && row === null) {
    return failure("it is a whole request of several leads, which must be sent again");
  }
  // Keeps numbers exact that JavaScript cannot hold.
  const payload = parseJson(payload_json);
  if (vendor_id === null) return readImportedLead(payload);

  const [vendor] = await sql<[Row<"vendors">]>`
    select * from public.vendors where id = ${vendor_id}`;
  const isPart = row !== null && route.startsWith("/recruiting/webhooks/");
  const parse = (isPart ? partParser : parserNamed)(vendor.parser ?? "");
  if (parse === undefined) return failure(`the vendor ${vendor.slug} has no parser`);
  const { data, error } = readLead((given) => parse(given, vendor.parser_config), payload);
  if (error !== null) return failure(error);
  const { lead, resume } = data;
  return success(resume === undefined ? lead : skipResume(lead, "replay"));
}

/** Waits until a lead has been handed out that other transactions were handing leads out before. */
async function handOut(sql: postgres.Sql, stored: Stored): Promise<Stored> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const [{ result }] = await sql<[{ result: Distributions }]>`
      select public.distribute_pending_leads(array[${stored.id}::uuid]) as result`;
    const { distribution, distributed_to } = result.leads[stored.id]!;
    if (distribution !== "pending") return { ...stored, distributed_to };
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return stored;
}

/** @throws the error itself, when it is not about the delivery but about the database */
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
  return `${stored}, handed out to the agency ${to.agency_id}${agent}`;
}
