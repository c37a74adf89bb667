import { call, supabase } from "./client.ts";
import { after, pagesOptions } from "./pages.ts";

/** An agent of the agency, as the views `team` and `agent_list` have it. */
export interface Member {
  id: string;
  first_name: string;
  last_name: string | null;
  email: string | null;
  role: "agent" | "manager";
  is_active: boolean;
  accepts_recruits: boolean;
  /** invited: the link waits. */
  login: "none" | "invited" | "works";
  /** The day at whose start the agent is back, in the agency's time zone; null: the agent is not away. */
  away_until: string | null;
  /** `agents.away_until` as it is stored. */
  away_until_time: string | null;
  /** What the agent gets e-mails about: the keys of MAIL_ABOUT. */
  mail_about: string[];
  /** The number of browsers to which the agent's notifications are pushed. */
  push_browsers: number;
  /** Missing for an operator. */
  work?: Work;
}

/** What waits for an agent, as the view `team` has it. */
export interface Work {
  id: string;
  /** Conversations that wait for an answer of the agent. */
  waiting: number;
  waiting_since: string | null;
  recruits_7_days: number;
}

/** A number that texts are sent from. */
export interface ServiceNumber {
  phone: string;
  status: "active" | "paused";
  paused_reason: string | null;
  conversations: number;
  /** How many texts are to be sent from it, the oldest written at `waiting_since`. */
  waiting: number;
  waiting_since: string | null;
}

/** Whether an agent has turned on anything that reaches the agent while no page is open. */
export function getsAlerts({ push_browsers, mail_about }: Member): boolean {
  return push_browsers > 0 || mail_about.length > 0;
}

export const teamQueries = {
  all: () => ["team"],
  /**
   * The agents of an agency, by name.
   *
   * @param isOperator whether an operator reads them, who sees no conversations
   */
  members: (agency_id: string, isOperator: boolean) =>
    pagesOptions<Member>([...teamQueries.all(), agency_id, isOperator], async (limit, last) => {
      const read = <Row>(view: "team" | "agent_list", columns: string) =>
        call(
          after(supabase.from(view as "team").select(columns).eq("agency_id", agency_id), last, "first_name", true)
            .limit(limit),
        ) as unknown as Promise<Row[]>;
      const [works, settings] = await Promise.all([
        isOperator ? null : read<Work>("team", "id, waiting, waiting_since, recruits_7_days"),
        read<Member>(
          "agent_list",
          `id, first_name, last_name, email, role, is_active, accepts_recruits, login, away_until, away_until_time,
            mail_about, push_browsers`,
        ),
      ]);
      if (works === null) return settings;
      const workOf = new Map(works.map((work) => [work.id, work]));
      // Who has joined between the two is there the next time.
      return settings.filter(({ id }) => workOf.has(id)).map((member) => ({ ...member, work: workOf.get(member.id)! }));
    }),
};

export const numberQueries = {
  /** The numbers of an agency, for its managers and operators. */
  list: (agency_id: string) =>
    pagesOptions<ServiceNumber>(["numbers", agency_id], async (limit, last) =>
      await call(
        supabase.from("number_list").select("phone, status, paused_reason, conversations, waiting, waiting_since").eq(
          "agency_id",
          agency_id,
        )
          .gt("phone", last?.phone ?? "").order("phone").limit(limit),
      ) as ServiceNumber[]),
};
