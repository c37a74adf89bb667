import type { Command } from "commander";
import type postgres from "postgres";
import { findVendor } from "../find.ts";
import { pastTime, text } from "../options.ts";

/** Which deliveries a command line means. */
export interface Selection {
  vendor?: string;
  /** Those of POST /api/leads/import. */
  imports?: boolean;
  since?: Date;
}

/** Adds the options that select deliveries. */
export function addSelection(command: Command): Command {
  return command
    .addOption(text("--vendor <slug>", "all of this vendor"))
    .option("--imports", "all of POST /api/leads/import")
    .addOption(pastTime("--since <time>", "only those received from this time on"));
}

/** Refuses a command line that does not say which deliveries are meant, or says it twice. */
export function requireSelection(
  given: string | undefined,
  { vendor, imports = false, since }: Selection,
  command: Command,
): void {
  const isOne = given !== undefined;
  if ([isOne, vendor !== undefined, imports].filter(Boolean).length !== 1) {
    command.error("give one delivery, or all of a --vendor, or all --imports");
  }
  if (isOne && since !== undefined) command.error("--since: it is for all of a --vendor");
}

/** @returns a function that makes the condition which the deliveries `d` of a selection meet */
export async function conditionOf(
  sql: postgres.Sql,
  { vendor: slug, imports, since }: Selection,
): Promise<() => postgres.PendingQuery<postgres.Row[]>> {
  const vendor = slug === undefined ? undefined : await findVendor(sql, slug);
  return () =>
    sql`
    ${
      vendor === undefined
        ? imports ? sql`d.vendor_id is null` : sql`true`
        : sql`d.vendor_id = ${vendor.id}`
    } and ${since === undefined ? sql`true` : sql`d.received_at >= ${since}`}`;
}
