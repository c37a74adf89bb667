import { queryOptions } from "@tanstack/react-query";
import { call, CallError, repeat, type Result, supabase } from "./client.ts";
import { COUNT, counted } from "./count.ts";
import type {
  Alert,
  Duplicate,
  Group,
  Job,
  ListedLead,
  Reason,
  RejectedDelivery,
  ServiceNumber,
  UnmatchedText,
  UnsentCause,
  UnsentText,
  Vendor,
  VendorDays,
  VendorName,
  VendorQuality,
  WaitingLead,
  WaitingRecruit,
  WaitingVendor,
  WantedLeads,
} from "./operator_rows.ts";
import { after, isId, pagesOptions, search } from "./pages.ts";
import { queryClient } from "./queries.ts";

/** The number of alerts that are shown, but for recruits who wait. */
const FIRST = 200;

/** The number of recruits who wait that are shown among the alerts. */
const FIRST_RECRUITS = 20;

/** Stands for the leads without a state, where a state is chosen. */
export const NO_STATE = "none";

/** The number of days that are shown of the vendors. */
export const DAYS = 14;

/** The service looks for alerts once a minute. */
const EACH_MINUTE = { refetchInterval: 60_000, refetchOnWindowFocus: true, refetchOnReconnect: true };

/** These read much of the database, so they are read less often than the rest. */
export const SELDOM = {
  staleTime: 60_000,
  refetchInterval: 5 * 60_000,
  refetchOnWindowFocus: true,
  refetchOnReconnect: true,
};

/** A query of operators. Where it is refused, the page finds out that the right is gone. */
function query<Data>(key: unknown[], read: () => Promise<unknown>, when: object = {}) {
  return queryOptions({ queryKey: ["operator", ...key], queryFn: () => asOperator(read() as Promise<Data>), ...when });
}

/** A list of operators. */
function list<Row>(key: unknown[], read: (limit: number, last: Row | null) => PromiseLike<Result<unknown>>) {
  return pagesOptions<Row>(["operator", ...key], async (limit, last) => await call(read(limit, last)) as Row[]);
}

