import * as z from "zod";
import type { RequestContext } from "../_shared/app.ts";
import {
  callDatabase,
  type CallOptions,
  databaseError,
  isCausedByInput,
  isRefused,
  serviceClient,
} from "../_shared/database.ts";
import { ApiError } from "../_shared/errors.ts";
import type { Json } from "../_shared/json.ts";
import { readJson } from "../_shared/body/json.ts";
import type { Replayed, ReplayResult } from "../_shared/replay_result.ts";
import { KIB } from "../_shared/units.ts";
import { must, requireValidBody, uuid } from "../_shared/validate.ts";
import { NO_CONTACT_DETAILS } from "../recruiting/parsers/meta.ts";
import { waitForDistribution } from "../recruiting/ingest/pending.ts";
import type { StoredLead } from "../recruiting/ingest/responses.ts";
import { configText, readConfig } from "./mapping_text.ts";
import { beginAction, requireOperator } from "./operator.ts";
import { IS_FETCHED, type ParserOf, readDelivery, type Reading, type RejectedDelivery } from "./read_delivery.ts";

const BODY_LIMIT = 64 * KIB;
const MOST = 100;

/** After this time, no further delivery is replayed. The platform ends a request after 150 s. */
const BEGIN_WITHIN_MS = 60_000;
/** A replay may run twice. A lock is reported, so that it does not delay the others. */
const RETRY: CallOptions = { retryWithin: 9_000, canSplit: true };

const TIMEOUT_MS = 9_000;
const DELIVERY = "route, row, status, payload_json:payload::text, vendor:vendors(slug, parser, parser_config)";

type StoredDelivery = RejectedDelivery & { status: string; vendor: ParserOf | null };

const replayRequest = z.object({
  delivery_ids: z.array(uuid, { error: must("be an array") })
    .min(1, { error: "is empty" }).max(MOST, { error: `must have at most ${MOST}` }),
  dry_run: z.boolean({ error: must("be true or false") }),
  parser_config: configText.optional(),
}, { error: must("be a JSON object") }).refine(
  ({ dry_run, parser_config }) => dry_run || parser_config === undefined,
  { path: ["parser_config"], error: "is for a dry run alone" },
);

/**
 * POST /desk/deliveries/replay: stores the leads of rejected deliveries, read by the vendors' current parsers, or
 * returns what would happen to them; a dry run may read them by a mapping that is not saved, `parser_config`. Each is
 * replayed individually.
 */
export async function replayDeliveries({ request, body: incoming, log }: RequestContext): Promise<Response> {
  await requireOperator(request);
  const { body } = await readJson(incoming, BODY_LIMIT);
  const { delivery_ids, dry_run, parser_config } = requireValidBody(replayRequest, body);
  const mapping = parser_config === undefined ? undefined : readConfig(parser_config);
  await beginAction(request, "delivery replay", { delivery_ids, ...(dry_run && { dry_run }) });

  const results: ReplayResult["results"] = [];
  const begunAt = Date.now();
  for (const delivery_id of delivery_ids) {
    results.push(
      Date.now() - begunAt > BEGIN_WITHIN_MS
        ? { delivery_id, status: "not_tried" }
        : await replay(delivery_id, dry_run, mapping),
    );
  }

  Object.assign(log, { results: results.length, dry_run });
  const result: ReplayResult = { dry_run, results };
  return Response.json(result);
}

/** @param mapping what reads a delivery of a vendor that has a mapping; undefined: the saved one */
async function replay(delivery_id: string, dryRun: boolean, mapping?: Json): Promise<Replayed> {
  const delivery = await findDelivery(delivery_id);
  if (delivery === undefined) return { delivery_id, status: "refused", reason: "there is no such delivery" };

  // For a delivery that is not open, the database returns the first result again.
  let reading: Reading | null = null;
  if (delivery.status === "open") {
    const vendor = mapping !== undefined && delivery.vendor?.parser === "mapping"
      ? { ...delivery.vendor, parser_config: mapping }
      : delivery.vendor ?? undefined;
    const { data, error: reason } = readDelivery(delivery, vendor);
    if (reason === NO_CONTACT_DETAILS && !dryRun && await callDatabase("refetch_lead", { delivery_id }, RETRY)) {
      return { delivery_id, status: "refused", reason: IS_FETCHED };
    }
    if (reason !== null) return { delivery_id, status: "refused", reason };
    reading = data;
  }
  const lead = dryRun && reading !== null ? { lead: { ...reading.lead } } : {};
  const before = delivery.status === "replayed" ? { was_replayed: true as const } : {};

  try {
    const stored: StoredLead = await callDatabase(
      dryRun ? "preview_replay" : "replay_delivery",
      { delivery_id, lead: reading?.lead ?? {} },
      RETRY,
    );
    const { id: lead_id, status } = stored;
    if (stored.status === "duplicate") return { delivery_id, status, lead_id, ...before, ...lead };
    const isPending = stored.distribution === "pending";
    const distributed_to = !isPending
      ? stored.distributed_to
      : dryRun
      ? undefined
      : (await waitForDistribution(lead_id)).distributed_to;
    return { delivery_id, status, lead_id, distributed_to, ...before, ...lead };
  } catch (error) {
    return { delivery_id, status: "refused", reason: reasonOf(error), ...lead };
  }
}

async function findDelivery(id: string): Promise<StoredDelivery | undefined> {
  const { data, error, status } = await serviceClient().from("rejected_deliveries").select(DELIVERY).eq("id", id)
    .abortSignal(AbortSignal.timeout(TIMEOUT_MS));
  if (error !== null) throw databaseError(error.code || `HTTP ${status}`, error.message);
  return (data as unknown as StoredDelivery[])[0];
}

/** Returns why a delivery is unchanged. Any other error ends the request, which may be repeated. */
function reasonOf(error: unknown): string {
  if (error instanceof ApiError && error.code !== "INTERNAL_ERROR") return error.message;
  if (isRefused(error)) return "the database refuses it";
  if (isCausedByInput(error)) return "others have locked it; try again in a moment";
  throw error;
}
