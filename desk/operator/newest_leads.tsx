import { Link, useSearch } from "wouter";
import { operatorQueries } from "../data/operator.ts";
import type { ListedLead, WaitingLead } from "../data/operator_rows.ts";
import { usePages } from "../data/pages.ts";
import { SelectField } from "../ui/filters.tsx";
import { Nothing } from "../ui/nothing.tsx";
import { Page } from "../ui/page.tsx";
import { EmptyState } from "../ui/query_result.tsx";
import { Table, type TableColumn } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { DISTRIBUTIONS } from "./lead_words.ts";
import { Place } from "./place.tsx";
import { useVendorName, VendorField } from "./vendor_name.tsx";

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
  const parameters = new URLSearchParams(useSearch());
  return (
    <Page title="Leads">
      <p className="quiet">
        Leads of recruiting vendors, the newest first. Reading one of them is noted with your name. To find one by name,
        phone number or id, <Link href="/operator/search">search</Link>.
      </p>
      <form className="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <VendorField />
        <SelectField
          name="distribution"
          label="Outcome"
          all="All outcomes"
          options={Object.entries(DISTRIBUTIONS)}
        />
      </form>
      <Leads vendor={parameters.get("vendor")} distribution={parameters.get("distribution")} />
    </Page>
  );
}

function Leads({ most, ...narrow }: { most?: number; vendor?: string | null; distribution?: string | null }) {
  const query = usePages(operatorQueries.leads(narrow));
  const columns: TableColumn<ListedLead>[] = useLeadColumns();
  return (
    <Table
      query={most === undefined ? query : { ...query, data: query.data?.slice(0, most), fetchNextPage: undefined }}
      resource="leads"
      empty={
        <EmptyState
          title={narrow.vendor || narrow.distribution ? "No lead matches the filters." : "No lead has come yet."}
        />
      }
      expected={most}
      label="Leads"
      keyOf={({ id }) => id}
      nameOf={refOf}
      hrefOf={({ id }) => `/operator/search/${id}`}
      columns={columns.toSpliced(-1, 0, {
        title: "Outcome",
        isPlain: true,
        isSentence: true,
        cell: (lead) => <Place {...lead} />,
      })}
    />
  );
}

/** The columns that all lists of leads begin with. */
export function useLeadColumns(): TableColumn<WaitingLead>[] {
  const nameOf = useVendorName();
  return [
    {
      title: "Lead",
      cell: (lead) => (
        <>
          {refOf(lead)} {lead.name && (
            <small>
              <bdi>{lead.name}</bdi>
            </small>
          )}
        </>
      ),
      isHeader: true,
    },
    { title: "State", cell: ({ state }) => state ?? <Nothing words="none" />, isPlain: true },
    { title: "Vendor", isPlain: true, cell: ({ vendor }) => nameOf(vendor) },
    { title: "Received", isCorner: true, cell: ({ received }) => <Time at={received} /> },
  ];
}

export function refOf({ vendor_lead_id, id }: WaitingLead): string {
  return vendor_lead_id ?? id.slice(0, 8);
}
