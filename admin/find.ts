/** Rows that a command line names, by something that a person has at hand. */
import type postgres from "postgres";
import type { Json } from "../supabase/functions/_shared/json.ts";
import { CommandError } from "./outcome.ts";

export interface VendorRow {
  id: string;
  slug: string;
  name: string;
  parser: string | null;
  parser_config: Json;
  is_active: boolean;
}

export interface AgencyRow {
  id: string;
  name: string;
  timezone: string;
}

export interface AgentRow {
  id: string;
  agency_id: string;
  user_id: string | null;
  first_name: string;
  last_name: string | null;
  email: string | null;
  phone: string | null;
  role: "agent" | "manager";
  is_active: boolean;
  accepts_recruits: boolean;
}

export interface OrderRow {
  id: string;
  agency_id: string;
  quantity: number;
  filled: number;
  status: "open" | "paused" | "filled" | "closed";
  starts_at: Date | null;
  ends_at: Date | null;
}

/** @throws {CommandError} when there is no vendor with this slug */
export async function findVendor(sql: postgres.Sql, slug: string): Promise<VendorRow> {
  const [vendor] = await sql<VendorRow[]>`select * from public.vendors where slug = ${slug}`;
  if (vendor !== undefined) return vendor;
  throw new CommandError(
    `There is no vendor "${slug}". See npm run vendor -- list, or make one: ` +
      `npm run vendor -- create ${slug} --parser <name>`,
  );
}

/**
 * Finds an agency by its id, the beginning of its id, or its name.
 *
 * @throws {CommandError} when none or several are meant
 */
export async function findAgency(sql: postgres.Sql, name: string): Promise<AgencyRow> {
  const rows = await sql<AgencyRow[]>`
    select * from public.agencies
    where starts_with(id::text, lower(${name})) or lower(name) = lower(${name})`;
  return theOnly(rows, "agency", name, (agency) => agency.name);
}

/**
 * Finds an agent by its id, the beginning of its id, or its e-mail address.
 *
 * @throws {CommandError} when none or several are meant
 */
export async function findAgent(sql: postgres.Sql, name: string): Promise<AgentRow> {
  const rows = await sql<AgentRow[]>`
    select * from public.agents
    where starts_with(id::text, lower(${name})) or lower(email) = lower(${name})`;
  return theOnly(rows, "agent", name, (agent) => agent.email ?? agent.first_name);
}

/**
 * Finds an order by its id or the beginning of its id.
 *
 * @throws {CommandError} when none or several are meant
 */
export async function findOrder(sql: postgres.Sql, name: string): Promise<OrderRow> {
  const rows = await sql<OrderRow[]>`
    select * from public.recruiting_orders where starts_with(id::text, lower(${name}))`;
  return theOnly(rows, "order", name, (order) => order.status);
}

function theOnly<Row extends { id: string }>(
  rows: readonly Row[],
  noun: string,
  name: string,
  describe: (row: Row) => string,
): Row {
  const [row, other] = name.trim() === "" ? [] : rows;
  if (row === undefined) {
    throw new CommandError(`There is no ${noun} "${name}". See npm run admin -- ${noun} list`);
  }
  if (other !== undefined) {
    const matches = rows.slice(0, 5).map((match) => `${match.id} (${describe(match)})`).join(", ");
    const more = rows.length > 5 ? ` and ${rows.length - 5} more` : "";
    throw new CommandError(`"${name}" is the beginning of several: ${matches}${more}`);
  }
  return row;
}
