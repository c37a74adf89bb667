import { Link } from "wouter";
import { operatorQueries } from "../data/operator.ts";
import { usePages } from "../data/pages.ts";
import { List } from "../ui/list.tsx";
import { Page } from "../ui/page.tsx";
import { EmptyState } from "../ui/query_result.tsx";
import { Time } from "../ui/time.tsx";
import { useVendorName } from "./vendor_name.ts";

/** Leads that vendors have sent again. Each is stored once. */
export function Duplicates() {
  const query = usePages(operatorQueries.duplicates());
  const nameOf = useVendorName();
  return (
    <Page title="Leads that came again">
      <Link href="/operator/vendors" className="back">Vendors</Link>
      <p className="quiet">Each was stored when it came first, and went to nobody a second time.</p>
      <List
        query={query}
        resource="leads"
        empty={<EmptyState title="No lead came again." />}
        label="Leads that came again"
        keyOf={({ id }) => id}
        columns={[
          { title: "Came again", cell: ({ received_at }) => <Time at={received_at} /> },
          { title: "Vendor", cell: ({ vendor }) => nameOf(vendor) },
          {
            title: "Lead",
            cell: ({ vendor_lead_id, lead_id }) => (
              <Link href={`/operator/search/${lead_id}`}>{vendor_lead_id ?? lead_id.slice(0, 8)}</Link>
            ),
          },
          { title: "First", cell: ({ first_received }) => <Time at={first_received} /> },
          { title: "Request", cell: ({ request_id }) => request_id },
        ]}
      />
    </Page>
  );
}
