import { type AgencyChange, agencyQueries } from "../data/agency.ts";
import { usePages } from "../data/pages.ts";
import { EmptyState } from "../ui/query_result.tsx";
import { Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { deedsOf, LIST } from "./change_text.ts";

/** Who has changed which setting, the latest first. */
export function History({ agencyId }: { agencyId: string }) {
  return (
    <Table<AgencyChange>
      query={usePages(agencyQueries.changes(agencyId))}
      resource="changes"
      label="History"
      className="history"
      empty={<EmptyState title="Nobody has changed a setting yet.">Each order has its own history.</EmptyState>}
      keyOf={({ id }) => id}
      nameOf={(change) => LIST.format(deedsOf(change))}
      columns={[
        { title: "When", isPlain: true, cell: ({ created_at }) => <Time at={created_at} /> },
        { title: "Who", isPlain: true, cell: ({ changed_by }) => <bdi>{changed_by}</bdi> },
        { title: "What", isHeader: true, isSentence: true, cell: (change) => <What change={change} /> },
      ]}
    />
  );
}

/** The first thing that was changed, and below it the others. */
function What({ change }: { change: AgencyChange }) {
  const [first, ...others] = deedsOf(change);
  return (
    <>
      <bdi>{first}</bdi>
      {others.map((deed) => <small key={deed}>{deed}</small>)}
    </>
  );
}
