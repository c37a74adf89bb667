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

/** Imports leads for a target. */
export function importLeads(target: object, leads: unknown): Promise<ApiResponse> {
  return send("/api/leads/import", {
    headers: { "x-api-key": stack.leads_import_api_key },
    body: { ...target, leads },
  });
}

/** An agency's leads, by external_id. */
export async function storedLeads({ agency_id }: Target) {
  const rows = await sql`select * from public.leads where agency_id = ${agency_id}`;
  return new Map(rows.map((row) => [row.external_id as string, row]));
}
