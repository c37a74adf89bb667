import * as z from "zod";
import type { RequestContext } from "../_shared/app.ts";
import { readJson } from "../_shared/body/json.ts";
import { callDatabase } from "../_shared/database.ts";
import { BATCH_BOUNDS, type Json, parseJson } from "../_shared/json.ts";
import type { FoundField, MappingPreview, SavedMapping } from "../_shared/mapping_result.ts";
import { must, requireValidBody, uuid } from "../_shared/validate.ts";
import { findFields } from "../recruiting/parsers/mapping.ts";
import { compileConfig } from "../recruiting/parsers/mapping_config.ts";
import { beginAction, readSample, requireOperator, type Sample } from "./operator.ts";
import { BODY_LIMIT, configText, readConfig } from "./mapping_text.ts";
import { type ParserOf, readDelivery } from "./read_delivery.ts";
import { leftoversParser, readLeftovers } from "./read_leftovers.ts";

/** So many characters of a value that is found are shown. */
const SHOWN = 200;

const aBody = { error: must("be a JSON object") };
const previewRequest = z.object({ action_id: uuid, parser_config: configText }, aBody);
const saveRequest = z.object(
  { vendor_id: uuid, parser_config: configText, seen: z.string({ error: must("be a text") }).max(64) },
  aBody,
);

/**
 * POST /desk/mappings/preview: applies an edited mapping to a payload that the operator has opened. Stores nothing;
 * opening the payload was recorded before, once.
 */
export async function previewMapping({ request, body: incoming }: RequestContext): Promise<Response> {
  await requireOperator(request);
  const { body } = await readJson(incoming, BODY_LIMIT);
  const { action_id, parser_config } = requireValidBody(previewRequest, body);
  const config = readConfig(parser_config);
  return Response.json(readBy(config, await readSample(request, action_id)));
}

/** POST /desk/mappings: saves an edited mapping, unless another one has been saved since it was `seen`. */
export async function saveMapping({ request, body: incoming }: RequestContext): Promise<Response> {
  await requireOperator(request);
  const { body } = await readJson(incoming, BODY_LIMIT);
  const { vendor_id, parser_config, seen } = requireValidBody(saveRequest, body);
  const config = readConfig(parser_config);
  await beginAction(request, "mapping save", { vendor_id });
  const version: string = await callDatabase(
    "save_mapping",
    { vendor_id, parser_config: config, seen },
    { retryWithin: 9_000 },
  );
  const saved: SavedMapping = { vendor_id, version };
  return Response.json(saved);
}

function readBy(parser_config: Json, sample: Sample): MappingPreview {
  const vendor: ParserOf = { slug: "", parser: "mapping", parser_config };
  if (sample.kind === "lead") {
    const { first_name, vendor_lead_id, metadata: metadata_json } = sample;
    const { reading } = readLeftovers({ first_name, vendor_lead_id, metadata_json }, leftoversParser(vendor));
    return { status: "read", lead: { ...reading.lead } };
  }
  const { route, row, payload: payload_json } = sample;
  const { data, error: reason } = readDelivery({ route, row, payload_json }, vendor);
  const found = foundIn(payload_json, parser_config);
  return reason === null ? { status: "read", lead: { ...data.lead }, found } : { status: "refused", reason, found };
}

function foundIn(payload_json: string, config: Json): FoundField[] {
  const { data: compiled } = compileConfig(config);
  const { fields } = config as { fields: Record<string, Json> };
  return findFields(parseJson(payload_json, BATCH_BOUNDS), compiled!).map(([field, value]) => ({
    field,
    path: [fields[field]].flat().map((step) => typeof step === "string" ? step : JSON.stringify(step)).join(" || "),
    value: value === undefined ? null : (typeof value === "string" ? value : JSON.stringify(value)).slice(0, SHOWN),
  }));
}
