import { Option } from "commander";
import type postgres from "postgres";
import { findVendorId } from "../find.ts";
import { pastTime, text } from "../options.ts";

/** Which deliveries a command line means. */
export interface Selection {
  vendor?: string;
  /** Those of POST /api/leads/import. */
  imports?: boolean;
  since?: Date;
}

export const SELECTION = [
  text("--vendor <vendor>", "all of this vendor"),
  new Option("--imports", "all of POST /api/leads/import"),
  pastTime("--since <time>", "only those received from this time on"),
];

/** Why a command line does not say which deliveries are meant, or says it twice. */
export function selectionError(given: string | undefined, { vendor, imports, since }: Selection) {
  const isOne = given !== undefined;
  if ([isOne, vendor !== undefined, imports].filter(Boolean).length !== 1) {
    return "give one delivery, or all of a --vendor, or all --imports";
  }
  return isOne && since !== undefined && "--since: it is for all of a --vendor";
}

/** The condition which the deliveries `d` of a selection meet. It is wrapped, because `await` would run it alone. */
export async function conditionOf(
  sql: postgres.Sql,
  { vendor, imports = false, since = null }: Omit<Selection, "since"> & { since?: Date | null },
): Promise<{ isMeant: postgres.Fragment }> {
  const vendorId = await findVendorId(sql, vendor);
  const isMeant = sql`
    (${vendorId}::uuid is null or d.vendor_id = ${vendorId})
    and (not ${imports}::boolean or d.vendor_id is null)
    and (${since}::timestamptz is null or d.received_at >= ${since})`;
  return { isMeant };
}
