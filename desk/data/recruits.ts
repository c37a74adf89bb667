import { queryOptions, useMutation } from "@tanstack/react-query";
import { call, CallError, fileError, repeat, supabase } from "./client.ts";
import { changeData, changeRow, readRowsAgain } from "./changes.ts";
import { after, isId, pagesOptions, search } from "./pages.ts";
import { queryClient } from "./queries.ts";

/** The stages of a recruit, in their order. */
export const STAGES = ["new", "contacted", "interview", "licensed", "hired", "lost"] as const;
export type Stage = (typeof STAGES)[number];

/** The filter of a list of recruits. */
export interface RecruitFilter {
  agency_id: string;
  /** Null: those of every agent. */
  agent_id: string | null;
  /** The words that the user looks for. */
  typed: string;
  /** Null: those of every stage. */
  stage: Stage | null;
}

/** A row of the list. */
export interface Recruit {
  id: string;
  first_name: string;
  last_name: string | null;
  phone: string | null;
  email: string | null;
  state: string | null;
  created_at: string;
  agents: { first_name: string; last_name: string | null } | null;
  /** Not empty: the caller was notified of this recruit, and has not opened it yet. */
  agent_notifications: { id: string }[];
  /** Empty: there is no conversation. */
  recruiting_conversations: { id: string }[];
  /** Empty: the recruit is new. */
  recruit_stages: { stage: Stage }[];
}

/** The stage that a recruit has now. */
export function stageOf({ recruit_stages }: Recruit): Stage {
  return recruit_stages[0]?.stage ?? "new";
}

/** A recruit with all that is known. */
export interface RecruitCard extends Recruit {
  /** The recruit's agent; null: the agency has it, and no agent of it. */
  agent_id: string | null;
  resume_path: string | null;
  vendor_metadata: Record<string, unknown>;
  screening_answers: { question: string; value: unknown; said: string }[];
}

/** As many as a palette shows. */
const MOST_FOUND = 8;

export const recruitQueries = {
  all: () => ["recruits"],
  lists: () => [...recruitQueries.all(), "list"],
  /** The key of what has happened with a recruit (timeline.ts). */
  timeline: (id: string) => [...recruitQueries.all(), "timeline", id],
  /** Recruits, newest first. */
  list: (filter: RecruitFilter) => {
    const { agency_id, agent_id, typed, stage } = filter;
    return pagesOptions<Recruit>(
      [...recruitQueries.lists(), agency_id, agent_id, typed, stage],
      (limit, last, ids) => readRecruits(filter, limit, last, ids),
      {
        order: { column: "created_at", ascending: false },
        isInList: (recruit) => stage === null || stageOf(recruit) === stage,
      },
    );
  },
  /** The newest recruits of an agency that have these words in their name, phone or e-mail address. */
  found: (agency_id: string, typed: string) =>
    queryOptions({
      queryKey: [...recruitQueries.all(), "found", agency_id, typed],
      queryFn: () => readRecruits({ agency_id, agent_id: null, typed, stage: null }, MOST_FOUND, null, null),
    }),
  /** The other leads of a recruit's person, newest first. */
  others: (id: string) =>
    queryOptions({
      queryKey: [...recruitQueries.all(), "others", id],
      queryFn: async () =>
        await repeat(() => supabase.rpc("other_recruits", { recruiting_lead_id: id })) as unknown as OtherRecruit[],
    }),
  /** A recruit; null: there is none of this id that the caller reads. */
  detail: (id: string) =>
    queryOptions({
      queryKey: [...recruitQueries.all(), "detail", id],
      queryFn: async () => {
        if (!isId(id)) return null;
        return await call(
          supabase.from("recruiting_leads")
            .select(`id, first_name, last_name, phone, email, state, created_at, agent_id, resume_path, vendor_metadata,
              agents(first_name, last_name), agent_notifications(id), recruiting_conversations(id),
              screening_answers(question, value, said), recruit_stages(stage)`)
            .is("recruit_stages.ended_at", null)
            .eq("agent_notifications.kind", "lead")
            .is("agent_notifications.read_at", null)
            .order("answered_at", { referencedTable: "screening_answers" })
            .eq("id", id)
            .maybeSingle(),
        ) as RecruitCard | null;
      },
    }),
};

/** Another lead of a recruit's person, in the same agency. */
export interface OtherRecruit {
  id: string;
  received_at: string;
  vendor: string;
  /** Null: the agency has it, and no agent of it. */
  agent: string | null;
  /** Whether the caller reads that recruit. */
  may_read: boolean;
}

/** Recruits of a list, newest first: those after `last`, or of these ids. */
export async function readRecruits(
  { agency_id, agent_id, typed, stage }: RecruitFilter,
  limit: number,
  last: Recruit | null,
  ids: string[] | null,
): Promise<Recruit[]> {
  let query = supabase.from("recruiting_leads")
    .select(`id, first_name, last_name, phone, email, state, created_at, agents(first_name, last_name),
      agent_notifications(id), recruiting_conversations(id), recruit_stages(stage), staged:recruit_stages(stage)`)
    .is("recruit_stages.ended_at", null)
    .eq("recruit_stages.agency_id", agency_id)
    .is("staged.ended_at", null)
    .eq("agent_notifications.kind", "lead")
    .is("agent_notifications.read_at", null)
    .limit(1, { referencedTable: "recruiting_conversations" })
    .eq("agency_id", agency_id);
  if (agent_id !== null) query = query.eq("agent_id", agent_id);
  // A new recruit has no stage, or has got this one again.
  if (stage === "new") query = query.neq("staged.stage", "new").is("staged", null);
  else if (stage !== null) query = query.eq("staged.stage", stage).not("staged", "is", null);
  if (ids !== null) query = query.in("id", ids);
  query = search(after(query, last), typed, { names: ["first_name", "last_name", "email"], phones: ["phone"] });
  return await call(query.limit(limit)) as Recruit[];
}

/** Sets the stage of a recruit. */
export function useSetStage(id: string) {
  const { queryKey } = recruitQueries.detail(id);
  return useMutation({
    scope: { id: `recruit:${id}` },
    mutationFn: (stage: Stage) => repeat(() => supabase.rpc("set_recruit_stage", { recruiting_lead_id: id, stage })),
    onMutate: async (stage: Stage) => {
      const recruit_stages = [{ stage }];
      const rollBacks = await Promise.all([
        changeData<RecruitCard | null>(queryKey, (recruit) => recruit && { ...recruit, recruit_stages }),
        changeRow<Recruit>(recruitQueries.lists(), id, { recruit_stages }),
      ]);
      return () => rollBacks.forEach((rollBack) => rollBack());
    },
    onError: (_error, _stage, rollBack) => rollBack?.(),
    onSettled: () =>
      Promise.all([
        readRowsAgain(recruitQueries.lists(), [id]),
        queryClient.invalidateQueries({ queryKey }),
        queryClient.invalidateQueries({ queryKey: recruitQueries.timeline(id) }),
      ]),
  });
}

/** The caller has seen what notifications about a recruit are about. The list shows it as new no more at once. */
export function useMarkRecruitSeen(id: string) {
  return useMutation({
    mutationFn: (notification_ids: string[]) => repeat(() => supabase.rpc("mark_read", { notification_ids })),
    // Not the recruit itself: what fails would be tried again at once, and for ever.
    onMutate: () => changeRow<Recruit>(recruitQueries.lists(), id, { agent_notifications: [] }),
    onError: (_error, _ids, rollBack) => rollBack?.(),
    onSettled: () =>
      Promise.all([
        readRowsAgain(recruitQueries.lists(), [id]),
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
