import { Link } from "wouter";
import { operatorQueries } from "../data/operator.ts";
import { usePages } from "../data/pages.ts";
import { List } from "../ui/list.tsx";
import { Page } from "../ui/page.tsx";
import { phoneText } from "../ui/phone.ts";
import { EmptyState } from "../ui/query_result.tsx";
import { ago, Time } from "../ui/time.tsx";

/** The recruits of all agencies who wait for an answer. */
export function WaitingRecruits() {
  const query = usePages(operatorQueries.waitingRecruits());
  return (
    <Page title="Recruits who wait">
      <Link href="/operator" className="back">Today</Link>
      <p className="quiet">
        They have written, and nobody has answered yet. The agent has the conversation; the managers of the agency can
        give it to somebody else.
      </p>
      <List
        query={query}
        resource="recruits"
        empty={<EmptyState title="No recruit waits.">Each text has its answer.</EmptyState>}
        label="Recruits who wait"
        keyOf={({ conversation_id }) => conversation_id}
        columns={[
          { title: "Agency", cell: ({ agency }) => agency },
          { title: "Agent", cell: ({ agent }) => <bdi>{agent ?? "Managers"}</bdi> },
          { title: "Recruit", cell: ({ recruit }) => <bdi>{recruit ?? "–"}</bdi> },
          { title: "Phone", cell: ({ phone }) => phoneText(phone) },
          { title: "Waits", cell: ({ since }) => ago(since) },
          { title: "Since", cell: ({ since }) => <Time at={since} /> },
        ]}
      />
    </Page>
  );
}
