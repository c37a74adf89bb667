import { queryOptions } from "@tanstack/react-query";
import { NEWEST_MIGRATION } from "../../supabase/functions/_shared/version.ts";
import { call, supabase } from "./client.ts";

/** The user who is signed in, as `signed_in_user()` returns it. */
export interface User {
  user_id: string;
  /** Null: the user is no active agent. */
  agent:
    | { id: string; agency_id: string; first_name: string; last_name: string | null; role: "agent" | "manager" }
    | null;
  agency: { id: string; name: string; timezone: string } | null;
  is_operator: boolean;
  /** The newest migration of the database, where it keeps a record of them. */
  migrations: string | null;
}

/** The agent whose pages these are. */
export type Agent = NonNullable<User["agent"]>;

export const userQueries = {
  signedIn: (userId: string) =>
    queryOptions({
      queryKey: ["user", userId],
      queryFn: async () => await call(supabase.rpc("signed_in_user" as never)) as unknown as User,
    }),
};

/** Whether the page was built before the newest migration of the database. */
export function isOldBuild({ migrations }: User): boolean {
  return migrations !== null && migrations > NEWEST_MIGRATION;
}
