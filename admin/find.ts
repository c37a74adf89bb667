/** Finds the rows that a command line names. */
import type postgres from "postgres";
import type { Database, Json as DatabaseJson, Tables } from "../supabase/functions/_shared/database.types.ts";
import type { Json } from "../supabase/functions/_shared/json.ts";
import { CommandError } from "./errors.ts";
import { mostSimilar } from "./lookup.ts";

/** A row of a table of the schema `public`, with its times as dates. */
export type Row<Table extends keyof Database["public"]["Tables"]> = {
  [Column in keyof Tables<Table>]: Column extends `${string}_at` ? Date | Extract<Tables<Table>[Column], null>
    : NonNullable<DatabaseJson> extends Tables<Table>[Column] ? Json
    : Tables<Table>[Column];
};

/** A lead of either kind. */
export interface LeadRow {
  id: string;
  kind: "recruiting" | "sales";
  name: string;
}

/** A row of the list of destinations. */
export interface DestinationRow {
  id: string;
  name: string;
  /** Null: the destination of the operators, to which alerts go. */
  agency_id: string | null;
  /** The agency's name, or `operators`. */
  agency: string;
  is_on: boolean;
  waiting: number;
  /** Orders lists of the desk. */
  place: string;
}

/** The tables of the named nouns. */
export const TABLES = {
  agency: "agencies",
  agent: "agents",
  vendor: "vendors",
  order: "recruiting_orders",
};

/** Finds a vendor by its slug, its name, or the beginning of either. */
export const findVendor = (sql: postgres.Sql, name: string) => findNamed<Row<"vendors">>(sql, "vendor", name);

/** Finds an agency by its name or its id, or the beginning of either: as of every id, its first 8 characters at least. */
export const findAgency = (sql: postgres.Sql, name: string) => findNamed<Row<"agencies">>(sql, "agency", name);

/** The id of the row that an option names; null if the option was omitted. */
export async function idOf(
  sql: postgres.Sql,
  noun: keyof typeof TABLES,
  name?: string,
): Promise<string | null> {
  return name === undefined ? null : (await findNamed<{ id: string }>(sql, noun, name)).id;
}

/** Finds an agent by name, e-mail address, id, or the beginning of one: among all, or among an agency's. */
export const findAgent = (sql: postgres.Sql, name: string, agency?: Row<"agencies">) =>
  findNamed<Row<"agents">>(sql, "agent", name, agency);

/** Finds an order by its id or the first 8 characters of it, or more. */
export const findOrder = (sql: postgres.Sql, name: string) => findNamed<Row<"recruiting_orders">>(sql, "order", name);

/**
 * The row with this name or id, in upper or lower case; else the only one whose name or id begins with it.
 *
 * @param agency restricts the search to this agency
 * @throws {CommandError} when none or several are meant
 */
async function findNamed<Found>(
  sql: postgres.Sql,
  noun: keyof typeof TABLES,
  name: string,
  agency?: Row<"agencies">,
): Promise<Found> {
  const given = name.trim();
  const found = await sql<{ id: string; name: string | null }[]>`
    select * from public.find_named(${noun}, ${given}, ${agency?.id ?? null})`;
  if (found.length === 0) {
    const [{ known }] = await sql<[{ known: string[] }]>`
      select array(
        select distinct n from private.named r, unnest(r.names) n
        where r.noun = ${noun} and (${agency === undefined} or r.agency_id = ${agency?.id ?? null})
        limit 1000
      ) as known`;
    throw notFound(noun, name, {
      meant: mostSimilar(given, known),
      ...(agency && { of: ` of "${agency.name}"`, list: `agent list --agency ${agency.id}` }),
    });
  }
  const { id } = requireOne(found, noun, name, ({ name }) => name);
  const [row] = await sql`select * from ${sql(TABLES[noun])} where id = ${id}`;
  return row as Found;
}

/** Finds a lead of either kind by the sender's own id, else by its id or the first 8 characters of it. */
export async function findLead(sql: postgres.Sql, name: string): Promise<LeadRow> {
  const leads = await sql<LeadRow[]>`select * from public.find_lead(${name})`;
  return requireOne(leads, "lead", name, (lead) => lead.name, "lead find");
}

/** Finds a row of a table or a view by its id or the first 8 characters of it, or more; see {@link requireOne}. */
export async function findById<Found extends { id: string }>(
  sql: postgres.Sql,
  noun: string,
  table: string,
  name: string,
  describe: (row: Found) => string | null,
): Promise<Found> {
  const rows = await sql<Found[]>`
    select t.* from private.id_range(${name}) r join ${sql(table)} t on t.id between r.first_id and r.last_id`;
  return requireOne(rows, noun, name, describe);
}

/** Finds a rejected delivery by its id or the first 8 characters of it, or more. */
export const findDelivery = (sql: postgres.Sql, name: string) =>
  findById<Row<"rejected_deliveries">>(sql, "delivery", "rejected_deliveries", name, ({ reason }) => reason);

/** Finds a destination by its name or its id, or the first 8 characters of it: among all, or among an agency's. */
export async function findDestination(sql: postgres.Sql, name: string, agency?: string): Promise<DestinationRow> {
  const agencyId = await idOf(sql, "agency", agency);
  const rows = await sql<DestinationRow[]>`
    select d.* from public.destination_list d
    where (d.name = lower(${name}) or d.id in (
      select o.id from private.id_range(${name}) r
      join public.destinations o on o.id between r.first_id and r.last_id
    )) and (${agencyId}::uuid is null or d.agency_id = ${agencyId})`;
  return requireOne(rows, "destination", name, (destination) => destination.agency);
}

/**
 * The row that a name identifies.
 *
 * @param describe distinguishes rows of the same name
 * @param list the command that lists the rows
 * @throws {CommandError} when none or several are meant
 */
export function requireOne<Found extends { id: string }>(
  rows: readonly Found[],
  noun: string,
  name: string,
  describe: (row: Found) => string | null | undefined,
  list?: string,
): Found {
  const [row, other] = name.trim() === "" ? [] : rows;
  if (row === undefined) throw notFound(noun, name, { list });
  if (other !== undefined) {
    const matches = rows.slice(0, 5)
      .map((match) => [match.id, describe(match)].filter(Boolean))
      .map(([id, what]) => what === undefined ? id : `${id} (${what})`).join(", ");
    const more = rows.length > 5 ? ` and ${rows.length - 5} more` : "";
    throw new CommandError(`"${name}" stands for several: ${matches}${more}`);
  }
  return row;
}

function notFound(
  noun: string,
  name: string,
  { meant, of = "", list = `${noun} list` }: { meant?: string; of?: string; list?: string },
): CommandError {
  const isShortId = /^[0-9a-f-]{1,7}$/i.test(name.trim());
  const suggestion = meant !== undefined
    ? ` Did you mean ${meant}?`
    : isShortId
    ? " Of an id, give the first 8 characters at least."
    : "";
  return new CommandError(
    `There is no ${noun} "${name}"${of}.${suggestion} See npm run admin -- ${list}`,
  );
}
