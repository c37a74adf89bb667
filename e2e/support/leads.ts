import { type ApiResponse, createAgency, send, sql, stack } from "./client.ts";

/** An agency with one agent, to import leads for. */
export interface Target {
  agency_id: string;
  agent_id: string;
}

/** Makes an agency with one agent. */
export async function createTarget(): Promise<Target> {
  const { id, agent_ids } = await createAgency();
  return { agency_id: id, agent_id: agent_ids[0]! };
}

/** A lead with the required fields alone. */
export function lead(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    external_id: crypto.randomUUID(),
    first_name: "Walter",
    phone: "(312) 555-0100",
    state: "IL",
    type: "fe",
    ...fields,
  };
}

/** Sends a body to the import. */
export function sendImport(
  body: unknown,
  headers: Record<string, string> = {},
): Promise<ApiResponse> {
  const key = { "x-api-key": stack.leads_import_api_key };
  return send("/api/leads/import", { headers: { ...key, ...headers }, body });
}

/** Imports leads for a target. */
export function importLeads(
  target: object,
  leads: unknown,
  headers: Record<string, string> = {},
): Promise<ApiResponse> {
  return sendImport({ ...target, leads }, headers);
}

/** The acts of an agent on a lead, as the page of presentations logs them. */
export interface Activity {
  lead_id: string;
  agent_id: string;
  type: string;
}

/** Imports a lead for an agency with an agent, and returns an activity of it. */
export async function createActivity(type = "presentation_started"): Promise<Activity> {
  const target = await createTarget();
  const { body } = await importLeads(target, [lead()]);
  return { lead_id: body.lead_ids[0], agent_id: target.agent_id, type };
}

/** Sends a body to the log of activities, with a key of the project unless there are other headers. */
export function logActivity(
  body: unknown,
  headers: Record<string, string> = { apikey: stack.anon_key },
  query = "",
): Promise<ApiResponse> {
  return send(`/api/leads/log-presentation-activity${query}`, { headers, body });
}

/** An agency's leads, by external_id. */
export async function storedLeads({ agency_id }: Target) {
  const rows = await sql`select * from public.leads where agency_id = ${agency_id}`;
  return new Map(rows.map((row) => [row.external_id as string, row]));
}
