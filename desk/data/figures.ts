import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Database } from "../../supabase/functions/_shared/database.types.ts";
import { call, supabase } from "./client.ts";
import { after, pagesOptions } from "./pages.ts";

/** The figures of the agency, as agency_figures() returns them. */
export interface Figures {
  /** The first of the days, in the time zone of the agency. */
  first_day: string;
  days: number;
  /** The number of leads of each day, and whether the vendor's recruits have agreed to be texted. */
  vendors: { id: string; vendor: string; leads: number[]; has_text_consent: boolean }[];
  /** In minutes of the agency's hours; null: nobody was answered. */
  first_response: { recruits: number; answered: number; median: number | null; ninety: number | null };
  waiting: { recruits: number; since: string | null };
  opt_outs: number;
  failed: number;
  /** The numbers of each day. */
  daily: { opt_outs: number[]; failed: number[] };
  /** The numbers of as many days before. */
  before: { recruits: number; opt_outs: number; failed: number };
  agents: AgentFigures[];
}

/** What an agent has done in the days, and how many recruits wait for the agent now. */
export interface AgentFigures {
  id: string;
  name: string;
  /** Whether the agent has not left. */
  is_active: boolean;
  waiting: number;
  /** Those who came in the days, and whom the agent has now. */
  recruits: number;
  /** The recruits whom the agent has answered, and those of the agent whom nobody has answered. */
  wrote: number;
  answered: number;
  /** In minutes of the agency's hours; null: the agent has answered nobody. */
  median: number | null;
  moved_on: number;
  hired: number;
}

/** How far the leads of a vendor have come that came in the days. */
export type VendorFunnel = Database["public"]["Functions"]["vendor_quality"]["Returns"][number];

/** The lists that figure_list() has. */
export const LISTS = ["leads", "not_texted", "wrote", "answered", "unanswered", "failed", "opt_outs"] as const;

/** One of the lists; of `leads` and `not_texted` a day, a vendor or an order may be named. Null: of each. */
export interface Listed {
  figure: (typeof LISTS)[number];
  day: string | null;
  vendor_id: string | null;
  order_id: string | null;
}

/** A row of a list. */
export interface FigureRow {
  id: string;
  /** Null: there is none. */
  conversation_id: string | null;
  recruiting_lead_id: string | null;
  name: string | null;
  phone: string | null;
  agent: string | null;
  at: string;
  /** The minutes to the first response, of `wrote` and `answered`; null: there is none yet. */
  minutes: number | null;
  /** How the conversation stands now, `settled` where no reply is needed; null: there is none. */
  state: "waits" | "snoozed" | "opted_out" | "texted" | "settled" | null;
}

/** The hours of an agency, such as 09:00:00. */
interface Hours {
  opens_at: string;
  closes_at: string;
}

// Read each minute and on a connect, and not after each text of the agency.
export const figureQueries = {
  all: () => ["figures"],
  /** Those of the last days, today included. */
  figures: (days: number) =>
    queryOptions({
      queryKey: [...figureQueries.all(), "figures", days],
      queryFn: async () => await call(supabase.rpc("agency_figures", { days })) as unknown as Figures,
      placeholderData: keepPreviousData,
    }),
  /** The vendors whose leads came in the days of the figures, the one with the most leads first. */
  funnel: (agency_id: string, { first_day, days }: Pick<Figures, "first_day" | "days">) =>
    queryOptions({
      queryKey: [...figureQueries.all(), "funnel", agency_id, first_day, days],
      queryFn: async () =>
        await call(
          supabase.rpc("vendor_quality", { since: first_day, until: dayAfter(first_day, days - 1), agency_id }),
        ),
      placeholderData: keepPreviousData,
    }),
  /** The hours of the agency, Monday to Friday, whose minutes alone count for a response. */
  hours: (agency_id: string) =>
    queryOptions({
      queryKey: [...figureQueries.all(), "hours", agency_id],
      queryFn: async () =>
        await call(supabase.from("agencies").select("opens_at, closes_at").eq("id", agency_id).single()) as Hours,
    }),
  /** The rows that a figure counts, the latest first. */
  list: (listed: Listed, days: number) =>
    pagesOptions<FigureRow>([...figureQueries.all(), listed, days], async (limit, last) => {
      const { figure, day, vendor_id, order_id } = listed;
      const rows = supabase.rpc("figure_list", {
        figure,
        days,
        day: day ?? undefined,
        vendor_id: vendor_id ?? undefined,
        order_id: order_id ?? undefined,
      }).limit(limit);
      return await call(after(rows, last, "at")) as FigureRow[];
    }),
};

/** The day so many days after another one, as 2026-11-23. */
export function dayAfter(day: string, count: number): string {
  const date = new Date(`${day}T00:00Z`);
  date.setUTCDate(date.getUTCDate() + count);
  return date.toISOString().slice(0, 10);
}
