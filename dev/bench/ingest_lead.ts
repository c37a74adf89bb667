import type postgres from "postgres";
import type { Vendor } from "./agency.ts";
import { backendCpu } from "./cpu.ts";
import { parsedRecruit } from "./leads.ts";

/** A lead as the function sends it to the database. */
export interface SentLead {
  key_hash: string | null;
  lead: postgres.JSONValue;
  idempotency?: postgres.JSONValue;
  webhook?: postgres.JSONValue;
}

/** Stores a lead by a call of its own. */
export type IngestLead = (sent: SentLead) => PromiseLike<unknown>;

const LEADS = 100;
const WARM_UP = 10;

/** Stores leads by `ingest_recruiting_leads`, each by a call of its own. */
export function ingestLead(sql: postgres.Sql): IngestLead {
  return ({ key_hash, lead, idempotency = null, webhook = null }) =>
    sql`select ingest_recruiting_leads(${sql.json([{ key_hash, lead, idempotency, webhook }])})`;
}

/**
 * Stores new leads of the vendor, one after another.
 *
 * @returns how many, and the seconds of CPU that the server process spent on each but the first ones
 */
export async function costOfLead(
  sql: postgres.Sql,
  { keyHash }: Vendor,
): Promise<{ leads: number; cost: number }> {
  const ingest = ingestLead(sql);
  const send = async (count: number) => {
    for (let i = 0; i < count; i++) {
      const lead = parsedRecruit(crypto.randomUUID());
      const answer = JSON.stringify(await ingest({ key_hash: keyHash, lead }));
      if (!answer.includes('"created"')) throw new Error(`not stored: ${answer}`);
    }
  };
  await send(WARM_UP);
  const cpu = await backendCpu(sql);
  const before = cpu();
  await send(LEADS);
  return { leads: WARM_UP + LEADS, cost: (cpu() - before) / LEADS };
}
