/** Rows that a command line names, by something that a person has at hand. */
import type postgres from "postgres";
import type {
  Database,
  Json as DatabaseJson,
  Tables,
} from "../supabase/functions/_shared/database.types.ts";
import type { Json } from "../supabase/functions/_shared/json.ts";
import { CommandError } from "./errors.ts";
import { idRange } from "./lookup.ts";

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

/** @throws {CommandError} when there is no vendor with this slug */
export async function findVendor(sql: postgres.Sql, slug: string): Promise<Row<"vendors">> {
  const [vendor] = await sql<Row<"vendors">[]>`select * from public.vendors where slug = ${slug}`;
  if (vendor !== undefined) return vendor;
  throw new CommandError(
    `There is no vendor "${slug}". See npm run vendor -- list, or make one: ` +
      `npm run vendor -- create ${slug} --parser <name>`,
  );
}

/** The id of the vendor that an option names; null where the option was left out. */
export async function findVendorId(sql: postgres.Sql, slug?: string): Promise<string | null> {
  return slug === undefined ? null : (await findVendor(sql, slug)).id;
}

/** Finds an agency by its id, the beginning of its id, or its name. */
export async function findAgency(sql: postgres.Sql, name: string): Promise<Row<"agencies">> {
  const rows = await sql<Row<"agencies">[]>`
    select * from public.agencies
    where starts_with(id::text, lower(${name})) or lower(name) = lower(${name})`;
  return theOnly(rows, "agency", name, (agency) => agency.name);
}

/** The id of the agency that an option names; null where the option was left out. */
export async function findAgencyId(sql: postgres.Sql, name?: string): Promise<string | null> {
  return name === undefined ? null : (await findAgency(sql, name)).id;
}

/** Finds an agent by its id, the beginning of its id, or its e-mail address. */
export async function findAgent(sql: postgres.Sql, name: string): Promise<Row<"agents">> {
  const rows = await sql<Row<"agents">[]>`
    select * from public.agents
    where starts_with(id::text, lower(${name})) or lower(email) = lower(${name})`;
  return theOnly(rows, "agent", name, (agent) => agent.email ?? agent.first_name);
}

/** Finds an order by its id or the beginning of its id. */
export async function findOrder(
  sql: postgres.Sql,
  name: string,
): Promise<Row<"recruiting_orders">> {
  const rows = await sql<Row<"recruiting_orders">[]>`
    select * from public.recruiting_orders where starts_with(id::text, lower(${name}))`;
  return theOnly(rows, "order", name, (order) => order.status);
}

/** Finds a lead of either kind by the sender's own id, else by its id or the first 8 characters of it. */
export async function findLead(sql: postgres.Sql, name: string): Promise<LeadRow> {
  const { first, last } = idRange(name) ?? { first: null, last: null };
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
    from public.recruiting_leads l where l.id between ${first} and ${last}
    union all
    select l.id, 'sales', concat_ws(' ', l.first_name, l.last_name), false
    from public.leads l where l.id between ${first} and ${last}`;
  const bySender = leads.filter(({ by_sender }) => by_sender);
  const rows = bySender.length > 0 ? bySender : leads;
  return theOnly(rows, "lead", name, (lead) => lead.name, "lead find");
}

/** Finds a rejected delivery by its id or the first 8 characters of it, or more. */
export async function findDelivery(
  sql: postgres.Sql,
  name: string,
): Promise<Row<"rejected_deliveries">> {
  const { first, last } = idRange(name) ?? { first: null, last: null };
  const rows = await sql<Row<"rejected_deliveries">[]>`
    select * from public.rejected_deliveries where id between ${first} and ${last}`;
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
  describe: (row: Found) => string,
  list = `${noun} list`,
): Found {
  const [row, other] = name.trim() === "" ? [] : rows;
  if (row === undefined) {
    throw new CommandError(`There is no ${noun} "${name}". See npm run admin -- ${list}`);
  }
  if (other !== undefined) {
    const matches = rows.slice(0, 5).map((match) => `${match.id} (${describe(match)})`).join(", ");
    const more = rows.length > 5 ? ` and ${rows.length - 5} more` : "";
    throw new CommandError(`"${name}" stands for several: ${matches}${more}`);
  }
  return row;
}
