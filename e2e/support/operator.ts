/** What operators call: the route below `/desk`, and the database with the rights of a signed-in user. */
import { signInNewOperator, type User } from "./agents.ts";
import { type ApiResponse, send, sql } from "./client.ts";

/** The caller, unless somebody else is given. */
export const operator = await signInNewOperator();

/** Posts JSON to a path below `/desk`. */
export function post(path: string, body: unknown, by: { token: string } = operator): Promise<ApiResponse> {
  return send(`/desk${path}`, { headers: { authorization: `Bearer ${by.token}` }, body });
}

/** The record of an operator's actions, the oldest first. */
export async function actionsOf({ id }: User) {
  const rows = await sql`
    select action, subject from public.operator_actions where user_id = ${id} order by created_at, id`;
  return rows.map(({ action, subject }) => [action, subject]);
}
