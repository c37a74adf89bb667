import type { Agent } from "../data/user.ts";
import { Page } from "../ui/page.tsx";
import { Figures } from "./figures.tsx";
import { Members } from "./members.tsx";
import { Numbers } from "./numbers.tsx";
import { Orders } from "./orders.tsx";
import { QuickReplies } from "./quick_replies.tsx";

/** The view of a manager: how were the last days, do the orders fill, do the agents answer, do the numbers work? */
export function Team({ agent }: { agent: Agent }) {
  return (
    <Page title="Team" className="team">
      <Figures />
      <Orders agent={agent} />
      <Members agent={agent} />
      <Numbers agent={agent} />
      <QuickReplies agent={agent} />
    </Page>
  );
}
