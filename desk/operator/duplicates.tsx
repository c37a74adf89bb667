import { Link } from "wouter";
import { operatorQueries } from "../data/operator.ts";
import type { Duplicate } from "../data/operator_rows.ts";
import { usePages } from "../data/pages.ts";
import { Page } from "../ui/page.tsx";
import { EmptyState } from "../ui/query_result.tsx";
import { Table } from "../ui/table.tsx";
import { ago, Time } from "../ui/time.tsx";
import { useVendorName } from "./vendor_name.tsx";

/** Leads that vendors have sent again. Each is stored once. */
export function Duplicates() {
  const query = usePages(operatorQueries.duplicates());
  const nameOf = useVendorName();
  return (
    <Page title="Duplicate leads">
      <Link href="/operator/vendors" className="back">Vendors</Link>
      <p className="quiet">Each was stored and distributed once, when it first came.</p>
      <Table
        query={query}
        resource="leads"
        empty={<EmptyState title="There is no duplicate lead." />}
        label="Duplicate leads"
        keyOf={({ id }) => id}
        nameOf={refOf}
        hrefOf={({ lead_id }) => `/operator/search/${lead_id}`}
        columns={[
          { title: "Lead", cell: (lead) => <bdi>{refOf(lead)}</bdi>, isHeader: true },
          { title: "Vendor", cell: ({ vendor }) => nameOf(vendor), isPlain: true },
          { title: "First", cell: ({ first_received }) => <Time at={first_received} /> },
          { title: "Came again", cell: ({ received_at }) => <Time at={received_at} />, isCorner: true },
          { title: "After", cell: (lead) => afterText(lead), isNumber: true },
        ]}
      />
    </Page>
  );
}

/** How long after the first time it came again. */
function afterText({ first_received, received_at }: Duplicate): string {
  const ms = Date.parse(received_at) - Date.parse(first_received);
  if (ms < 500) return "in the same second";
  return ms < 60_000 ? `${Math.round(ms / 1000)} s` : ago(first_received, Date.parse(received_at));
}

function refOf({ vendor_lead_id, lead_id }: Duplicate): string {
  return vendor_lead_id ?? lead_id.slice(0, 8);
}
