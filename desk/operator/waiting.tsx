import { useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { type DistributedLead, operatorQueries, type WaitingVendor } from "../data/operator.ts";
import { useDistribute } from "../data/operator_acts.ts";
import { usePages } from "../data/pages.ts";
import { ConfirmButton } from "../ui/confirm.tsx";
import { LoadMoreButton } from "../ui/load_more_button.tsx";
import { Page } from "../ui/page.tsx";
import { EmptyState, QueryResult } from "../ui/query_result.tsx";
import { ago, Time } from "../ui/time.tsx";
import { useVendorName } from "./vendor_name.ts";

/** The number of leads that are distributed at once: new leads wait meanwhile. */
const MOST = 100;

/** The leads that no order has got, and their distribution. */
export function Waiting() {
  const query = usePages(operatorQueries.waiting());
  const { data: vendors = [] } = useQuery(operatorQueries.waitingVendors());
  const { data: result, mutateAsync: distribute } = useDistribute();
  const nameOf = useVendorName();
  return (
    <Page title="Waiting leads">
      <p className="quiet">Recruits whom no order has got. Open an order that wants them, then distribute them.</p>
      {result !== undefined && <Result {...result} />}
      <QueryResult query={query} resource="waiting leads">
        {(leads) => {
          if (leads.length === 0) return <EmptyState title="No lead waits.">Each has an agency.</EmptyState>;
          return (
            <>
              <Distribution
                vendors={vendors}
                act={(vendor_id) => distribute({ max: MOST, vendor_id })}
              />
              <div className="scroll" tabIndex={0} role="region" aria-label="Waiting leads">
                <table>
                  <thead>
                    <tr>
                      <th scope="col">Vendor</th>
                      <th scope="col">Name</th>
                      <th scope="col">State</th>
                      <th scope="col">Waits</th>
                      <th scope="col">Received</th>
                    </tr>
                  </thead>
                  <tbody>
                    {leads.map(({ id, vendor, name, state, received }) => (
                      <tr key={id}>
                        <td>{nameOf(vendor!)}</td>
                        <td>
                          <Link href={`/operator/search/${id}`}>
                            <bdi>{name || "No name"}</bdi>
                          </Link>
                        </td>
                        <td>{state ?? "–"}</td>
                        <td>{ago(received)}</td>
                        <td>
                          <Time at={received} />
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
              <LoadMoreButton query={query} />
            </>
          );
        }}
      </QueryResult>
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
  const nameOf = useVendorName();
  // None of its leads may wait any more.
  const chosen = vendors.find(({ vendor_id }) => vendor_id === selected);
  const waiting = vendors.reduce((count, { leads }) => count + leads, 0);

  return (
    <div className="bar">
      <p>
        <strong>{waiting === 0 ? "–" : waiting.toLocaleString("en-US")}</strong>{" "}
        {waiting === 1 ? "lead waits" : "leads wait"}
      </p>
      <select aria-label="Vendor" value={chosen?.vendor_id ?? ""} onChange={(event) => setSelected(event.target.value)}>
        <option value="">All vendors</option>
        {vendors.map(({ vendor_id, vendor, leads }) => (
          <option key={vendor_id} value={vendor_id}>{`${nameOf(vendor)} (${leads.toLocaleString("en-US")})`}</option>
        ))}
      </select>
      <ConfirmButton
        label="Distribute"
        className="primary"
        question={
          <p>
            Up to {MOST} leads of {chosen === undefined ? "all vendors" : nameOf(chosen.vendor)}{" "}
            go to the open orders that want them, the oldest first. This can't be undone. It is noted with your name.
          </p>
        }
        act={() => act(chosen?.vendor_id ?? null)}
      />
    </div>
  );
}

/** The distributed leads, with their agencies and agents. */
function Result({ distributed, waiting }: { distributed: DistributedLead[]; waiting: number | null }) {
  return (
    <section className="notice">
      <p role="status">
        {distributed.length === 0
          ? "None was distributed: no open order wants them now."
          : `Distributed: ${distributed.length}.`} {waiting !== null && `Still waiting: ${waiting}.`}
      </p>
      {distributed.length > 0 && (
        <div className="scroll" tabIndex={0} role="region" aria-label="Distributed">
          <table>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Vendor</th>
                <th scope="col">State</th>
                <th scope="col">Agency</th>
                <th scope="col">Agent</th>
              </tr>
            </thead>
            <tbody>{distributed.map((lead) => <DistributedRow key={lead.id} lead={lead} />)}</tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function DistributedRow({ lead: { name, vendor, state, agency, agent } }: { lead: DistributedLead }) {
  const nameOf = useVendorName();
  return (
    <tr>
      <td>
        <bdi>{name}</bdi>
      </td>
      <td>{nameOf(vendor)}</td>
      <td>{state ?? "–"}</td>
      <td>{agency}</td>
      <td>
        <bdi>{agent || "–"}</bdi>
      </td>
    </tr>
  );
}
