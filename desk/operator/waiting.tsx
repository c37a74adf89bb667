import { useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import {
  type DistributedLead,
  NO_STATE,
  operatorQueries,
  type WaitingVendor,
  type WantedLeads,
} from "../data/operator.ts";
import { useDistribute } from "../data/operator_acts.ts";
import { usePages } from "../data/pages.ts";
import { ConfirmButton } from "../ui/confirm.tsx";
import { countText } from "../ui/count.ts";
import { useParameter } from "../ui/location.ts";
import { Page } from "../ui/page.tsx";
import { EmptyState } from "../ui/query_result.tsx";
import { Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { useVendorName } from "./vendor_name.tsx";

/** The number of leads that are distributed at once: new leads wait meanwhile. */
const MOST = 100;

/** The leads that no order has got, and their distribution. */
export function Waiting() {
  const [state] = useParameter("state");
  const query = usePages(operatorQueries.waiting(state));
  const { data: vendors = [] } = useQuery(operatorQueries.waitingVendors());
  const { data: result, mutateAsync: distribute } = useDistribute();
  const nameOf = useVendorName();
  const waiting = vendors.reduce((count, { leads }) => count + leads, 0);
  return (
    <Page title="Waiting leads" isTitleHidden>
      <p className="quiet">Leads that no order wanted when they came.</p>
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
        empty={state === null
          ? <EmptyState title="No lead waits.">Each has an agency.</EmptyState>
          : (
            <EmptyState title="No lead of this state waits.">
              <Link href="/operator/waiting">All waiting leads</Link>
            </EmptyState>
          )}
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
  const { data: counted, isPending } = useQuery(operatorQueries.wantedLeads());
  const nameOf = useVendorName();
  // None of its leads may wait any more.
  const chosen = vendors.find(({ vendor_id }) => vendor_id === selected);
  const those = counted?.filter(({ vendor_id }) => chosen === undefined || vendor_id === chosen.vendor_id);
  const wanted = those?.reduce((sum, { wanted }) => sum + wanted, 0);

  const states = statesOf(those ?? []);

  return (
    <div className="filters">
      <select aria-label="Vendor" value={chosen?.vendor_id ?? ""} onChange={(event) => setSelected(event.target.value)}>
        <option value="">All vendors</option>
        {vendors.map(({ vendor_id, vendor, leads }) => (
          <option key={vendor_id} value={vendor_id}>{`${nameOf(vendor)} (${leads.toLocaleString("en-US")})`}</option>
        ))}
      </select>
      {!isPending && wanted !== 0 && (
        <ConfirmButton
          label={wanted ? `Distribute ${Math.min(wanted, MOST)}` : "Distribute"}
          className="primary"
          question={
            <p>
              Up to {MOST} leads of {chosen === undefined ? "all vendors" : nameOf(chosen.vendor)}{" "}
              go to the open orders that want them, the oldest first. This can't be undone. It is noted with your name.
            </p>
          }
          act={() => act(chosen?.vendor_id ?? null)}
        />
      )}
      <StateLinks states={states} />
      {wanted !== undefined && <WantedText wanted={wanted} waiting={chosen?.leads ?? waiting} states={states} />}
    </div>
  );
}

function WantedText({ wanted, waiting, states }: { wanted: number; waiting: number; states: StateCount[] }) {
  if (wanted > 0) return <p>Open orders now want {countText(wanted)} of the {countText(waiting)}.</p>;
  const named = states.flatMap(({ state }) => state ?? []).slice(0, 3);
  return (
    <p>
      No open order wants any of them. Change an order so that it takes{" "}
      {named.length === 0 ? "leads without a state" : named.join(", ")}, or open one:{" "}
      <Link href="/operator/orders">all orders</Link>
    </p>
  );
}

/** The counts by state, each of which leaves only its leads in the list, or all of them again. */
function StateLinks({ states }: { states: StateCount[] }) {
  const [shown] = useParameter("state");
  return (
    <span className="state-links">
      {states.map(({ state, leads, wanted }) => {
        const name = state ?? NO_STATE;
        return (
          <Link
            key={name}
            className={name === shown ? "badge is-info" : "badge"}
            href={`/operator/waiting${name === shown ? "" : `?state=${name}`}`}
            aria-current={name === shown || undefined}
          >
            {state ?? "no state"}: {countText(leads)}
            {wanted > 0 && ` (${countText(wanted)} wanted)`}
          </Link>
        );
      })}
    </span>
  );
}

type StateCount = WantedLeads["states"][number];

/** How many leads wait for each state, the most first, and how many of them are wanted. */
function statesOf(counted: WantedLeads[]): StateCount[] {
  const ofState = Map.groupBy(counted.flatMap(({ states }) => states), ({ state }) => state);
  return [...ofState].map(([state, counts]) => ({
    state,
    leads: counts.reduce((sum, { leads }) => sum + leads, 0),
    wanted: counts.reduce((sum, { wanted }) => sum + wanted, 0),
  })).toSorted((one, other) => other.leads - one.leads);
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
