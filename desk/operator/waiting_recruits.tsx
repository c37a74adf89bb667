import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { operatorQueries } from "../data/operator.ts";
import type { WaitingRecruit } from "../data/operator_rows.ts";
import { operatorCounts } from "../data/operator_counts.ts";
import { usePages } from "../data/pages.ts";
import { Badge } from "../ui/badge.tsx";
import { latenessOf } from "../ui/lateness.ts";
import { Page } from "../ui/page.tsx";
import { phoneText } from "../ui/phone.ts";
import { EmptyState } from "../ui/query_result.tsx";
import { Table } from "../ui/table.tsx";
import { ago, Time } from "../ui/time.tsx";

/** The minutes after which the alert recruit_waiting opens, unless its rule has others. */
const LIMIT = 15;

/** The recruits of all agencies who wait for an answer. */
export function WaitingRecruits() {
  const query = usePages(operatorQueries.waitingRecruits());
  // The menu counts them at the same time.
  useQuery({ ...operatorCounts(), staleTime: 0 });
  return (
    <Page title="Waiting recruits">
      <p className="quiet">
        Nobody has answered these recruits yet. After {LIMIT}{" "}
        minutes, remind the agent; a manager of the agency can assign the conversation to somebody else.
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
            cell: ({ since }) => isLate(since) ? <Badge meaning={latenessOf(since)}>{ago(since)}</Badge> : ago(since),
          },
          { title: "Next step", cell: (recruit) => isLate(recruit.since) && <Remind of={recruit} />, isPlain: true },
        ]}
      />
    </Page>
  );
}

function isLate(since: string): boolean {
  return Date.parse(since) < Date.now() - LIMIT * 60_000;
}

/** Writes to the agent who is to answer, or leads to those who can say who does. */
export function Remind({ of: { agent, agent_email, agency, agency_id, phone } }: { of: WaitingRecruit }) {
  return agent_email === null
    ? (
      <Link href={`/operator/agencies/${agency_id}`} className="button">
        See the agency’s people <span className="visually-hidden">of {agency}</span>
      </Link>
    )
    : (
      <a
        href={`mailto:${agent_email}?subject=${encodeURIComponent("A recruit waits for your answer")}`}
        className="button"
      >
        <span>
          E-mail <bdi>{agent}</bdi> <span className="visually-hidden">about {phoneText(phone)}</span>
        </span>
      </a>
    );
}