export const operatorQueries = {
  all: () => ["operator"],
  /** The alerts that are not resolved, the severest first, and of these the oldest. */
  alerts: () =>
    query<{ rows: Alert[]; more: number }>(["alerts"], async () => {
      // A hundred recruits who wait must not hide a number that is paused.
      const [others, recruits] = await Promise.all([
        first(unresolved(FIRST).neq("kind", "recruit_waiting")),
        first(unresolved(FIRST_RECRUITS).eq("kind", "recruit_waiting")),
      ]);
      return { rows: [...others.rows, ...recruits.rows], more: others.more + recruits.more };
    }, EACH_MINUTE),
  /** When the service last looked for alerts; null: never. */
  checkedAt: () =>
    query<string | null>(["checked at"], async () => {
      const [run] = await call(supabase.from("job_list").select("ended_at").eq("job", "check alerts"));
      return run?.ended_at ?? null;
    }, EACH_MINUTE),
  /** The leads of each vendor and day, in the zone of all times of operators. */
  vendorDays: () =>
    query<VendorDays[]>(
      ["days"],
      () => call(supabase.rpc("count_vendor_days", { days: DAYS, timezone: "UTC" })),
      SELDOM,
    ),
  /** The reasons of open deliveries, the most frequent first: of all, or of a vendor, of a code or with these words. */
  reasons: ({ vendor, code, words }: { vendor: string | null; code: string | null; words: string | null }) =>
    list<Reason>(["reasons", vendor, code, words], (limit, last) => {
      let rows = supabase.from("delivery_reason_list").select().limit(limit);
      if (vendor) rows = rows.eq("vendor", vendor);
      if (code) rows = rows.eq("code", code);
      if (words) rows = search(rows, words, { names: ["reason"] });
      return after(rows, last, "deliveries");
    }),
  /** The reasons of open deliveries of which some are deleted within 7 days, the oldest first. */
  endingReasons: () =>
    query<Reason[]>(
      ["ending reasons"],
      () => call(supabase.from("delivery_reason_list").select().gt("deleted_in_7_days", 0).order("first_at")),
      SELDOM,
    ),
  /** The reason of a group; null: none of its deliveries is open any more. */
  reason: ({ vendor_id, code, reason }: Group) =>
    query<Reason | null>(["reason", vendor_id, code, reason], () => {
      const rows = supabase.from("delivery_reason_list").select().eq("code", code).eq("reason", reason);
      return call(ofVendor(rows, vendor_id).maybeSingle());
    }),
  /** The open deliveries of a group, the newest first. */
  deliveries: (group: Group) =>
    list<RejectedDelivery>(
      ["deliveries", group],
      (limit, last) => after(openOf(group).limit(limit), last, "received_at"),
    ),
  /** A delivery, also one that is not open any more; null: there is none. */
  delivery: (id: string) =>
    query<RejectedDelivery | null>(
      ["delivery", id],
      () => call(supabase.from("delivery_list").select().eq("id", id).maybeSingle()),
      { enabled: isId(id) },
    ),
  /** The leads of recruiting vendors, the newest first: of all, of a vendor by its slug, or of a distribution. */
  leads: ({ vendor, distribution }: { vendor?: string | null; distribution?: string | null } = {}) => ({
    ...list<ListedLead>(["leads", vendor, distribution], (limit, last) => {
      let rows = supabase.from("lead_list").select().limit(limit);
      if (vendor) rows = rows.eq("vendor", vendor);
      if (distribution) rows = rows.eq("distribution", distribution);
      return after(rows, last, "received");
    }),
    ...EACH_MINUTE,
  }),
  /** The leads that no order has got, the oldest first: of all states, of one, or with {@link NO_STATE}. */
  waiting: (state: string | null) =>
    list<WaitingLead>(["waiting", state], (limit, last) => {
      let rows = supabase.from("waiting_lead_list").select().limit(limit);
      if (state) rows = state === NO_STATE ? rows.is("state", null) : rows.eq("state", state);
      return after(rows, last, "received", true);
    }),
  /** The vendors of the leads that no order has got. */
  waitingVendors: () =>
    query<WaitingVendor[]>(
      ["waiting vendors"],
      () => call(supabase.from("waiting_vendor_list").select().order("vendor")),
    ),
  /** How many of them an open order wants now, by vendor. */
  wantedLeads: () =>
    query<WantedLeads[]>(["wanted leads"], () => call(supabase.rpc("count_wanted_leads")), {
      refetchOnWindowFocus: true,
    }),
  /** Texts that belong to no conversation, the newest first. */
  unmatchedTexts: () =>
    list<UnmatchedText>(
      ["texts"],
      (limit, last) => after(supabase.from("unmatched_text_list").select().limit(limit), last, "received_at"),
    ),
  /** Why texts are not sent yet, the cause of the oldest first. */
  unsentCauses: () =>
    query<UnsentCause[]>(
      ["unsent causes"],
      () => call(supabase.from("unsent_cause_list").select().order("since")),
      EACH_MINUTE,
    ),
  /** Texts that are to be sent, or of which nobody knows whether they were, the oldest first: of all causes, or of one. */
  unsentTexts: (cause: string | null, subject: string | null) => ({
    ...list<UnsentText>(["unsent texts", cause, subject], (limit, last) => {
      let rows = supabase.from("outbox_list").select().in("outbox_state", ["pending", "sending", "unconfirmed"])
        .limit(limit);
      if (cause) rows = rows.eq("cause", cause);
      if (subject !== null) {
        rows = cause === "no_hours" ? rows.filter("states", "eq", `{${subject}}`) : rows.eq("from", subject);
      }
      return after(rows, last, "created_at", true, "message_id");
    }),
    ...EACH_MINUTE,
  }),
  /** The texts of an agency that the provider could not deliver, the newest first. */
  failedTexts: (agency_id: string) =>
    pagesOptions<UnsentText>(["operator", "failed texts", agency_id], async (limit, last) => {
      if (!isId(agency_id)) return [];
      const rows = supabase.from("outbox_list").select().eq("agency_id", agency_id).eq("state", "failed").limit(limit);
      return await call(after(rows, last, "created_at", false, "message_id")) as UnsentText[];
    }),
  /** The vendors by their names. Of a name that several have, each has its slug beside it. */
  vendorNames: () =>
    query<VendorName[]>(["vendor names"], async () => {
      const rows = await call(supabase.from("vendor_name_list").select()) as VendorName[];
      const ofName = Map.groupBy(rows, ({ name }) => name);
      return rows.map(({ id, slug, name }) => ({
        ...{ id, slug },
        name: ofName.get(name)!.length === 1 ? name : `${name} (${slug})`,
      })).toSorted((one, other) => one.name.localeCompare(other.name));
    }, SELDOM),
  /** The vendors by name, each with how many of its keys work. */
  vendors: () =>
    query<Vendor[]>(["vendors"], () => call(supabase.from("vendor_list").select().order("name").order("slug"))),
  /** What became of the leads that each vendor has sent on the same days. */
  quality: () =>
    query<VendorQuality[]>(["quality"], () => {
      const day = (age: number) => new Date(Date.now() - age * 86_400_000).toISOString().slice(0, 10);
      return call(supabase.rpc("vendor_quality", { since: day(DAYS - 1), until: day(0) }));
    }, SELDOM),
  /** Recruits who wait for an answer, the longest first. */
  waitingRecruits: () => ({
    ...list<WaitingRecruit>(["waiting recruits"], (limit, last) => {
      const rows = supabase.from("waiting_recruit_list").select().limit(limit);
      return after(rows, last, "since", true, "conversation_id");
    }),
    ...EACH_MINUTE,
  }),
  /** Leads that came again, the latest first. */
  duplicates: () =>
    list<Duplicate>(
      ["duplicates"],
      (limit, last) => after(supabase.from("duplicate_list").select().limit(limit), last, "received_at"),
    ),
  /** The last run of each job of the scheduler. */
  jobs: () => query<Job[]>(["jobs"], () => call(supabase.from("job_list").select().order("job")), EACH_MINUTE),
  /** The service's numbers, the paused ones first. */
  numbers: () =>
    list<ServiceNumber>(["numbers"], (limit, last) => {
      const rows = supabase.from("number_list").select("phone, agency, status, paused_reason, waiting, waiting_since")
        .limit(limit);
      return after(rows, last, "status", false, "phone");
    }),
};

