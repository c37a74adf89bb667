import { queryOptions } from "@tanstack/react-query";
import { call, supabase } from "./client.ts";
import { post } from "./desk_function.ts";
import { readAllAgain } from "./queries.ts";
import type { Member } from "./team.ts";

/** What a manager changes of an agent. */
export type MemberChanges = Partial<Pick<Member, "role" | "is_active" | "accepts_recruits" | "away_until">>;

/** What goes to others when an agent leaves. */
export interface Leaving {
  recruiting_leads: number;
  sales_leads: number;
  conversations: number;
}

/** Whom a manager or an operator invites. */
export interface Invitation {
  agency_id: string;
  first_name: string;
  last_name: string | null;
  email: string;
  role: Member["role"];
}

/**
 * Changes an agent as the user has seen it.
 *
 * @returns what takes the change back
 */
export async function changeMember(member: Member, changes: MemberChanges): Promise<() => Promise<unknown>> {
  const { id, role, is_active, accepts_recruits, away_until_time } = member;
  const before = { role, is_active, accepts_recruits, away_until: away_until_time };
  const change = (changes: MemberChanges, seen: object) =>
    readAllAgain(call(supabase.rpc("change_agent", { agent_id: id, changes: { ...changes }, seen: { ...seen } })));
  const saved = await change(changes, before);
  const back = Object.fromEntries(Object.keys(changes).map((key) => [key, before[key as keyof MemberChanges]]));
  return () => change(back, saved as object);
}

/** What would go to others, if an agent left. Its error says why the agent cannot leave. */
export function leavingOptions(agent_id: string) {
  return queryOptions({
    queryKey: ["leaving", agent_id],
    queryFn: async () => await call(supabase.rpc("preview_leave", { agent_id })) as unknown as Leaving,
    // Each reading locks what the agent has.
    refetchInterval: false,
  });
}

/** Makes an agent inactive, and gives what was the agent's to another one, or to those whose turn it is. */
export async function leave(agent_id: string, to_agent_id: string | null): Promise<void> {
  await readAllAgain(call(supabase.rpc("leave_agent", { agent_id, ...(to_agent_id !== null && { to_agent_id }) })));
}

/** Has an invitation sent by e-mail, also once more. */
export async function invite(person: Invitation): Promise<void> {
  await readAllAgain(call(post("invitations", person)));
}
