import * as z from "zod";
import type { AppContext } from "../_shared/app.ts";
import { MIB, readJson } from "../_shared/body.ts";
import { ApiError } from "../_shared/errors.ts";
import { isObject, type Json } from "../_shared/json.ts";
import { matchesSecret, secretsFromEnv } from "../_shared/secrets.ts";
import { must, readBody, uuid } from "../_shared/validate.ts";
import { type Outcome, type Row, storeLeads, type Target } from "./import_chunks.ts";
import { readImportedLead } from "./imported_lead.ts";

const BODY_LIMIT = 10 * MIB;
const ROW_LIMIT = 10_000;

/** The request's envelope. */
export const importSchema = z.object({
  agency_id: uuid,
  agent_id: uuid,
  distribution_id: uuid.nullable().default(null),
  leads: z.array(z.custom<Json>(), { error: must("be an array") }),
}, { error: must("be a JSON object") });

/** POST /api/leads/import (SPEC 4.3): sales leads for one agent; each is imported, or reported, by itself. */
export async function importLeads(c: AppContext): Promise<Response> {
  if (!matchesSecret(c.req.header("x-api-key") ?? "", secretsFromEnv("LEADS_IMPORT_API_KEY"))) {
    throw new ApiError("UNAUTHORIZED", "send a valid API key as `x-api-key: <API_KEY>`");
  }
  const { leads, ...target } = readBody(importSchema, await readJson(c.req.raw, BODY_LIMIT));
  if (leads.length > ROW_LIMIT) {
    throw new ApiError("PAYLOAD_TOO_LARGE", `leads holds more than ${ROW_LIMIT} leads`);
  }

  const lead_ids: string[] = [];
  const errors: object[] = [];
  const outcomes = await importAll(target, leads, c.get("requestId"));
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.code === undefined) lead_ids.push(outcome.lead_id);
    else errors.push({ index, external_id: givenId(leads[index]), ...outcome });
  }
  const counts = { imported: lead_ids.length, failed: errors.length };
  Object.assign(c.get("log"), counts);
  return c.json({ success: true, ...counts, errors, lead_ids });
}

/** Imports what can be imported; what became of each lead is told in the request's order. */
async function importAll(target: Target, leads: Json[], requestId: string): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const firsts = new Map<string, number>();
  const repeats: { index: number; first: number }[] = [];

  /** The leads to store; what becomes of the others is noted in passing. */
  function* rows(): Generator<Row> {
    for (const [index, item] of leads.entries()) {
      const { lead, reason } = readImportedLead(item);
      if (lead === undefined) {
        outcomes[index] = { code: "INVALID", reason };
        continue;
      }
      const first = firsts.get(lead.external_id);
      if (first !== undefined) {
        repeats.push({ index, first });
        continue;
      }
      firsts.set(lead.external_id, index);
      yield { index, ...lead };
    }
  }

  const stored = await storeLeads(target, rows(), requestId);
  for (const [index, outcome] of stored) outcomes[index] = outcome;

  for (const { index, first } of repeats) {
    const { lead_id } = outcomes[first] as Outcome;
    const reason = `lead ${first} of this request has the same external_id`;
    outcomes[index] = lead_id === undefined
      ? { code: "DATABASE_ERROR", reason: `${reason} and could not be stored` }
      : { code: "DUPLICATE", reason, lead_id };
  }
  return outcomes;
}

function givenId(item: Json | undefined): string | number | null {
  const id = isObject(item) ? item.external_id : null;
  return typeof id === "string" || typeof id === "number" ? id : null;
}
