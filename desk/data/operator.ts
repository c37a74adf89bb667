import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { call, fetchAsUser, repeat, type Result, supabase } from "./client.ts";
import { config } from "./config.ts";
import { queryClient } from "./queries.ts";

/** What is wrong now. */
export interface Finding {
  kind: string;
  /** A vendor, a number, or the first 8 characters of an id. */
  name: string;
  problem: string;
  /** Follows `npm run admin --`. */
  command: string;
}

/** Why open deliveries of a vendor were rejected, and how many. */
export interface Reason {
  vendor: string;
  /** Null: imports of sales leads. */
  vendor_id: string | null;
  code: string;
  reason: string;
  deliveries: number;
  first_at: string;
  last_at: string;
}

/** What the deliveries of a list have in common; vendor_id is `import` for imports of sales leads. */
export interface Group {
  vendor_id: string;
  code: string;
  reason: string;
}

/** A rejected delivery that is open, without its payload. */
export interface Delivery {
  id: string;
  received_at: string;
  vendor: string;
  route: string;
  /** Its place in a batch, from 0 on; null: the whole request. */
  row: number | null;
  vendor_lead_id: string | null;
  request_id: string;
  payload_bytes: number;
}

/** What was sent. `payload_text` is the beginning of it, where it is not in `payload`. */
export interface Payload {
  payload: unknown;
  payload_text: string | null;
}

/** What became of a delivery, or would become of it. */
export interface Replayed {
  delivery_id: string;
  status: "created" | "duplicate" | "refused";
  lead_id?: string;
  /** Of a new recruiting lead; null: no open order wants it. */
  distributed_to?: { agency_id: string; agent_id: string | null } | null;
  /** Someone had replayed it before; the rest is what came of it then. */
  was_replayed?: true;
  /** Why it is still refused. */
  reason?: string;
  /** In a dry run: the lead as it would be stored. */
  lead?: Record<string, unknown>;
}

/** There was no time for it. */
interface NotTried {
  delivery_id: string;
  status: "not_tried";
}

export interface WaitingLead {
  id: string;
  vendor_id: string;
  vendor: string;
  name: string;
  state: string | null;
  received: string;
}

export interface HandedOut {
  id: string;
  vendor: string;
  name: string;
  state: string | null;
  agency: string;
  agent: string;
}

export interface UnmatchedText {
  id: string;
  received_at: string;
  from: string | null;
  to: string | null;
  body: string | null;
  /** How many files came with it. */
  media: number;
}

/** How many leads each vendor has brought on each of the days. */
export interface VendorDays {
  days: string[];
  vendors: { vendor: string; leads: number[]; refused: number[] }[];
}

/** How many deliveries one request replays. */
export const BATCH = 100;

/** How many days of the vendors are shown. */
const DAYS = 14;

/** The service ends a request after 150 s. A page that waits longer waits for a connection that is gone. */
const TIMEOUT_MS = 160_000;

