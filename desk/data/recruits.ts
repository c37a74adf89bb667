import { keepPreviousData, queryOptions, useMutation } from "@tanstack/react-query";
import { call, CallError, fileError, repeat, supabase } from "./client.ts";
import { COUNT, counted } from "./count.ts";
import { changeData, changeRow, readRowsAgain } from "./changes.ts";
import { after, isId, pagesOptions, search } from "./pages.ts";
import { queryClient } from "./queries.ts";
import type { Order } from "./rows.ts";

/** The stages of a recruit, in their order. */
export const STAGES = ["new", "contacted", "interview", "licensed", "hired", "lost"] as const;
export type Stage = (typeof STAGES)[number];

/** What a recruit may need: an answer, or to be opened for the first time. */
export const NEEDS = ["answer", "opening"] as const;
export type Need = (typeof NEEDS)[number];

/** The need of a recruit; null: none. */
export function needOf({ waiting_since, unread }: Recruit): Need | null {
  if (waiting_since !== null) return "answer";
  return unread.length > 0 ? "opening" : null;
}

/** Whether the bot has answers to its questions, asks them now, has asked in vain, or has not asked. */
export const SCREENINGS = ["answered", "asking", "unanswered", "not_asked"] as const;
export type Screening = (typeof SCREENINGS)[number];

/** Whether the agency may text a recruit: by a consent, without one, after an opt-out, or never. */
export type Consent = "given" | "none" | "opted_out" | "suppressed";

/** The recruits of a list, and their order. */
export interface RecruitFilter {
  agency_id: string;
  /** Null: those of every agent. */
  agent_id: string | null;
  /** The words that the user looks for. */
  typed: string;
  /** Null: those of every stage. */
  stage: Stage | null;
  /** Null: those of every state. */
  state: string | null;
  /** Null: whether they wait or not. */
  need: Need | null;
  /** A state of the screening, or an answer as `<question>:<answer>`; null: any. */
  screening: string | null;
  order: Order;
}

/** The columns by which recruits are ordered, by the key of the table's column. */
export const ORDERS = {
  name: "by_name",
  phone: "by_phone",
  state: "by_state",
  vendor: "by_vendor",
  stage: "by_stage",
  agent: "by_agent",
  text: "by_text",
  received: "created_at",
} as const;

/** A recruit, as a row of the view `recruit_rows`. */
export interface Recruit extends Record<(typeof ORDERS)[keyof typeof ORDERS], string | number> {
  id: string;
  first_name: string;
  last_name: string | null;
  phone: string | null;
  email: string | null;
  state: string | null;
  created_at: string;
  vendor: string;
  /** The recruit's agent; null: the agency has it, and no agent of it. */
  agent_id: string | null;
  agent: string | null;
  stage: Stage;
  /** Null: there is no text. */
  last_text_at: string | null;
  /** Null: there is no conversation. */
  conversation_id: string | null;
  /** Since when the recruit waits for an answer; null: nobody waits, or the conversation is snoozed. */
  waiting_since: string | null;
  /** Not empty: the caller was notified of this recruit, and has not opened it yet. */
  unread: string[];
  /** Null: there is no number that gets texts. */
  consent: Consent | null;
  screening: Screening;
  /** The place of the question that the bot asks, and the number of questions; null: it asks none. */
  asking: [place: number, of: number] | null;
  /** In the order of the script. */
  screening_answers: { question: string; value: unknown; said: string }[];
  /** How many recruits of the agency are this person, this one included. */
  applications: number;
}

/** A recruit with all that is known. */
export interface RecruitCard extends Recruit {
  resume_path: string | null;
  vendor_metadata: Record<string, unknown>;
}

/** The newest recruits first. */
export const NEWEST_FIRST: Order = { column: ORDERS.received, ascending: false };

/** All recruits that the caller reads, in every agency. */
const EVERYBODY = { agent_id: null, stage: null, state: null, need: null, screening: null, order: NEWEST_FIRST };

const COLUMNS = ["id", "first_name", "last_name", "phone", "email", "state", "vendor", "agent_id", "agent", "stage"]
  .concat("last_text_at", "conversation_id", "waiting_since", "unread", "consent", "screening", "asking")
  .concat("screening_answers", "applications", Object.values(ORDERS)).join();

