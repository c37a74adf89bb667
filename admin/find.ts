/** Rows that a command line names, by something that a person has at hand. */
import type postgres from "postgres";
import type {
  Database,
  Json as DatabaseJson,
  Tables,
} from "../supabase/functions/_shared/database.types.ts";
import type { Json } from "../supabase/functions/_shared/json.ts";
import { CommandError } from "./errors.ts";
import { mostSimilar } from "./lookup.ts";

/** A row of a table of the schema `public`, with its times as dates. */
export type Row<Table extends keyof Database["public"]["Tables"]> = {
  [Column in keyof Tables<Table>]: Column extends `${string}_at`
    ? Date | Extract<Tables<Table>[Column], null>
    : NonNullable<DatabaseJson> extends Tables<Table>[Column] ? Json
    : Tables<Table>[Column];
};

/** A lead of either kind. */
export interface LeadRow {
  id: string;
  kind: "recruiting" | "sales";
  name: string;
}

/** Queries for all rows of what has names, each with its `names`: the one that tells it from others first. */
export const NAMED = {
  agency: (sql: postgres.Sql) => sql`select a.*, array[a.name] as names from public.agencies a`,
  agent: (sql: postgres.Sql) =>
    sql`
      select a.*, array_remove(array[concat_ws(' ', a.first_name, a.last_name), a.email], null) as names
      from public.agents a`,
  vendor: (sql: postgres.Sql) =>
    sql`select v.*, array[v.slug, v.name] as names from public.vendors v`,
  order: (sql: postgres.Sql) =>
    sql`select o.*, '{}'::text[] as names from public.recruiting_orders o`,
};

/** Finds a vendor by its slug, its name, or the beginning of either. */
export const findVendor = (sql: postgres.Sql, name: string) =>
  findNamed<Row<"vendors">>(sql, "vendor", name);

/** The id of the vendor that an option names; null where the option was left out. */
export async function findVendorId(sql: postgres.Sql, name?: string): Promise<string | null> {
  return name === undefined ? null : (await findVendor(sql, name)).id;
}

/** Finds an agency by its name, its id, or the beginning of either. */
export const findAgency = (sql: postgres.Sql, name: string) =>
  findNamed<Row<"agencies">>(sql, "agency", name);

/** The id of the agency that an option names; null where the option was left out. */
export async function findAgencyId(sql: postgres.Sql, name?: string): Promise<string | null> {
  return name === undefined ? null : (await findAgency(sql, name)).id;
}

/** Finds an agent by name, e-mail address, id, or the beginning of one: among all, or among an agency's. */
export const findAgent = (sql: postgres.Sql, name: string, agency?: Row<"agencies">) =>
  findNamed<Row<"agents">>(sql, "agent", name, agency);

/** Finds an order by its id or the beginning of its id. */
export const findOrder = (sql: postgres.Sql, name: string) =>
  findNamed<Row<"recruiting_orders">>(sql, "order", name);

/**
 * The row that has a name or an id, in upper or lower case; else the only one of which one begins so.
 *
 * @param agency whose it is; unless given anybody's
 * @throws {CommandError} when none or several are meant
 */
async function findNamed<Found extends { id: string }>(
  sql: postgres.Sql,
  noun: keyof typeof NAMED,
  name: string,
  agency?: Row<"agencies">,
): Promise<Found> {
  const given = name.trim();
  const rows = agency
    ? sql`select * from (${NAMED[noun](sql)}) a where to_jsonb(a) ->> 'agency_id' = ${agency.id}`
    : NAMED[noun](sql);
  const found = await sql<(Found & { names: string[]; has_it: boolean })[]>`
    select r.*, lower(${given}) in (select lower(n) from unnest(r.names || r.id::text) n) as has_it
    from (${rows}) r
    where exists (select from unnest(r.names || r.id::text) n where starts_with(lower(n), lower(${given})))
    order by r.id`;
  const exact = found.filter(({ has_it }) => has_it);
  const meant = exact.length > 0 ? exact : found;
  if (meant.length === 0) {
    const known = await sql<{ name: string }[]>`
      select distinct n as name from (${rows}) r, unnest(r.names) n limit 1000`;
    throw notFound(noun, name, {
      meant: mostSimilar(given, known.map(({ name }) => name)),
      ...(agency && { of: ` of "${agency.name}"`, list: `agent list --agency ${agency.id}` }),
    });
  }
  const { names: _, has_it: __, ...row } = theOnly(meant, noun, name, ({ names }) => names[0]);
  return row as unknown as Found;
}

/** Finds a lead of either kind by the sender's own id, else by its id or the first 8 characters of it. */
export async function findLead(sql: postgres.Sql, name: string): Promise<LeadRow> {
  const leads = await sql<(LeadRow & { by_sender: boolean })[]>`
    select l.id, 'recruiting' as kind, concat_ws(' ', l.first_name, l.last_name) as name, true as by_sender
    from public.vendors v
    join public.recruiting_leads l
      on l.vendor_id = v.id and l.vendor_lead_id = private.indexable_id(${name})
    union all
    select l.id, 'sales', concat_ws(' ', l.first_name, l.last_name), true
    from public.leads l where l.external_id::text = ${name.toLowerCase()}
    union all
    select l.id, 'recruiting', concat_ws(' ', l.first_name, l.last_name), false
    from private.id_range(${name}) r join public.recruiting_leads l on l.id between r.first_id and r.last_id
    union all
    select l.id, 'sales', concat_ws(' ', l.first_name, l.last_name), false
    from private.id_range(${name}) r join public.leads l on l.id between r.first_id and r.last_id`;
  const bySender = leads.filter(({ by_sender }) => by_sender);
  const rows = bySender.length > 0 ? bySender : leads;
  return theOnly(rows, "lead", name, (lead) => lead.name, "lead find");
}

/** Finds a rejected delivery by its id or the first 8 characters of it, or more. */
export async function findDelivery(
  sql: postgres.Sql,
  name: string,
): Promise<Row<"rejected_deliveries">> {
  const rows = await sql<Row<"rejected_deliveries">[]>`
    select d.*
    from private.id_range(${name}) r join public.rejected_deliveries d on d.id between r.first_id and r.last_id`;
  return theOnly(rows, "delivery", name, (delivery) => delivery.reason);
}

/**
 * The row that a name stands for.
 *
 * @param describe what tells a row from others of the same name
 * @param list the command that lists the rows
 * @throws {CommandError} when none or several are meant
 */
export function theOnly<Found extends { id: string }>(
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
  const suggestion = meant === undefined ? "" : ` Did you mean ${meant}?`;
  return new CommandError(
    `There is no ${noun} "${name}"${of}.${suggestion} See npm run admin -- ${list}`,
  );
}