/** Asks the edge function `operator` with the rights of the user. Posts `body`, where one is given. */
async function request<Data>(path: string, body?: object): Promise<Result<Data>> {
  const { data: { session } } = await supabase.auth.getSession();
  try {
    const response = await fetchAsUser(`${config.url}/functions/v1/operator${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        apikey: config.publishable_key,
        authorization: `Bearer ${session?.access_token}`,
        ...body && { "content-type": "application/json" },
      },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.ok) return { data: await response.json(), error: null };
    const { error } = await response.json().catch(() => ({}));
    // The right was taken away, so the page is no longer this user's.
    if (error?.code === "FORBIDDEN") void queryClient.invalidateQueries({ queryKey: ["user"] });
    return { data: null, error: error ?? { message: `HTTP ${response.status}` }, status: response.status };
  } catch {
    return { data: null, error: { message: "" }, status: 0 };
  }
}

/** Asks once. Throws a CallError. */
function ask<Data>(path: string, body?: object): Promise<Data> {
  return call(request<Data>(path, body));
}

/** What is wrong now. It costs the database a look at every lead, so it is asked for less often than the rest. */
export function useCheck() {
  return useQuery({
    queryKey: ["operator", "check"],
    queryFn: () => ask<{ findings: Finding[]; more: number }>("/check"),
    ...SELDOM,
  });
}

export function useVendorDays() {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return useQuery({
    queryKey: ["operator", "days"],
    queryFn: () => ask<VendorDays>(`/vendors/days?days=${DAYS}&timezone=${encodeURIComponent(timeZone)}`),
    ...SELDOM,
  });
}

const SELDOM = {
  staleTime: 60_000,
  refetchInterval: 5 * 60_000,
  refetchOnWindowFocus: true,
  refetchOnReconnect: true,
};

export function useReasons() {
  return useQuery({
    queryKey: ["operator", "reasons"],
    queryFn: () => ask<{ reasons: Reason[]; more: number }>("/deliveries/reasons"),
  });
}

/** The open deliveries of a group, the newest first. */
export function useDeliveries(group: Group) {
  return usePages<{ deliveries: Delivery[] }>("/deliveries", { ...group });
}

/** The leads that no order has got, the oldest first, and how many there are. */
export function useWaiting() {
  return usePages<{ leads: WaitingLead[]; waiting: number }>("/leads/waiting");
}

/** Texts that belong to no conversation, the newest first. */
export function useUnmatched() {
  return usePages<{ texts: UnmatchedText[] }>("/texts/unmatched");
}

function usePages<Page>(path: string, filter: Record<string, string> = {}) {
  return useInfiniteQuery({
    queryKey: ["operator", path, filter],
    queryFn: ({ pageParam }) => ask<Page & { next: string | null }>(pathOf(path, filter, pageParam)),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });
}

function pathOf(path: string, filter: Record<string, string>, after: string | null): string {
  const query = new URLSearchParams({ ...filter, ...after !== null && { after } });
  return query.size === 0 ? path : `${path}?${query}`;
}

/** All open deliveries of a group, the oldest first: of two that are the same lead, the first is stored. */
export async function openDeliveries(group: Group): Promise<string[]> {
  const ids: string[] = [];
  let after: string | null = null;
  do {
    const path: string = pathOf("/deliveries", { ...group }, after);
    const page = await repeat(() => request<{ deliveries: Delivery[]; next: string | null }>(path));
    ids.push(...page.deliveries.map(({ id }) => id));
    after = page.next;
  } while (after !== null);
  return ids.reverse();
}

/**
 * Stores the leads of at most {@link BATCH} deliveries. Each is stored once, however often it is asked for.
 *
 * @returns what became of the first one, and of those for which there was time
 */
export async function replay(delivery_ids: string[]): Promise<Replayed[]> {
  const body = { delivery_ids, dry_run: false };
  const { results } = await repeat(() => request<{ results: (Replayed | NotTried)[] }>("/deliveries/replay", body));
  return results.filter((result) => result.status !== "not_tried");
}

/** What a replay would make of a delivery. Changes nothing. */
export async function tryReplay(delivery_id: string): Promise<Replayed> {
  const body = { delivery_ids: [delivery_id], dry_run: true };
  return (await ask<{ results: [Replayed] }>("/deliveries/replay", body)).results[0];
}

/** What was sent. That the user has read it is kept. */
export function readPayload(delivery_id: string): Promise<Payload> {
  return ask("/deliveries/payload", { delivery_id });
}

/** Hands out waiting leads, the oldest first. Asked for again it hands out further ones. */
export function handOut(max: number, vendor_id: string | null) {
  return ask<{ handed_out: HandedOut[]; waiting: number }>("/leads/hand-out", { max, vendor_id });
}

/** Reads again what operators see, after something was changed. */
export function readAgain(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ["operator"] });
}
