import { queryOptions } from "@tanstack/react-query";
import { NEWEST_MIGRATION } from "../../supabase/functions/_shared/version.ts";
import { call, CallError, supabase } from "./client.ts";

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

/** The key under which the browser keeps the user whom it has read last. */
const KEPT = "desk-user";

export const userQueries = {
  signedIn: (userId: string) =>
    queryOptions({
      queryKey: ["user", userId],
      queryFn: async () => {
        try {
          const user = await call(supabase.rpc("signed_in_user" as never)) as unknown as User;
          localStorage.setItem(KEPT, JSON.stringify(user));
          return user;
        } catch (error) {
          // The frame opens without a connection, too. What the user may do is decided by the service.
          const kept: User | null = JSON.parse(localStorage.getItem(KEPT) ?? "null");
          if (error instanceof CallError && error.status === 0 && kept?.user_id === userId) return kept;
          throw error;
        }
      },
    }),
};

/** Removes the user whom this browser keeps: nobody is signed in any more. */
export function forgetUser(): void {
  localStorage.removeItem(KEPT);
}

/** Whether the page was built before the newest migration of the database. */
export function isOldBuild({ migrations }: User): boolean {
  return migrations !== null && migrations > NEWEST_MIGRATION;
}
