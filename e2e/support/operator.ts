/** The routes below `/operator`, called by an operator. */
import { signInNewOperator, type User } from "./agents.ts";
import { type ApiResponse, send, sql } from "./client.ts";

/** Who calls unless somebody else is given. */
export const operator = await signInNewOperator();

/** Sends GET to a path below `/operator`. */
export function get(path: string, by: { token: string } = operator): Promise<ApiResponse> {
  return send(`/operator${path}`, { method: "GET", headers: { authorization: `Bearer ${by.token}` } });
}

/** Posts JSON to a path below `/operator`. */
export function post(path: string, body: unknown, by: { token: string } = operator): Promise<ApiResponse> {
  return send(`/operator${path}`, { headers: { authorization: `Bearer ${by.token}` }, body });
}

/** What was kept of an operator's actions, the oldest first. */
export async function actionsOf({ id }: User) {
  const rows = await sql`
    select action, subject from public.operator_actions where user_id = ${id} order by created_at, id`;
  return rows.map(({ action, subject }) => [action, subject]);
}
