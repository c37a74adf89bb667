import type postgres from "postgres";
import type { Refusal } from "../../supabase/functions/recruiting/webhooks/delivery.ts";
import { conditionOf, type Filters } from "../lists.ts";

/** The sentence that an operator reads for each reason. */
const MEANINGS: Record<Refusal, string> = {
  webhook_off: "the vendor is inactive, or its webhook is off",
  no_secret: "no secret of the webhook works",
  proof_missing: "the header, parameter or key with the proof is missing",
  proof_malformed: "the proof has another form: its prefix or its encoding",
  time_missing: "the signed time is missing, or is no time",
  time_in_milliseconds: "the signed time is in milliseconds: it must be in seconds",
  time_too_old: "the signed time is too old",
  time_in_future: "the signed time is in the future",
  differs: "the signature or the secret differs",
  challenge: "a GET that is not a challenge of the scheme, or has the wrong token",
};

/** A reason for which requests to a vendor's webhook got 401. */
interface RefusedProofs {
  vendor: string;
  reason: Refusal;
  meaning: string;
  requests: number;
  first_at: Date;
  last_at: Date;
}

/** Why requests to webhooks got 401, the last one first. */
export async function refusedProofs(
  sql: postgres.Sql,
  { vendor, since }: Pick<Filters, "vendor" | "since">,
): Promise<RefusedProofs[]> {
  const { isMeant } = await conditionOf(sql, { vendor });
  const rows = await sql<Omit<RefusedProofs, "meaning">[]>`
    select vendor, reason, requests::float8 as requests, first_at, last_at
    from public.refused_proof_list
    where ${isMeant} and ${since === undefined ? sql`true` : sql`last_at >= ${since}`}
    order by last_at desc, vendor, reason`;
  return rows.map(({ vendor, reason, requests, first_at, last_at }) => ({
    vendor,
    reason,
    meaning: MEANINGS[reason],
    requests,
    first_at,
    last_at,
  }));
}
