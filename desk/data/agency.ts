import { queryOptions } from "@tanstack/react-query";
import type { Json } from "../../supabase/functions/_shared/database.types.ts";
import { call, CallError, supabase } from "./client.ts";
import { after, pagesOptions, search } from "./pages.ts";
import { queryClient, readAllAgain } from "./queries.ts";

/** An agency as its managers set it. */
export interface Agency {
  id: string;
  name: string;
  /** An IANA name. */
  timezone: string;
  /** Times such as `08:30:00`. */
  opens_at: string;
  closes_at: string;
}

/** An agency in the list of operators. */
export interface ListedAgency {
  id: string;
  name: string;
  timezone: string;
  active_agents: number;
  open_orders: number;
  /** The leads of the open orders, so far and in all. */
  filled: number;
  quantity: number;
  numbers: number;
  paused_numbers: number;
  has_bot: boolean;
  /** The recruits who wait for an answer. */
  waiting: number;
}

/** The columns by which operators sort agencies. */
export const AGENCY_SORTS = [
  "name",
  "timezone",
  "active_agents",
  "open_orders",
  "numbers",
  "waiting",
] as const;

/** What a manager changes of an agency. */
export type AgencyChanges = Partial<Omit<Agency, "id">>;

/** A change of a setting by a person, as the view `agency_change_list` has it. */
export interface AgencyChange {
  id: string;
  created_at: string;
  changed_by: string;
  /** Such as `agent update`. */
  action: string;
  /** The name of what has changed; null: it is gone. */
  subject: string | null;
  before: Record<string, unknown>;
  after: Record<string, unknown>;
}

/** A script that was published; null: the bot was switched off. */
export interface BotScript {
  id: string;
  version: number;
  script: object | null;
  published_at: string;
}

export const agencyQueries = {
  one: (id: string) =>
    queryOptions({
      queryKey: ["agency", id],
      queryFn: async () =>
        await call(
          supabase.from("agency_list").select("id, name, timezone, opens_at, closes_at").eq("id", id).single(),
        ) as Agency,
    }),
  /** The agencies of the service whose name has these words, sorted by a column. */
  list: (typed: string, column: typeof AGENCY_SORTS[number], isDescending: boolean) =>
    pagesOptions<ListedAgency>(["agencies", typed, column, isDescending], async (limit, last) => {
      const all = supabase.from("agency_list").select(
        "id, name, timezone, active_agents, open_orders, filled, quantity, numbers, paused_numbers, has_bot, waiting",
      );
      const found = search(all, typed, { names: ["name"] });
      return await call(after(found, last, column, !isDescending).limit(limit)) as unknown as ListedAgency[];
    }),
  /** All agencies by name. */
  names: () =>
    queryOptions({
      queryKey: ["agencies", "names"],
      queryFn: async () =>
        await call(supabase.from("agency_list").select("id, name").order("name")) as Pick<Agency, "id" | "name">[],
    }),
  /** What people have changed, the latest first. Orders have a history of their own. */
  changes: (agency_id: string) =>
    pagesOptions<AgencyChange>(["agency changes", agency_id], async (limit, last) => {
      const query = supabase.from("agency_change_list").select(
        "id, created_at, changed_by, action, subject, before, after",
      ).eq("agency_id", agency_id).limit(limit);
      return await call(after(query, last)) as unknown as AgencyChange[];
    }),
  /** The published scripts of the bot, the newest first. */
  scripts: (agency_id: string) =>
    pagesOptions<BotScript>(["bot scripts", agency_id], async (limit, last) => {
      const query = supabase.from("bot_script_list").select("id, version, script, published_at")
        .eq("agency_id", agency_id).order("version", { ascending: false }).limit(limit);
      return await call(last === null ? query : query.lt("version", last.version)) as BotScript[];
    }),
};

/**
 * Changes an agency as the user has seen it.
 *
 * @returns what takes the change back
 */
export async function changeAgency(seen: Agency, changes: AgencyChanges): Promise<() => Promise<unknown>> {
  const agency_id = seen.id;
  const change = async (changes: AgencyChanges, seen: object) => {
    const given = { agency_id, changes: { ...changes }, seen: { ...seen } };
    const saved = await readAllAgain(call(supabase.rpc("change_agency", given))) as Agency;
    queryClient.setQueryData(agencyQueries.one(agency_id).queryKey, saved);
    return saved;
  };
  const saved = await change(changes, seen);
  const back = Object.fromEntries(Object.keys(changes).map((key) => [key, seen[key as keyof Agency]]));
  return () => change(back, saved);
}

/** The problems of a script, each on a line, `<question id or member>: <problem>`. */
export class ScriptRefused extends Error {}

/** Publishes a script for conversations that begin from now on. Throws {@link ScriptRefused}. */
export async function publishScript(agency_id: string, script: object): Promise<void> {
  try {
    await readAllAgain(call(supabase.rpc("publish_bot_script", { agency_id, script: script as Json })));
  } catch (error) {
    if (!(error instanceof CallError) || error.field === "") throw error;
    // The first line has the place of its problem too.
    throw new ScriptRefused(`${error.field}: ${error.message}`);
  }
}

/** Ends what the bot has begun, until a script is published. */
export async function switchBotOff(agency_id: string): Promise<void> {
  await readAllAgain(call(supabase.rpc("switch_bot_off", { agency_id })));
}
