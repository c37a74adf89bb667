import { useState } from "react";
import { type HandedOut, handOut, readAgain, useWaiting, type WaitingLead } from "../data/operator.ts";
import { ConfirmButton } from "../ui/confirm.tsx";
import { LoadMoreButton } from "../ui/load_more_button.tsx";
import { Page } from "../ui/page.tsx";
import { EmptyState, QueryResult } from "../ui/states.tsx";
import { ago, Time } from "../ui/time.tsx";

/** How many leads are handed out at once: new leads wait meanwhile. */
const MOST = 100;

/** The leads that no order has got, and their handing out. */
export function Waiting() {
  const query = useWaiting();
  const [result, setResult] = useState<Awaited<ReturnType<typeof handOut>> | null>(null);
  return (
    <Page title="Waiting leads">
      <p className="quiet">Recruits whom no order has got. Open an order that wants them, then hand them out.</p>
      {result !== null && <Result result={result} />}
      <QueryResult query={query} resource="waiting leads">
        {({ pages }) => {
          const leads = pages.flatMap(({ leads }) => leads);
          const { waiting } = pages.at(-1)!;
          if (leads.length === 0) return <EmptyState title="No lead waits.">Each has an agency.</EmptyState>;
          return (
            <>
              <HandOut leads={leads} waiting={waiting} onDone={setResult} />
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
                        <td>{vendor}</td>
                        <td>
                          <bdi>{name}</bdi>
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

function HandOut(
  { leads, waiting, onDone }: {
    leads: WaitingLead[];
    waiting: number;
    onDone: (result: Awaited<ReturnType<typeof handOut>>) => void;
  },
) {
  const [selected, setSelected] = useState("");
  const vendors = new Map(leads.map(({ vendor_id, vendor }) => [vendor_id, vendor]));
  // None of its leads may wait any more.
  const vendorId = vendors.has(selected) ? selected : "";

  async function act(): Promise<void> {
    try {
      onDone(await handOut(MOST, vendorId || null));
    } finally {
      void readAgain();
    }
  }

  return (
    <div className="bar">
      <p>
        <strong>{waiting.toLocaleString("en-US")}</strong> {waiting === 1 ? "lead waits" : "leads wait"}
      </p>
      <select aria-label="Vendor" value={vendorId} onChange={(event) => setSelected(event.target.value)}>
        <option value="">All vendors</option>
        {[...vendors].map(([id, vendor]) => <option key={id} value={id}>{vendor}</option>)}
      </select>
      <ConfirmButton
        label="Hand out"
        className="primary"
        question={
          <p>
            Up to {MOST} leads of {vendors.get(vendorId) ?? "all vendors"}{" "}
            go to the open orders that want them, the oldest first. This can't be undone. It is noted with your name.
          </p>
        }
        act={act}
      />
    </div>
  );
}

/** Who got what. */
function Result({ result: { handed_out, waiting } }: { result: Awaited<ReturnType<typeof handOut>> }) {
  return (
    <section className="notice">
      <p role="status">
        {handed_out.length === 0
          ? "None was handed out: no open order wants them now."
          : `Handed out: ${handed_out.length}.`} Still waiting: {waiting}.
      </p>
      {handed_out.length > 0 && (
        <div className="scroll" tabIndex={0} role="region" aria-label="Handed out">
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
            <tbody>{handed_out.map((lead) => <HandedOutRow key={lead.id} lead={lead} />)}</tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function HandedOutRow({ lead: { name, vendor, state, agency, agent } }: { lead: HandedOut }) {
  return (
    <tr>
      <td>
        <bdi>{name}</bdi>
      </td>
      <td>{vendor}</td>
      <td>{state ?? "–"}</td>
      <td>{agency}</td>
      <td>
        <bdi>{agent || "–"}</bdi>
      </td>
    </tr>
  );
}
