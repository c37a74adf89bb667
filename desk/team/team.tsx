import type { Agent } from "../data/user.ts";
import { Page } from "../ui/page.tsx";
import { Members } from "./members.tsx";
import { Numbers } from "./numbers.tsx";
import { Orders } from "./orders.tsx";
import { QuickReplies } from "./quick_replies.tsx";

/** The view of a manager: do the orders fill, do the agents answer, do the numbers work? */
export function Team({ agent }: { agent: Agent }) {
  return (
    <Page title="Team" className="team">
      <Orders agent={agent} />
      <Members agent={agent} />
      <Numbers agent={agent} />
      <QuickReplies agent={agent} />
    </Page>
  );
}
