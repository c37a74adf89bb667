import { Link } from "wouter";
import { type Duplicate, operatorQueries } from "../data/operator.ts";
import { usePages } from "../data/pages.ts";
import { Page } from "../ui/page.tsx";
import { EmptyState } from "../ui/query_result.tsx";
import { Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { useVendorName } from "./vendor_name.tsx";

/** Leads that vendors have sent again. Each is stored once. */
export function Duplicates() {
  const query = usePages(operatorQueries.duplicates());
  const nameOf = useVendorName();
  return (
    <Page title="Leads that came again">
      <Link href="/operator/vendors" className="back">Vendors</Link>
      <p className="quiet">Each was stored when it came first, and went to nobody a second time.</p>
      <Table
        query={query}
        resource="leads"
        empty={<EmptyState title="No lead came again." />}
        label="Leads that came again"
        keyOf={({ id }) => id}
        nameOf={refOf}
        hrefOf={({ lead_id }) => `/operator/search/${lead_id}`}
        columns={[
          { title: "Lead", cell: (lead) => <bdi>{refOf(lead)}</bdi>, isHeader: true },
          { title: "Vendor", cell: ({ vendor }) => nameOf(vendor) },
          { title: "Came again", cell: ({ received_at }) => <Time at={received_at} /> },
          { title: "First", cell: ({ first_received }) => <Time at={first_received} /> },
        ]}
      />
    </Page>
  );
}

function refOf({ vendor_lead_id, lead_id }: Duplicate): string {
  return vendor_lead_id ?? lead_id.slice(0, 8);
}