/** Narrows deliveries to those of a vendor, or of imports of sales leads. */
function ofVendor<
  Query extends { is(column: "vendor_id", value: null): Query; eq(column: "vendor_id", value: string): Query },
>(
  rows: Query,
  vendor_id: string,
): Query {
  return vendor_id === "import" ? rows.is("vendor_id", null) : rows.eq("vendor_id", vendor_id);
}

function unresolved(rows: number) {
  return supabase.from("alert_list").select("*", { count: "exact" }).neq("state", "resolved")
    .order("severity").order("since").order("id").limit(rows);
}

/**
 * The open deliveries of a group, the oldest first: of two that are the same lead, the first is stored.
 *
 * @param until leaves out those that have come later
 */
export async function openDeliveries(group: Group, until = "infinity"): Promise<string[]> {
  const ids: string[] = [];
  let rows: RejectedDelivery[] = [];
  do {
    const last = rows.at(-1) ?? null;
    rows = await repeat(() =>
      after(openOf(group).lte("received_at", until), last, "received_at", true)
    ) as RejectedDelivery[];
    ids.push(...rows.map(({ id }) => id));
    // The service returns at most 1,000 at once.
  } while (rows.length > 0);
  return ids;
}

function openOf({ vendor_id, code, reason }: Group) {
  const open = supabase.from("delivery_list").select().eq("status", "open").eq("code", code).eq("reason", reason);
  return ofVendor(open, vendor_id);
}

/** Reads again what operators see. */
export function readAgain(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: operatorQueries.all() });
}

/** Makes a call that only operators may make. Where it is refused, the page finds out that the right is gone. */
export async function asOperator<Data>(called: Promise<Data>): Promise<Data> {
  try {
    return await called;
  } catch (error) {
    if (error instanceof CallError && (error.code === "42501" || error.code === "FORBIDDEN")) {
      void queryClient.invalidateQueries({ queryKey: ["user"] });
    }
    throw error;
  }
}

/** The first rows of a list of alerts, and how many there are besides. */
async function first(read: ReturnType<typeof unresolved>): Promise<{ rows: Alert[]; more: number }> {
  const result = await read;
  const rows = await call(Promise.resolve(result)) as Alert[];
  return { rows, more: result.count! - rows.length };
}

/** The number of unmatched leads: of this vendor, or for null of all. */
export async function countWaiting(vendor_id: string | null): Promise<number> {
  const query = supabase.from("waiting_lead_list").select("*", COUNT);
  return await asOperator(counted(vendor_id === null ? query : query.eq("vendor_id", vendor_id)));
}
