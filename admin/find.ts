/** Rows that a command line names, by something that a person has at hand. */
import type postgres from "postgres";
import type { Json, JsonObject } from "../supabase/functions/_shared/json.ts";
import { idRange } from "./lookup.ts";
import { CommandError } from "./outcome.ts";

export interface VendorRow {
  id: string;
  slug: string;
  name: string;
  parser: string | null;
  parser_config: Json;
  is_active: boolean;
  /** Null: the vendor has no webhook. */
  webhook_scheme: string | null;
  webhook_config: WebhookConfig;
}

/** The settings of a webhook, by their names in `vendors.webhook_config`. */
export interface WebhookConfig {
  header?: string;
  algorithm?: string;
  encoding?: string;
  prefix?: string;
  signed?: string;
  timestamp_header?: string;
  tolerance_seconds?: number;
  parameter?: string;
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

/** A lead of either kind. */
export interface LeadRow {
  id: string;
  kind: "recruiting" | "sales";
  name: string;
}

export interface DeliveryRow {
  id: string;
  request_id: string;
  route: string;
  /** Null for an import. */
  vendor_id: string | null;
  vendor_lead_id: string | null;
  row: number | null;
  code: string;
  reason: string;
  payload: Json | null;
  payload_text: string | null;
  payload_bytes: number;
  context: JsonObject;
  status: "open" | "replayed" | "dismissed";
  lead_id: string | null;
  received_at: Date;
  resolved_at: Date | null;
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

/**
 * Finds a lead of either kind by the sender's own id, else by its id or the first 8 characters of it.
 *
 * @throws {CommandError} when none or several are meant
 */
export async function findLead(sql: postgres.Sql, name: string): Promise<LeadRow> {
  const bySender = await sql<LeadRow[]>`
    select l.id, 'recruiting' as kind, concat_ws(' ', l.first_name, l.last_name) as name
    from public.vendors v
    join public.recruiting_leads l
      on l.vendor_id = v.id and l.vendor_lead_id = private.indexable_id(${name})
    union all
    select l.id, 'sales', concat_ws(' ', l.first_name, l.last_name)
    from public.leads l where l.external_id::text = ${name.toLowerCase()}`;
  const rows = bySender.length > 0 ? bySender : await findLeadsById(sql, name);
  return theOnly(rows, "lead", name, (lead) => lead.name, "find");
}

async function findLeadsById(sql: postgres.Sql, name: string): Promise<LeadRow[]> {
  const ids = idRange(name);
  if (ids === undefined) return [];
  return await sql<LeadRow[]>`
    select l.id, 'recruiting' as kind, concat_ws(' ', l.first_name, l.last_name) as name
    from public.recruiting_leads l where l.id between ${ids.first} and ${ids.last}
    union all
    select l.id, 'sales', concat_ws(' ', l.first_name, l.last_name)
    from public.leads l where l.id between ${ids.first} and ${ids.last}`;
}

/**
 * Finds a refused delivery by its id or the first 8 characters of it, or more.
 *
 * @throws {CommandError} when none or several are meant
 */
export async function findDelivery(sql: postgres.Sql, name: string): Promise<DeliveryRow> {
  const ids = idRange(name);
  const rows = ids === undefined ? [] : await sql<DeliveryRow[]>`
    select * from public.rejected_deliveries where id between ${ids.first} and ${ids.last}`;
  return theOnly(rows, "delivery", name, (delivery) => delivery.reason);
}

function theOnly<Row extends { id: string }>(
  rows: readonly Row[],
  noun: string,
  name: string,
  describe: (row: Row) => string,
  verb = "list",
): Row {
  const [row, other] = name.trim() === "" ? [] : rows;
  if (row === undefined) {
    throw new CommandError(`There is no ${noun} "${name}". See npm run admin -- ${noun} ${verb}`);
  }
  if (other !== undefined) {
    const matches = rows.slice(0, 5).map((match) => `${match.id} (${describe(match)})`).join(", ");
    const more = rows.length > 5 ? ` and ${rows.length - 5} more` : "";
    throw new CommandError(`"${name}" stands for several: ${matches}${more}`);
  }
  return row;
}
