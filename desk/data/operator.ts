import { queryOptions } from "@tanstack/react-query";
import type { Database } from "../../supabase/functions/_shared/database.types.ts";
import { call, CallError, repeat, supabase } from "./client.ts";
import { COUNT, counted } from "./count.ts";
import { after, isId, pagesOptions, search } from "./pages.ts";
import { queryClient } from "./queries.ts";

type Views = Database["public"]["Views"];
type Functions = Database["public"]["Functions"];

/** A row of a view. `Known` names the columns that are never null, where the generated type does not know it. */
export type Row<View extends keyof Views, Known extends keyof Views[View]["Row"]> =
  & Omit<Views[View]["Row"], Known>
  & { [Column in Known]: NonNullable<Views[View]["Row"][Column]> };

/** A row of what a function returns. */
type Returned<Name extends keyof Functions> = Functions[Name]["Returns"] extends (infer Each)[] ? Each : never;

/** A condition that somebody must know of, with its words, and the view that helps. */
export type Alert = Row<
  "alert_list",
  "id" | "kind" | "subject" | "name" | "problem" | "state" | "since" | "severity" | "details"
>;
/** The leads of a vendor on each of the days. */
export type VendorDays = Returned<"count_vendor_days">;
/** A lead that was distributed. */
export type DistributedLead = Returned<"distribute_leads">;
/** A reason for which open deliveries of a vendor were rejected; vendor_id is null for imports of sales leads. */
export type Reason = Row<
  "delivery_reason_list",
  "id" | "vendor" | "code" | "reason" | "deliveries" | "first_at" | "last_at" | "first_deleted_at" | "deleted_in_7_days"
>;
/** A rejected delivery that is open, without its payload. */
export type RejectedDelivery = Row<"delivery_list", "vendor" | "payload_kept">;
/** A lead of a recruiting vendor, and who has it. */
export type ListedLead = Row<"lead_list", "id" | "received" | "vendor" | "distribution">;
/** The number of waiting leads of a vendor. */
export type WaitingVendor = Row<"waiting_vendor_list", "vendor_id" | "vendor" | "leads">;
/** Of a vendor, how many waiting leads an open order wants, also by state. */
export type WantedLeads = Omit<Returned<"count_wanted_leads">, "states"> & {
  states: {
    state: string | null;
    leads: number;
    wanted: number;
    oldest: string;
    /** The one that takes them first, or the nearest and why it takes none. Null: no order is for this vendor. */
    order:
      | Pick<Row<"order_list", "id" | "agency" | "status">, "id" | "agency" | "status" | "vendor" | "states"> & {
        wants_state: boolean;
        obstacle: string | null;
      }
      | null;
  }[];
};
export type WaitingLead = Row<"waiting_lead_list", "id" | "vendor_id" | "name" | "received">;
export type UnmatchedText = Row<"unmatched_text_list", "id" | "media">;
/** One of our texts that the provider does not have, or could not deliver. */
export type UnsentText = Row<
  "outbox_list",
  "message_id" | "created_at" | "agency" | "from" | "to" | "kind" | "state" | "why" | "states"
>;
/** Why texts are not sent yet, with how many. */
export type UnsentCause = Row<"unsent_cause_list", "cause" | "texts" | "since">;
type VendorName = Row<"vendor_name_list", "id" | "slug" | "name">;
/** A recruit who waits for an answer. */
export type WaitingRecruit = Row<
  "waiting_recruit_list",
  "conversation_id" | "agency_id" | "agency" | "phone" | "since"
>;
/** A vendor with its API keys. */
export type Vendor = Row<"vendor_list", "slug" | "active" | "keys">;
/** A lead that came again. */
export type Duplicate = Row<
  "duplicate_list",
  "id" | "vendor" | "received_at" | "lead_id" | "first_received"
>;
/** The last run of a job of the scheduler. */
export type Job = Row<"job_list", "job">;
/** One of our numbers, which texts are sent from. */
export type ServiceNumber = Pick<
  Row<"number_list", "phone" | "agency" | "status" | "waiting">,
  "phone" | "agency" | "status" | "waiting" | "waiting_since" | "paused_reason"
>;

/** The columns that the deliveries of a list have in common; vendor_id is `import` for imports of sales leads. */
export interface Group {
  vendor_id: string;
  code: string;
  reason: string;
}

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

