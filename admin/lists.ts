/** Lists of rows: most are a view of the database, in supabase/schemas/operators/lists.sql. */
import type postgres from "postgres";
import type { Database } from "../supabase/functions/_shared/database.types.ts";
import { formatCsv } from "./formats/csv.ts";
import { findDestination, findLead, idOf } from "./find.ts";
import type { Outcome, Session, Subject } from "./session.ts";
import { formatTable } from "./table.ts";

/** The options that say which rows are meant. */
export interface Filters {
  agency?: string;
  vendor?: string;
  /** Rows without a vendor: rejected deliveries of POST /api/leads/import. */
  imports?: boolean;
  /** Alerts that are not resolved. */
  unresolved?: boolean;
  since?: Date;
  until?: Date;
  /** The request id of a delivery. */
  request?: string;
  state?: string;
  status?: string;
  phone?: string;
  destination?: string;
  lead?: string;
  /** Keys that expire within so many days. */
  expiring?: number;
}

interface Listing {
  /** Columns to sort by, as SQL. */
  order: string;
  /** The sentence for an empty list. */
  none: string | ((given: Filters) => string);
  /** The columns that people see (default: all), or a function that returns what they see of a row. */
  shown?: string[] | ((row: postgres.Row) => object);
  /** Whether the rows contain personal data. If so, the operator who sees them is recorded. */
  isOfPersons?: boolean;
}

/** Returns the condition of filters for `where`, and their subject. Alone, the condition would be run by `await`. */
export async function conditionOf(
  sql: postgres.Sql,
  { agency, vendor, destination, lead, imports, unresolved, since, until, expiring, ...others }: Filters,
): Promise<{ isMeant: postgres.Fragment; of: Subject }> {
  const agency_id = await idOf(sql, "agency", agency);
  const vendor_id = await idOf(sql, "vendor", vendor);
  const destination_id = destination && (await findDestination(sql, destination, agency)).id;
  const lead_id = lead && (await findLead(sql, lead)).id;
  const columns = {
    agency_id,
    vendor_id,
    state: others.state === "all" ? null : others.state,
    status: others.status === "all" ? null : others.status,
    phone: others.phone,
    destination_id,
    lead_id,
    request_id: others.request,
  };
  const conditions = Object.entries(columns)
    .map(([column, value]) => value == null ? sql`true` : sql`${sql(column)} = ${value}`);
  if (imports) conditions.push(sql`vendor_id is null`);
  if (unresolved) conditions.push(sql`state <> 'resolved'`);
  if (expiring !== undefined) conditions.push(sql`days_left < ${expiring}`);
  if (since) conditions.push(sql`received_at >= ${since}`);
  if (until) conditions.push(sql`received_at < ${until}`);
  return {
    isMeant: sql`true ${conditions.map((each) => sql`and ${each}`)}`,
    of: Object.fromEntries(
      Object.entries({ agency_id, vendor_id, destination_id, lead_id }).filter(([, id]) => id != null),
    ),
  };
}

/** A verb that lists a view, or its first rows with the number of further ones. */
export function lists(view: keyof Database["public"]["Views"], { order, none, shown, isOfPersons }: Listing) {
  return async (
    { sql }: Session,
    { limit, csv, ...given }: Filters & { limit?: number; csv?: boolean },
  ): Promise<Outcome> => {
    const { isMeant, of } = await conditionOf(sql, given);
    const rows = await sql`
      select * from ${sql(view)} where ${isMeant} order by ${sql.unsafe(order)} limit ${limit ?? null}`;
    const shows = isOfPersons && rows.length > 0 ? of : undefined;
    if (csv) return { data: null, text: formatCsv(rows.columns.map(({ name }) => name), [rows]), shows };
    const { data, text } = list(rows, typeof none === "string" ? none : none(given), shown);
    if (rows.length !== limit) return { data, text, shows };
    const [{ more }] = await sql<[{ more: number }]>`
      select count(*)::int - ${limit} as more from ${sql(view)} where ${isMeant}`;
    return { data, text: more > 0 ? `${text}\n\n${more} more: see --limit` : text, shows };
  };
}

/** Rows as JSON for a script, and as a table for a person. */
export function list(
  rows: readonly postgres.Row[],
  none: string,
  shown: Listing["shown"] = (row) => row,
): Outcome & { text: string } {
  const show = typeof shown === "function"
    ? shown
    : (row: postgres.Row) => Object.fromEntries(shown.map((column) => [column, row[column]]));
  return { data: rows, text: rows.length > 0 ? formatTable(rows.map(show)) : none };
}
