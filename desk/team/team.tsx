import type { Agent } from "../data/user.ts";
import { Destinations } from "../ui/destinations.tsx";
import { Page } from "../ui/page.tsx";
import { Members } from "./members.tsx";
import { Numbers } from "./numbers.tsx";
import { Orders } from "./orders.tsx";
import { QuickReplies } from "./quick_replies.tsx";

/** The parts of the view, by the id of each heading. */
const PARTS = {
  orders: "Orders",
  agents: "Agents",
  numbers: "Our numbers",
  "quick-replies": "Quick replies",
  destinations: "Destinations",
};

/** The view of a manager: do the orders fill, do the agents answer, do the numbers work? */
export function Team({ agent }: { agent: Agent }) {
  return (
    <Page title="Team" isTitleHidden className="team">
      <nav className="buttons" aria-label="Parts of the team">
        {Object.entries(PARTS).map(([id, name]) => (
          <button
            key={id}
            type="button"
            className="link"
            onClick={() => showPart(id)}
          >
            {name}
          </button>
        ))}
      </nav>
      <Orders agent={agent} />
      <Members agent={agent} />
      <Numbers agent={agent} />
      <QuickReplies agent={agent} />
      <section aria-labelledby="destinations">
        <h2 id="destinations">Destinations</h2>
        <Destinations agencyId={agent.agency_id} />
      </section>
    </Page>
  );
}

/** Shows a part of the view. The address's hash is the route, so a link to the heading would leave the view. */
function showPart(id: string): void {
  const heading = document.getElementById(id)!;
  heading.tabIndex = -1;
  heading.focus();
  heading.scrollIntoView();
}
