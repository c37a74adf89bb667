import { queryOptions } from "@tanstack/react-query";
import { call, supabase } from "./client.ts";
import { COUNT, counted } from "./count.ts";
import { after, isId, pagesOptions } from "./pages.ts";
import { queryClient } from "./queries.ts";

/** Where events of an agency's leads are sent, and how that does. */
export interface Destination {
  id: string;
  /** Null: it is the operators' own, to which alerts go. */
  agency_id: string | null;
  agency: string;
  name: string;
  kind: "webhook" | "email";
  url: string | null;
  address: string | null;
  is_on: boolean;
  /** Why the service has switched it off. */
  off_reason: string | null;
  events: string[];
  /** The number of dispatches that wait, and of those that have failed for good in 24 hours. */
  waiting: number;
  failed_24h: number;
  last_delivered_at: string | null;
  /** Since when everything fails, and the last response; null: it works. */
  failing_since: string | null;
  last_failure: string | null;
  created_at: string;
  /** Orders destinations, those that fail first. */
  place: string;
}

/** An agency that has no destination. */
export interface AgencyWithout {
  id: string;
  name: string;
}

/** An event that was sent to a destination, or waits. */
export interface Dispatch {
  id: string;
  event: string;
  /** Null: an alert or a test. */
  lead_id: string | null;
  first_name: string | null;
  state: "waiting" | "sending" | "delivered" | "rejected" | "failed" | "cancelled";
  attempt: number;
  due_at: string;
  status: number | null;
  reason: string | null;
  created_at: string;
  /** A later one has a higher number. */
  seq: number;
}

/** The number of dispatches that one call sends again. */
const BATCH = 1_000;

export const destinationQueries = {
  all: () => ["destinations"],
  /** Those of an agency, one, or all that the user may see, those that fail first. */
  list: (narrow: { agency_id?: string; id?: string } = {}) =>
    pagesOptions<Destination>([...destinationQueries.all(), "list", narrow], async (limit, last) => {
      if (narrow.id !== undefined && !isId(narrow.id)) return [];
      const query = supabase.from("destination_list").select().match(narrow).limit(limit);
      return await call(after(query, last, "place", true)) as Destination[];
    }),
  /** The agencies that have none by name, for operators. */
  missing: () =>
    pagesOptions<AgencyWithout>([...destinationQueries.all(), "missing"], async (limit, last) => {
      const query = supabase.from("agency_list").select("id, name").eq("destinations", 0).limit(limit);
      return await call(after(query, last, "name", true)) as AgencyWithout[];
    }),
  /** How many they are. */
  missingCount: () =>
    queryOptions({
      queryKey: [...destinationQueries.all(), "missing count"],
      queryFn: () => counted(supabase.from("agency_list").select("id", COUNT).eq("destinations", 0)),
    }),
  /** What was sent to one, the newest first. It is read again, because most has an outcome within seconds. */
  dispatches: (destination_id: string) => ({
    ...pagesOptions<Dispatch>([...destinationQueries.all(), "dispatches", destination_id], async (limit, last) => {
      const query = supabase.from("dispatch_list").select().eq("destination_id", destination_id).limit(limit);
      return await call(after(query, last, "seq")) as Dispatch[];
    }),
    refetchInterval: 3_000,
  }),
};

/** Queues an event `test`. */
export async function testDestination(destination_id: string): Promise<void> {
  await change(supabase.rpc("test_destination", { destination_id }));
}

/** Pauses or resumes a destination. */
export function setDestinationState(destination_id: string, is_on: boolean): Promise<void> {
  return change(supabase.rpc("set_destination_state", { destination_id, is_on }));
}

/** Sends again what has failed or was rejected. */
export async function retryDispatches(dispatch_ids: string[]): Promise<void> {
  const sent = await change(supabase.rpc("retry_dispatches", { dispatch_ids }));
  if (sent === 0) {
    throw new Error("Nothing is sent again: the agency no longer has these recruits, or somebody has done it already.");
  }
}

/** Sends again what has failed of a destination, the oldest first. */
export async function retryFailed(destination_id: string): Promise<void> {
  const failed = await call(
    supabase.from("dispatch_list").select("id").eq("destination_id", destination_id).eq("state", "failed")
      .order("seq").limit(BATCH),
  );
  await retryDispatches(failed.map(({ id }) => id!));
}

function change<Data>(request: Parameters<typeof call<Data>>[0]): Promise<Data> {
  // What was refused is read again too: others have changed it.
  return call(request).finally(() => void queryClient.invalidateQueries({ queryKey: destinationQueries.all() }));
}
