import { call, supabase } from "./client.ts";
import { after, pagesOptions } from "./pages.ts";
import { queryClient } from "./queries.ts";
import { startConversation } from "./recruits.ts";

/** A text of a known recruit to a number of the agency without a conversation. */
export interface WaitingText {
  id: string;
  recruiting_lead_id: string;
  name: string;
  recruit_phone: string;
  /** The number of the agency that they were sent to. */
  service_phone: string;
  /** The recruit's agent; null: nobody. */
  agent_id: string | null;
  agent: string | null;
  body: string | null;
  media: unknown[];
  consent: "opted_in" | "opted_out" | null;
  received_at: string;
}

export const waitingTextQueries = {
  all: () => ["waiting-texts"],
  /** Those that the agent may read, the first one first. */
  list: (agency_id: string) =>
    pagesOptions<WaitingText>([...waitingTextQueries.all(), agency_id], async (limit, last) => {
      const query = supabase.from("waiting_texts")
        .select(
          "id, recruiting_lead_id, name, recruit_phone, service_phone, agent_id, agent, body, media, consent, received_at",
        )
        .eq("agency_id", agency_id);
      return await call(after(query, last, "received_at", true).limit(limit)) as WaitingText[];
    }),
};

/** Makes a conversation of the texts of a recruit to one number. Returns its id. */
export async function startWithTexts({ recruiting_lead_id, service_phone }: WaitingText): Promise<string> {
  const id = await startConversation(recruiting_lead_id, service_phone);
  // After a failure the list stays, with the sentence about it.
  void queryClient.invalidateQueries({ queryKey: waitingTextQueries.all() });
  return id;
}
