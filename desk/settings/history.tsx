import { type AgencyChange, agencyQueries } from "../data/agency.ts";
import { usePages } from "../data/pages.ts";
import { EmptyState } from "../ui/query_result.tsx";
import { Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { changeText } from "./change_text.ts";

/** Who has changed which setting, the latest first. */
export function History({ agencyId }: { agencyId: string }) {
  const query = usePages(agencyQueries.changes(agencyId));
  return (
    <section aria-label="History" className="history">
      <Table<AgencyChange>
        query={query}
        resource="changes"
        label="History"
        empty={<EmptyState title="Nobody has changed a setting yet.">Each order has its own history.</EmptyState>}
        keyOf={({ id }) => id}
        nameOf={changeText}
        columns={[
          { title: "Change", isHeader: true, cell: (change) => <bdi>{changeText(change)}</bdi> },
          { title: "When", isPlain: true, cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
      />
    </section>
  );
}
