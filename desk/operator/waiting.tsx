import { useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { type DistributedLead, operatorQueries, type WaitingVendor, type WantedLeads } from "../data/operator.ts";
import { useDistribute } from "../data/operator_acts.ts";
import { usePages } from "../data/pages.ts";
import { ConfirmButton } from "../ui/confirm.tsx";
import { countText } from "../ui/count.ts";
import { Page } from "../ui/page.tsx";
import { EmptyState } from "../ui/query_result.tsx";
import { Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { useVendorName } from "./vendor_name.tsx";

/** The number of leads that are distributed at once: new leads wait meanwhile. */
const MOST = 100;

/** The leads that no order has got, and their distribution. */
export function Waiting() {
  const query = usePages(operatorQueries.waiting());
  const { data: vendors = [] } = useQuery(operatorQueries.waitingVendors());
  const { data: result, mutateAsync: distribute } = useDistribute();
  const nameOf = useVendorName();
  const waiting = vendors.reduce((count, { leads }) => count + leads, 0);
  return (
    <Page title="Waiting leads" isTitleHidden>
      <p className="quiet">
        Leads that no order wanted when they came. Open an order that wants them among the{" "}
        <Link href="/operator/orders">orders</Link>, then distribute them.
      </p>
      {result !== undefined && <Result {...result} />}
      {waiting > 0 && (
        <Distribution
          vendors={vendors}
          waiting={waiting}
          act={(vendor_id) => distribute({ max: MOST, vendor_id })}
        />
      )}
      <Table
        label="Waiting leads"
        query={query}
        resource="waiting leads"
        empty={<EmptyState title="No lead waits.">Each has an agency.</EmptyState>}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name || "No name"}
        hrefOf={({ id }) => `/operator/search/${id}`}
        columns={[
          { title: "Name", cell: ({ name }) => <bdi>{name || "No name"}</bdi>, isHeader: true },
          { title: "Vendor", cell: ({ vendor }) => nameOf(vendor!) },
          { title: "State", cell: ({ state }) => state ?? "–" },
          { title: "Received", cell: ({ received }) => <Time at={received} /> },
        ]}
      />
    </Page>
  );
}

function Distribution(
  { vendors, waiting, act }: {
    vendors: WaitingVendor[];
    waiting: number;
    act: (vendorId: string | null) => Promise<unknown>;
  },
) {
  const [selected, setSelected] = useState("");
  const { data: counted } = useQuery(operatorQueries.wantedLeads());
  const nameOf = useVendorName();
  // None of its leads may wait any more.
  const chosen = vendors.find(({ vendor_id }) => vendor_id === selected);
  const those = counted?.filter(({ vendor_id }) => chosen === undefined || vendor_id === chosen.vendor_id);
  const wanted = those?.reduce((sum, { wanted }) => sum + wanted, 0);

  return (
    <div className="filters">
      <select aria-label="Vendor" value={chosen?.vendor_id ?? ""} onChange={(event) => setSelected(event.target.value)}>
        <option value="">All vendors</option>
        {vendors.map(({ vendor_id, vendor, leads }) => (
          <option key={vendor_id} value={vendor_id}>{`${nameOf(vendor)} (${leads.toLocaleString("en-US")})`}</option>
        ))}
      </select>
      <ConfirmButton
        label={wanted ? `Distribute ${Math.min(wanted, MOST)}` : "Distribute"}
        className={wanted ? "primary" : undefined}
        question={
          <p>
            Up to {MOST} leads of {chosen === undefined ? "all vendors" : nameOf(chosen.vendor)}{" "}
            go to the open orders that want them, the oldest first. This can't be undone. It is noted with your name.
          </p>
        }
        act={() => act(chosen?.vendor_id ?? null)}
      />
      {wanted !== undefined && <p>{wantedText(wanted, chosen?.leads ?? waiting)} {statesText(those!)}</p>}
    </div>
  );
}

function wantedText(wanted: number, waiting: number): string {
  if (wanted === 0) return "No open order wants any of them now.";
  return `Open orders now want ${countText(wanted)} of the ${countText(waiting)}.`;
}

/** How many leads wait for each state, the most first, and how many of them are wanted. */
function statesText(counted: WantedLeads[]): string {
  const ofState = Map.groupBy(counted.flatMap(({ states }) => states), ({ state }) => state ?? "no state");
  return [...ofState].map(([state, counts]) => ({
    state,
    leads: counts.reduce((sum, { leads }) => sum + leads, 0),
    wanted: counts.reduce((sum, { wanted }) => sum + wanted, 0),
  })).toSorted((one, other) => other.leads - one.leads).map(({ state, leads, wanted }) =>
    `${state}: ${countText(leads)}${wanted > 0 ? ` (${countText(wanted)} wanted)` : ""}`
  ).join(", ");
}

/** The distributed leads, with their agencies and agents. */
function Result({ distributed, waiting }: { distributed: DistributedLead[]; waiting: number | null }) {
  const nameOf = useVendorName();
  return (
    <section className="notice">
      <p role="status">
        {distributed.length === 0
          ? "None was distributed: no open order wants them now."
          : `Distributed: ${distributed.length}.`} {waiting !== null && `Still waiting: ${waiting}.`}
      </p>
      {distributed.length > 0 && (
        <Table
          label="Distributed"
          query={{ data: distributed, error: null, refetch: () => {} }}
          resource="leads"
          empty={null}
          keyOf={({ id }) => id}
          nameOf={({ name }) => name}
          columns={[
            { title: "Name", cell: ({ name }) => <bdi>{name}</bdi>, isHeader: true },
            { title: "Vendor", cell: ({ vendor }) => nameOf(vendor) },
            { title: "State", cell: ({ state }) => state ?? "–" },
            { title: "Agency", cell: ({ agency }) => agency },
            { title: "Agent", cell: ({ agent }) => <bdi>{agent || "–"}</bdi> },
          ]}
        />
      )}
    </section>
  );
}