export const operatorQueries = {
  all: () => ["operator"],
  /** The alerts that are not resolved, the severest first, and of these the oldest. */
  alerts: () =>
    queryOptions({
      queryKey: [...operatorQueries.all(), "alerts"],
      queryFn: () =>
        // A hundred recruits who wait must not hide a number that is paused.
        Promise.all([
          first(unresolved(FIRST).neq("kind", "recruit_waiting")),
          first(unresolved(FIRST_RECRUITS).eq("kind", "recruit_waiting")),
        ]).then(([others, recruits]) => ({
          rows: [...others.rows, ...recruits.rows],
          more: others.more + recruits.more,
        })),
      ...EACH_MINUTE,
    }),
  /** When the service last looked for alerts; null: never. */
  checkedAt: () =>
    queryOptions({
      queryKey: [...operatorQueries.all(), "checked at"],
      queryFn: async () => {
        const [run] = await asOperator(
          call(supabase.from("job_list").select("ended_at").eq("job", "check alerts")),
        );
        return run?.ended_at ?? null;
      },
      ...EACH_MINUTE,
    }),
  /** The leads of each vendor and day, in the zone of all times of operators. */
  vendorDays: () =>
    queryOptions({
      queryKey: [...operatorQueries.all(), "days"],
      queryFn: () => asOperator(call(supabase.rpc("count_vendor_days", { days: DAYS, timezone: "UTC" }))),
      ...SELDOM,
    }),
  /** The reasons of open deliveries, the most frequent first: of all, or of a vendor, of a code or with these words. */
  reasons: ({ vendor, code, words }: { vendor: string | null; code: string | null; words: string | null }) =>
    pagesOptions<Reason>([...operatorQueries.all(), "reasons", vendor, code, words], async (limit, last) => {
      let query = supabase.from("delivery_reason_list").select().limit(limit);
      if (vendor) query = query.eq("vendor", vendor);
      if (code) query = query.eq("code", code);
      if (words) query = search(query, words, { names: ["reason"], phones: ["reason"] });
      return await call(after(query, last, "deliveries")) as Reason[];
    }),
  /** The reasons of open deliveries of which some are deleted within 7 days, the oldest first. */
  endingReasons: () =>
    queryOptions({
      queryKey: [...operatorQueries.all(), "ending reasons"],
      queryFn: () =>
        asOperator(
          call(supabase.from("delivery_reason_list").select().gt("deleted_in_7_days", 0).order("first_at")),
        ) as Promise<Reason[]>,
      ...SELDOM,
    }),
  /** The reason of a group; null: none of its deliveries is open any more. */
  reason: ({ vendor_id, code, reason }: Group) =>
    queryOptions({
      queryKey: [...operatorQueries.all(), "reason", vendor_id, code, reason],
      queryFn: () => {
        const rows = supabase.from("delivery_reason_list").select().eq("code", code).eq("reason", reason);
        const found = vendor_id === "import" ? rows.is("vendor_id", null) : rows.eq("vendor_id", vendor_id);
        return asOperator(call(found.maybeSingle())) as Promise<Reason | null>;
      },
    }),
  /** The open deliveries of a group, the newest first. */
  deliveries: (group: Group) =>
    pagesOptions<RejectedDelivery>(
      [...operatorQueries.all(), "deliveries", group],
      async (limit, last) => await call(after(openOf(group).limit(limit), last, "received_at")) as RejectedDelivery[],
    ),
  /** A delivery, also one that is not open any more; null: there is none. */
  delivery: (id: string) =>
    queryOptions({
      queryKey: [...operatorQueries.all(), "delivery", id],
      queryFn: async () =>
        await asOperator(
          call(supabase.from("delivery_list").select().eq("id", id).maybeSingle()),
        ) as RejectedDelivery | null,
      enabled: isId(id),
    }),
  /** The leads of recruiting vendors, the newest first: of all, of a vendor by its slug, or of a distribution. */
  leads: ({ vendor, distribution }: { vendor?: string | null; distribution?: string | null } = {}) => ({
    ...pagesOptions<ListedLead>([...operatorQueries.all(), "leads", vendor, distribution], async (limit, last) => {
      let query = supabase.from("lead_list").select().limit(limit);
      if (vendor) query = query.eq("vendor", vendor);
      if (distribution) query = query.eq("distribution", distribution);
      return await call(after(query, last, "received")) as ListedLead[];
    }),
    ...EACH_MINUTE,
  }),
  /** The leads that no order has got, the oldest first: of all states, of one, or with {@link NO_STATE}. */
  waiting: (state: string | null) =>
    pagesOptions<WaitingLead>([...operatorQueries.all(), "waiting", state], async (limit, last) => {
      let query = supabase.from("waiting_lead_list").select().limit(limit);
      if (state) query = state === NO_STATE ? query.is("state", null) : query.eq("state", state);
      return await call(after(query, last, "received", true)) as WaitingLead[];
    }),
  /** The vendors of the leads that no order has got. */
  waitingVendors: () =>
    queryOptions({
      queryKey: [...operatorQueries.all(), "waiting vendors"],
      queryFn: () =>
        asOperator(call(supabase.from("waiting_vendor_list").select().order("vendor"))) as Promise<WaitingVendor[]>,
    }),
  /** How many of them an open order wants now, by vendor. */
  wantedLeads: () =>
    queryOptions({
      queryKey: [...operatorQueries.all(), "wanted leads"],
      queryFn: () => asOperator(call(supabase.rpc("count_wanted_leads"))) as Promise<WantedLeads[]>,
      refetchOnWindowFocus: true,
    }),
  /** Texts that belong to no conversation, the newest first. */
  unmatchedTexts: () =>
    pagesOptions<UnmatchedText>([...operatorQueries.all(), "texts"], async (limit, last) => {
      const query = supabase.from("unmatched_text_list").select().limit(limit);
      return await call(after(query, last, "received_at")) as UnmatchedText[];
    }),
  /** Why texts are not sent yet, the cause of the oldest first. */
  unsentCauses: () =>
    queryOptions({
      queryKey: [...operatorQueries.all(), "unsent causes"],
      queryFn: () =>
        asOperator(call(supabase.from("unsent_cause_list").select().order("since"))) as Promise<UnsentCause[]>,
      ...EACH_MINUTE,
    }),
  /** Our texts that are to be sent, or of which nobody knows whether they were, the oldest first: of all causes, or of one. */
  unsentTexts: (cause: string | null, subject: string | null) => ({
    ...pagesOptions<UnsentText>([...operatorQueries.all(), "unsent texts", cause, subject], async (limit, last) => {
      let query = supabase.from("outbox_list").select().in("outbox_state", ["pending", "sending", "unconfirmed"])
        .limit(limit);
      if (cause) query = query.eq("cause", cause);
      if (subject !== null) {
        query = cause === "no_hours" ? query.filter("states", "eq", `{${subject}}`) : query.eq("from", subject);
      }
      return await call(after(query, last, "created_at", true, "message_id")) as UnsentText[];
    }),
    ...EACH_MINUTE,
  }),
  /** The texts of an agency that the provider could not deliver, the newest first. */
  failedTexts: (agency_id: string) =>
    pagesOptions<UnsentText>([...operatorQueries.all(), "failed texts", agency_id], async (limit, last) => {
      if (!isId(agency_id)) return [];
      const query = supabase.from("outbox_list").select().eq("agency_id", agency_id).eq("state", "failed").limit(limit);
      return await call(after(query, last, "created_at", false, "message_id")) as UnsentText[];
    }),
  /** The vendors by their names. One that several have is told apart by the slug. */
  vendorNames: () =>
    queryOptions({
      queryKey: [...operatorQueries.all(), "vendor names"],
      queryFn: async () => {
        const rows = await asOperator(call(supabase.from("vendor_name_list").select())) as VendorName[];
        const ofName = Map.groupBy(rows, ({ name }) => name);
        return rows.map(({ id, slug, name }) => ({
          ...{ id, slug },
          name: ofName.get(name)!.length === 1 ? name : `${name} (${slug})`,
        })).toSorted((one, other) => one.name.localeCompare(other.name));
      },
      ...SELDOM,
    }),
  /** The vendors by name, each with how many of its keys work. */
  vendors: () =>
    queryOptions({
      queryKey: [...operatorQueries.all(), "vendors"],
      queryFn: () =>
        asOperator(call(supabase.from("vendor_list").select().order("name").order("slug"))) as Promise<Vendor[]>,
    }),
  /** What became of the leads that each vendor has sent on the same days. */
  quality: () =>
    queryOptions({
      queryKey: [...operatorQueries.all(), "quality"],
      queryFn: () => {
        const day = (age: number) => new Date(Date.now() - age * 86_400_000).toISOString().slice(0, 10);
        return asOperator(call(supabase.rpc("vendor_quality", { since: day(DAYS - 1), until: day(0) })));
      },
      ...SELDOM,
    }),
  /** Recruits who wait for an answer, the longest first. */
  waitingRecruits: () => ({
    ...pagesOptions<WaitingRecruit>([...operatorQueries.all(), "waiting recruits"], async (limit, last) => {
      const query = supabase.from("waiting_recruit_list").select().limit(limit);
      return await call(after(query, last, "since", true, "conversation_id")) as WaitingRecruit[];
    }),
    ...EACH_MINUTE,
  }),
  /** Leads that came again, the latest first. */
  duplicates: () =>
    pagesOptions<Duplicate>([...operatorQueries.all(), "duplicates"], async (limit, last) => {
      const query = supabase.from("duplicate_list").select().limit(limit);
      return await call(after(query, last, "received_at")) as Duplicate[];
    }),
  /** The last run of each job of the scheduler. */
  jobs: () =>
    queryOptions({
      queryKey: [...operatorQueries.all(), "jobs"],
      queryFn: () => asOperator(call(supabase.from("job_list").select().order("job"))) as Promise<Job[]>,
      ...EACH_MINUTE,
    }),
  /** Our numbers, the paused ones first. */
  numbers: () =>
    pagesOptions<ServiceNumber>([...operatorQueries.all(), "numbers"], async (limit, last) => {
      const query = supabase.from("number_list").select("phone, agency, status, paused_reason, waiting, waiting_since")
        .limit(limit);
      return await call(after(query, last, "status", false, "phone")) as ServiceNumber[];
    }),
};

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
  return vendor_id === "import" ? open.is("vendor_id", null) : open.eq("vendor_id", vendor_id);
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
  const rows = await asOperator(call(Promise.resolve(result))) as Alert[];
  return { rows, more: result.count! - rows.length };
}

/** The number of unmatched leads: of this vendor, or for null of all. */
export async function countWaiting(vendor_id: string | null): Promise<number> {
  const query = supabase.from("waiting_lead_list").select("*", COUNT);
  return await asOperator(counted(vendor_id === null ? query : query.eq("vendor_id", vendor_id)));
}