/** As many as a palette shows. */
const MOST_FOUND = 8;

export const recruitQueries = {
  all: () => ["recruits"],
  lists: () => [...recruitQueries.all(), "list"],
  /** The key of what has happened with a recruit (timeline.ts). */
  timeline: (id: string) => [...recruitQueries.all(), "timeline", id],
  list: (filter: RecruitFilter) => {
    const { stage, need, order } = filter;
    return pagesOptions<Recruit>(
      [...recruitQueries.lists(), filter],
      (limit, last, ids) => readRecruits(filter, limit, last, ids),
      {
        order,
        isInList: (recruit) =>
          (stage === null || recruit.stage === stage) && (need === null || needOf(recruit) === need),
      },
    );
  },
  counts: () => [...recruitQueries.all(), "count"],
  /** The number of recruits of a list. */
  count: (filter: RecruitFilter) =>
    queryOptions({
      queryKey: [...recruitQueries.counts(), { ...filter, order: null }],
      queryFn: () => counted(select(filter, COUNT)),
      placeholderData: keepPreviousData,
    }),
  /** The newest recruits of an agency that have these words in their name, phone or e-mail address. */
  found: (agency_id: string, typed: string) =>
    queryOptions({
      queryKey: [...recruitQueries.all(), "found", agency_id, typed],
      queryFn: () => readRecruits({ ...EVERYBODY, agency_id, typed }, MOST_FOUND, null, null),
    }),
  /** The other applications of a recruit's person, newest first. */
  others: (id: string) =>
    queryOptions({
      queryKey: [...recruitQueries.all(), "others", id],
      queryFn: async () =>
        await repeat(() => supabase.rpc("other_recruits", { recruiting_lead_id: id })) as unknown as OtherRecruit[],
    }),
  details: () => [...recruitQueries.all(), "detail"],
  /** A recruit; null: there is none of this id that the caller reads. */
  detail: (id: string) =>
    queryOptions({
      queryKey: [...recruitQueries.details(), id],
      queryFn: async () => {
        if (!isId(id)) return null;
        return await call(
          supabase.from("recruit_rows").select(`${COLUMNS}, resume_path, vendor_metadata`).eq("id", id).maybeSingle(),
        ) as unknown as RecruitCard | null;
      },
    }),
};

/** Another application of a recruit's person, in the same agency. */
export interface OtherRecruit {
  id: string;
  received_at: string;
  vendor: string;
  /** Null: the agency has it, and no agent of it. */
  agent: string | null;
  /** Whether the caller reads that recruit. */
  may_read: boolean;
}

/** Recruits of a list, in its order: those after `last`, or of these ids. */
export async function readRecruits(
  filter: RecruitFilter,
  limit: number,
  last: Recruit | null,
  ids: string[] | null,
): Promise<Recruit[]> {
  const { column, ascending } = filter.order;
  let query = select(filter);
  if (ids !== null) query = query.in("id", ids);
  query = after(query, last, column as (typeof ORDERS)[keyof typeof ORDERS], ascending);
  return await call(query.limit(limit)) as unknown as Recruit[];
}

/** Selects columns of the recruits of a list, or with `COUNT` only counts them. */
function select(
  { agency_id, agent_id, typed, stage, state, need, screening }: RecruitFilter,
  options?: typeof COUNT,
) {
  const [question, answer] = screening?.split(":") ?? [];
  const columns = answer === undefined ? COLUMNS : `${COLUMNS}, chosen:screening_answers!inner()`;
  let query = supabase.from("recruit_rows").select(columns, options).eq("agency_id", agency_id);
  if (answer !== undefined) query = query.eq("chosen.question", question!).eq("chosen.value", JSON.stringify(answer));
  else if (screening !== null) query = query.eq("screening", screening);
  if (agent_id === "none") query = query.is("agent_id", null);
  else if (agent_id !== null) query = query.eq("agent_id", agent_id);
  if (stage !== null) query = query.eq("stage", stage);
  if (state !== null) query = query.eq("state", state);
  if (need === "answer") query = query.not("waiting_since", "is", null);
  if (need === "opening") query = query.is("waiting_since", null).filter("unread", "neq", "{}");
  return search(query, typed, { names: ["first_name", "last_name", "email"], phones: ["phone"] });
}

