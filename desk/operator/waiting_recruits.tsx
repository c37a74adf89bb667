import { Link } from "wouter";
import { operatorQueries } from "../data/operator.ts";
import { usePages } from "../data/pages.ts";
import { Badge } from "../ui/badge.tsx";
import { latenessOf } from "../ui/lateness.ts";
import { Page } from "../ui/page.tsx";
import { phoneText } from "../ui/phone.ts";
import { EmptyState } from "../ui/query_result.tsx";
import { Table } from "../ui/table.tsx";
import { ago, Time } from "../ui/time.tsx";

/** The recruits of all agencies who wait for an answer. */
export function WaitingRecruits() {
  const query = usePages(operatorQueries.waitingRecruits());
  return (
    <Page title="Waiting recruits">
      <p className="quiet">
        They have written, and nobody has answered yet. The agent has the conversation. A manager of the agency can give
        it to somebody else: open the agency to see its people.
      </p>
      <Table
        query={query}
        resource="recruits"
        empty={<EmptyState title="No recruit waits.">Each text has its answer.</EmptyState>}
        label="Waiting recruits"
        keyOf={({ conversation_id }) => conversation_id}
        nameOf={({ recruit, phone }) => recruit ?? phoneText(phone)}
        columns={[
          { title: "Recruit", cell: ({ recruit, phone }) => <bdi>{recruit ?? phoneText(phone)}</bdi>, isHeader: true },
          {
            title: "Agency",
            isPlain: true,
            cell: ({ agency_id, agency }) => <Link href={`/operator/agencies/${agency_id}`}>{agency}</Link>,
          },
          { title: "Agent", isPlain: true, cell: ({ agent }) => <bdi>{agent ?? "Managers"}</bdi> },
          { title: "Phone", isPlain: true, cell: ({ phone }) => phoneText(phone) },
          { title: "Since", cell: ({ since }) => <Time at={since} />, isMinor: true },
          {
            title: "Waits",
            isCorner: true,
            cell: ({ since }) => <Badge meaning={latenessOf(since)}>{ago(since)}</Badge>,
          },
        ]}
      />
    </Page>
  );
}
