import { useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { NO_STATE, operatorQueries } from "../data/operator.ts";
import type { DistributedLead, WaitingVendor, WantedLeads } from "../data/operator_rows.ts";
import { useDistribute } from "../data/operator_acts.ts";
import { usePages } from "../data/pages.ts";
import { countText } from "../ui/count.ts";
import { useParameter } from "../ui/location.ts";
import { Nothing } from "../ui/nothing.tsx";
import { Page } from "../ui/page.tsx";
import { EmptyState } from "../ui/query_result.tsx";
import { Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { stateName } from "./lead_words.ts";
import { counted } from "./trouble_words.ts";
import { refOf, useLeadColumns } from "./newest_leads.tsx";
import { DistributeButton, MOST, Remedy } from "./remedy.tsx";
import { useVendorName, useWanted } from "./vendor_name.tsx";

/** The leads that no order has got, and their distribution. */
export function Waiting() {
  const [state] = useParameter("state");
  const query = usePages(operatorQueries.waiting(state));
  const { data: vendors = [], isPending } = useQuery(operatorQueries.waitingVendors());
  const { isPending: isCounting } = useQuery(operatorQueries.wantedLeads());
  const { data: result, mutateAsync: distribute } = useDistribute();
  const columns = useLeadColumns();
  return (
    <Page title="Waiting leads">
      {result !== undefined && <Result {...result} />}
      {vendors.length > 0 && (
        <Distribution
          vendors={vendors}
          act={(vendor_id) => distribute({ max: MOST, vendor_id })}
        />
      )}
      <Table
        label="Waiting leads"
        // What stands above would move it down.
        query={{ ...query, data: isPending || isCounting ? undefined : query.data }}
        resource="waiting leads"
        empty={state === null
          ? <EmptyState title="No lead waits.">Each has an agency.</EmptyState>
          : (
            <EmptyState title="No lead of this state waits.">
              <Link href="/operator/waiting">All waiting leads</Link>
            </EmptyState>
          )}
        keyOf={({ id }) => id}
        nameOf={refOf}
        hrefOf={({ id }) => `/operator/search/${id}`}
        columns={columns}
      />
    </Page>
  );
}

function Distribution(
  { vendors, act }: {
    vendors: WaitingVendor[];
    act: (vendorId: string | null) => Promise<unknown>;
  },
) {
  const [selected, setSelected] = useState("");
  const { data: counts, isPending } = useQuery(operatorQueries.wantedLeads());
  const nameOf = useVendorName();
  // None of its leads may wait any more.
  const chosen = vendors.find(({ vendor_id }) => vendor_id === selected);
  const those = counts?.filter(({ vendor_id }) => chosen === undefined || vendor_id === chosen.vendor_id);
  const wanted = those?.reduce((sum, { wanted }) => sum + wanted, 0);
  const distribution = {
    whose: chosen === undefined ? "all vendors" : nameOf(chosen.vendor),
    act: () => act(chosen?.vendor_id ?? null),
  };

  return (
    <>
      {wanted !== undefined && (
        <p className="quiet">
          {wanted > 0
            ? `Open orders now want ${countText(wanted)} of them.`
            : "No open order wants any of them. Take the next step of a state; the button Distribute then appears here."}
          {" "}
          An order takes by itself only leads that come later.
        </p>
      )}
      <div className="filters">
        <select
          aria-label="Vendor"
          value={chosen?.vendor_id ?? ""}
          onChange={(event) => setSelected(event.target.value)}
        >
          <option value="">All vendors</option>
          {vendors.map(({ vendor_id, vendor, leads }) => (
            <option key={vendor_id} value={vendor_id}>{`${nameOf(vendor)} (${leads.toLocaleString("en-US")})`}</option>
          ))}
        </select>
        {!isPending && wanted !== 0 && (
          <DistributeButton
            label={wanted ? `Distribute ${Math.min(wanted, MOST)}` : "Distribute"}
            className="primary"
            {...distribution}
          />
        )}
      </div>
      <States states={statesOf(those ?? [])} distribution={distribution} />
    </>
  );
}

/** The leads by state. One that is opened leaves only its leads in the list below. */
function States({ states, distribution }: {
  states: StateCount[];
  distribution: { whose: string; act: () => Promise<unknown> };
}) {
  const [shown] = useParameter("state");
  const those = states.filter(({ state }) => shown === null || shown === (state ?? NO_STATE));
  if (those.length === 0) return null;
  const sum = those.reduce((sum, { leads }) => sum + leads, 0);
  return (
    <>
      <h2>By state</h2>
      {shown !== null && <Link href="/operator/waiting">All states</Link>}
      <Table
        label="Waiting leads by state"
        query={{ data: those, error: null, refetch: () => {} }}
        resource="states"
        empty={null}
        keyOf={({ state }) => state ?? NO_STATE}
        nameOf={nameOfState}
        hrefOf={({ state }) => `/operator/waiting?state=${state ?? NO_STATE}`}
        columns={[
          { title: "State", cell: nameOfState, isHeader: true },
          { title: "Leads", cell: ({ leads }) => countText(leads), isNumber: true },
          ...those.some(({ wanted }) => wanted > 0)
            ? [{
              title: "Wanted now",
              cell: ({ wanted }: StateCount) => countText(wanted),
              isNumber: true,
              isMinor: true,
            }]
            : [],
          { title: "Oldest", cell: ({ oldest }) => <Time at={oldest} isAge /> },
          { title: "Why", cell: (state) => <Why of={state} />, isSentence: true, isPlain: true },
          { title: "Next step", cell: (state) => <Remedy of={state} {...distribution} />, isPlain: true },
        ]}
      />
      <h2>{counted(sum, "lead")}</h2>
    </>
  );
}

/** Why the leads of a state wait, or the order that takes them. */
function Why({ of: { state, order } }: { of: StateCount }) {
  const wanted = useWanted();
  if (order === null) return "No order is for their vendor.";
  if (!order.wants_state) {
    return `No open order takes leads of these vendors ${
      state === null ? "without a state" : `from ${stateName(state)}`
    }.`;
  }
  return (
    <>
      <Link href={`/operator/orders/${order.id}`}>{order.agency}: {wanted(order)}</Link> {order.obstacle === null
        ? "takes them first"
        : `would take them, but ${/^\w+$/.test(order.obstacle) ? "is " : ""}${order.obstacle}`}
    </>
  );
}

/** How many leads wait for each state, and how long. Each leads to its leads. */
export function WaitingStates() {
  const { data: counts = [] } = useQuery(operatorQueries.wantedLeads());
  return (
    <ul className="rows">
      {statesOf(counts).map(({ state, leads, oldest }) => (
        <li key={state}>
          <Link href={`/operator/waiting?state=${state ?? NO_STATE}`}>{nameOfState({ state })}</Link>:{" "}
          {countText(leads)}, the oldest <Time at={oldest} isAge />
        </li>
      ))}
    </ul>
  );
}

function nameOfState({ state }: Pick<StateCount, "state">): string {
  return state === null ? "No state" : stateName(state);
}

type StateCount = WantedLeads["states"][number];

/** The leads that wait for each state, the most first. */
export function statesOf(counts: WantedLeads[]): StateCount[] {
  const ofState = Map.groupBy(counts.flatMap(({ states }) => states), ({ state }) => state);
  return [...ofState].map(([state, counts]) => ({
    state,
    // Of several vendors, that of the most leads among those that an order wants.
    order: counts.toSorted((one, other) => other.wanted - one.wanted || other.leads - one.leads)[0]!.order,
    oldest: counts.map(({ oldest }) => oldest).toSorted()[0]!,
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
            { title: "State", cell: ({ state }) => state ?? <Nothing words="none" /> },
            { title: "Agency", cell: ({ agency }) => agency },
            { title: "Agent", cell: ({ agent }) => agent ? <bdi>{agent}</bdi> : <Nothing words="none" /> },
          ]}
        />
      )}
    </section>
  );
}