/** The change of the stage of recruits. */
interface StageChange {
  ids: string[];
  stage: Stage;
}

/** Sets the stage of recruits, one change after the other. */
export function useSetStage() {
  const keyOf = (id: string) => recruitQueries.detail(id).queryKey;
  return useMutation({
    scope: { id: "stages" },
    async mutationFn({ ids, stage }: StageChange) {
      for (const recruiting_lead_id of ids) {
        await repeat(() => supabase.rpc("set_recruit_stage", { recruiting_lead_id, stage }));
      }
    },
    onMutate: async ({ ids, stage }: StageChange) => {
      const change = { stage, by_stage: STAGES.indexOf(stage) + 1 };
      const rollBacks = await Promise.all(ids.flatMap((id) => [
        changeData<RecruitCard | null>(keyOf(id), (recruit) => recruit && { ...recruit, ...change }),
        changeRow<Recruit>(recruitQueries.lists(), id, change),
      ]));
      return () => rollBacks.forEach((rollBack) => rollBack());
    },
    onError: (_error, _change, rollBack) => rollBack?.(),
    onSettled: (_done, _error, { ids }) =>
      Promise.all([
        readRowsAgain([recruitQueries.lists()], ids),
        ...[recruitQueries.counts(), ...ids.flatMap((id) => [keyOf(id), recruitQueries.timeline(id)])]
          .map((queryKey) => queryClient.invalidateQueries({ queryKey })),
      ]),
  });
}

/** Gives recruits to an agent, with their conversations. Returns how many have changed hands. */
export async function assignRecruits(ids: string[], agent: string): Promise<number> {
  const { given } = await repeat(() => supabase.rpc("assign_recruits", { ids, agent })) as { given: number };
  await queryClient.invalidateQueries({ queryKey: recruitQueries.all() });
  return given;
}

/** The caller has seen what notifications about a recruit are about. The list stops showing it as unread at once. */
export function useMarkRecruitSeen(id: string) {
  return useMutation({
    mutationFn: (notification_ids: string[]) => repeat(() => supabase.rpc("mark_read", { notification_ids })),
    // Not the recruit itself: what fails would be tried again at once, and for ever.
    onMutate: () => changeRow<Recruit>(recruitQueries.lists(), id, { unread: [] }),
    onError: (_error, _ids, rollBack) => rollBack?.(),
    onSettled: () =>
      Promise.all([
        readRowsAgain([recruitQueries.lists()], [id]),
        queryClient.invalidateQueries(recruitQueries.detail(id)),
      ]),
  });
}

/**
 * Makes the URL of a resume. It works for a minute and for anyone who has it, so it is made when it is used.
 *
 * @param name of the file that the browser stores, without its ending; null: the browser shows the file
 */
export async function signResumeUrl(path: string, name: string | null): Promise<string> {
  const files = await supabase.files("resumes");
  const { data, error } = await files
    .createSignedUrl(path, 60, name === null ? {} : { download: `${name}.${path.split(".").at(-1)}` });
  if (error !== null) throw fileError(error, "The resume is not there any more.");
  return data.signedUrl;
}

const WHY_NO_CONVERSATION: Record<string, string> = {
  "22023": "This recruit has no phone number that gets texts.",
  PT403: "Nobody may text this person.",
  PT404: "This recruit is not yours any more.",
  PT409: "Your agency has no number to text from. The people who run the service can give it one.",
};

/**
 * Begins the conversation with a recruit, or finds it. Nothing is sent. Returns the conversation's id.
 *
 * @param service_phone the number of the agency; without one it is the number that the recruit knows
 */
export async function startConversation(recruiting_lead_id: string, service_phone?: string): Promise<string> {
  try {
    const started = await repeat(() => supabase.rpc("start_conversation", { recruiting_lead_id, service_phone }));
    return (started as { conversation_id: string }).conversation_id;
  } catch (error) {
    const why = error instanceof CallError ? WHY_NO_CONVERSATION[error.code] : undefined;
    throw why === undefined ? error : new Error(why);
  }
}
