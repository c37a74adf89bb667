import { queryOptions, useMutation } from "@tanstack/react-query";
import { call, repeat, supabase } from "./client.ts";
import { queryClient } from "./queries.ts";

/** What an agent can be sent mail about, as `agents.mail_about` has it. */
export const MAIL_ABOUT = { lead: "A new lead", recruit_waiting: "A recruit has waited 15 minutes" };

/** What the agent has chosen of {@link MAIL_ABOUT}. */
export function mailOptions(agent_id: string) {
  return queryOptions({
    queryKey: ["mail about", agent_id],
    queryFn: async () => {
      const [agent] = await repeat(() => supabase.from("agents").select("mail_about").eq("id", agent_id));
      return agent!.mail_about;
    },
  });
}

/** Stores what the agent, who is signed in, is sent mail about. */
export function useSetMail(agent_id: string) {
  return useMutation({
    // Of two changes at once the later one stays.
    scope: { id: "mail about" },
    mutationFn: (about: string[]) => call(supabase.rpc("set_my_mail", { about })),
    onSettled: () => queryClient.invalidateQueries(mailOptions(agent_id)),
  });
}
