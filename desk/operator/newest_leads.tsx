import { Link } from "wouter";
import { type ListedLead, operatorQueries } from "../data/operator.ts";
import { usePages } from "../data/pages.ts";
import { Page } from "../ui/page.tsx";
import { EmptyState } from "../ui/query_result.tsx";
import { Table, type TableColumn } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { placeText } from "./lead_words.ts";
import { useVendorName } from "./vendor_name.tsx";

/** The number of leads that Today shows. */
const FEW = 5;

/** The leads that came last, for Today. */
export function NewestLeads() {
  return (
    <>
      <div className="section-head">
        <h2>Newest leads</h2>
        <Link href="/operator/leads">All leads</Link>
      </div>
      <Leads most={FEW} />
    </>
  );
}

/** All leads, the newest first. */
export function AllLeads() {
  return (
    <Page title="Leads">
      <Link href="/operator" className="back">Today</Link>
      <p className="quiet">
        Leads of recruiting vendors, the newest first. Reading one of them is noted with your name.
      </p>
      <Leads />
    </Page>
  );
}

function Leads({ most }: { most?: number }) {
  const query = usePages(operatorQueries.leads());
  const nameOf = useVendorName();
  const columns: TableColumn<ListedLead>[] = [
    { title: "Lead", cell: (lead) => <bdi>{refOf(lead)}</bdi>, isHeader: true },
    { title: "Vendor", cell: ({ vendor }) => nameOf(vendor) },
    { title: "Outcome", cell: placeText },
    { title: "Received", cell: ({ received }) => <Time at={received} /> },
  ];
  return (
    <Table
      query={most === undefined ? query : { ...query, data: query.data?.slice(0, most), fetchNextPage: undefined }}
      resource="leads"
      empty={<EmptyState title="No lead has come yet." />}
      expected={most}
      label="Leads"
      keyOf={({ id }) => id}
      nameOf={refOf}
      hrefOf={({ id }) => `/operator/search/${id}`}
      columns={columns}
    />
  );
}

function refOf({ vendor_lead_id, id }: ListedLead): string {
  return vendor_lead_id ?? id.slice(0, 8);
}
