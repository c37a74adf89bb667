import { useEffect, useState } from "react";
import { Link } from "wouter";
import { type ShownLead, useReadLead, useReturnLead } from "../data/look_up.ts";
import { ConfirmButton } from "../ui/confirm.tsx";
import { JsonFields } from "../ui/json_value.tsx";
import { Page } from "../ui/page.tsx";
import { ErrorState, Skeleton } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";

/** A lead, all that has happened to it, and why each order would get it now or not. */
export function LeadView({ id }: { id: string }) {
  const { mutate, data, error } = useReadLead();
  useEffect(() => mutate(id), [id]);
  return (
    <Page title={data?.lead.name || "Lead"}>
      <p>
        <Link href="/operator/search">Back to the search</Link>
      </p>
      {error !== null && <ErrorState error={error} retry={() => mutate(id)} />}
      {data === undefined ? error === null && <Skeleton /> : (
        <>
          {data.lead.distribution === "distributed" && <ReturnLead lead={data.lead} onReturned={() => mutate(id)} />}
          <Shown {...data} />
        </>
      )}
    </Page>
  );
}

/** Takes a lead back from its agency. Asks for the reason, which the agency may want to know. */
function ReturnLead({ lead: { id, agency }, onReturned }: { lead: ShownLead["lead"]; onReturned: () => void }) {
  const { mutateAsync: returnLead } = useReturnLead();
  const [reason, setReason] = useState("");
  return (
    <ConfirmButton
      label="Return the lead"
      question={
        <>
          <p>
            {String(agency ?? "The agency")}{" "}
            loses it for good: it counts for no order any more, and goes to nobody else. Texts that wait are not sent.
            It is noted with your name.
          </p>
          <label className="field">
            Reason
            <input
              value={reason}
              maxLength={500}
              onChange={(event) => setReason(event.target.value)}
            />
          </label>
        </>
      }
      act={async () => {
        await returnLead({ lead_id: id, reason });
        onReturned();
      }}
    />
  );
}

function Shown({ lead, timeline, explained }: ShownLead) {
  return (
    <>
      <section aria-labelledby="history">
        <h2 id="history">History</h2>
        <ol className="rows">
          {timeline.map(({ at, event, detail }, place) => (
            <li key={place}>
              <Time at={at} /> <strong>{event}</strong> {detail}
            </li>
          ))}
        </ol>
      </section>
      {explained && (
        <section aria-labelledby="orders">
          <h2 id="orders">The orders for such a lead, as of now</h2>
          {explained.orders.length === 0 && <p>There is none.</p>}
          <ol className="rows">
            {explained.orders.map(({ order_id, agency, filled, quantity, gets_it, reason }) => (
              <li key={order_id}>
                <strong>
                  <bdi>{agency}</bdi>
                </strong>{" "}
                {filled} of {quantity}, order {order_id.slice(0, 8)}:{" "}
                {gets_it ? <span className="badge strong">gets it</span> : reason}
              </li>
            ))}
          </ol>
        </section>
      )}
      <section aria-labelledby="fields">
        <h2 id="fields">Fields</h2>
        <JsonFields fields={lead as never} />
      </section>
    </>
  );
}
