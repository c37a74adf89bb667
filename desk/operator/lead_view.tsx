import Circle from "lucide-react/icons/circle";
import { useEffect, useState } from "react";
import { Link } from "wouter";
import { useQuery } from "@tanstack/react-query";
import { greetingOf, type ShownLead, useReadLead, useReturnLead } from "../data/look_up.ts";
import { operatorQueries } from "../data/operator.ts";
import { useDistribute } from "../data/operator_acts.ts";
import { ConfirmButton } from "../ui/confirm.tsx";
import { JsonFields } from "../ui/json_value.tsx";
import { Page } from "../ui/page.tsx";
import { phoneText } from "../ui/phone.ts";
import { ErrorState, Skeleton } from "../ui/query_result.tsx";
import { Time } from "../ui/time.tsx";
import { distributionText, greetingText } from "./lead_words.ts";
import { MOST, Remedy } from "./remedy.tsx";
import { TriedOrders } from "./tried_orders.tsx";
import { useVendorName } from "./vendor_name.tsx";

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";

/** What the page says elsewhere, or only as it is stored. */
const ELSEWHERE = new Set([
  ...["id", "request_id", "received_via", "distribution", "agency", "agent", "vendor", "vendor_lead_id"],
  ...["name", "first_name", "last_name", "full_name", "phone", "phone_raw", "email", "state", "state_raw"],
  ...["vendor_metadata", "vendor_fields", "answers", "consent"],
]);

/** A lead, all that has happened to it, and why each order would get it now or not. */
export function LeadView({ id }: { id: string }) {
  const { mutate, data, error } = useReadLead();
  useEffect(() => mutate(id), [id]);
  return (
    <Page title={data?.lead.name || "Lead"}>
      <Link href="/operator/search" className="back">Search</Link>
      {error !== null && <ErrorState error={error} retry={() => mutate(id)} />}
      {data === undefined ? error === null && <Skeleton /> : <Shown {...data} onChanged={() => mutate(id)} />}
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
            loses it for good: it no longer counts for an order, and goes to nobody else. Waiting texts are not sent. It
            is noted with your name.
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

function Shown({ onChanged, ...shown }: ShownLead & { onChanged: () => void }) {
  const { lead, timeline, explained } = shown;
  const nameOf = useVendorName();
  return (
    <>
      <div className="section-head">
        <Where {...shown} />
        {lead.distribution === "distributed" && <ReturnLead lead={lead} onReturned={onChanged} />}
        {["unmatched", "pending"].includes(lead.distribution!) && <WaitingRemedy lead={lead} onChanged={onChanged} />}
      </div>
      <div className="recruit-columns">
        <section className="panel" aria-labelledby="fields">
          <h2 id="fields">Fields</h2>
          <Fields lead={lead} />
        </section>
        <div className="beside-facts">
          <section className="panel timeline" aria-labelledby="history">
            <h2 id="history">History</h2>
            <ol>
              {timeline.map(({ at, event, detail }, place) => (
                <li key={place}>
                  <Circle size={8} />
                  <Event event={event} detail={detail ?? ""} of={shown} />
                  <Time at={at} />
                </li>
              ))}
            </ol>
          </section>
          {explained && (
            <section className="panel" aria-labelledby="orders">
              <h2 id="orders">Orders for such a lead</h2>
              <p className="quiet">
                A new lead of {nameOf(lead.vendor!)} from {lead.state ?? "no state"}{" "}
                is offered to them in this order, as of <Time at={explained.as_of} />:
              </p>
              <TriedOrders orders={explained.orders} />
            </section>
          )}
        </div>
      </div>
    </>
  );
}

/** What brings a lead that waits nearer to an agency. */
function WaitingRemedy({ lead, onChanged }: Pick<ShownLead, "lead"> & { onChanged: () => void }) {
  const { data: vendors } = useQuery(operatorQueries.waitingVendors());
  const { data: counted } = useQuery(operatorQueries.wantedLeads());
  const { mutateAsync: distribute } = useDistribute();
  const nameOf = useVendorName();
  const vendor_id = vendors?.find(({ vendor }) => vendor === lead.vendor)?.vendor_id;
  const found = counted?.find((counts) => counts.vendor_id === vendor_id)?.states.find(({ state }) =>
    state === lead.state
  );
  if (vendor_id === undefined || found === undefined) return null;
  return (
    <Remedy
      of={found}
      isPrimary
      onOpened={onChanged}
      whose={nameOf(lead.vendor!)}
      act={() => distribute({ max: MOST, vendor_id }).then(onChanged)}
    />
  );
}

/** An event and its detail. Of what is an event of a lead and no text, the names and ids are links. */
function Event({ event, detail, of: { lead, explained } }: { event: string; detail: string; of: ShownLead }) {
  const nameOf = useVendorName();
  const { agency_id } = explained?.lead ?? {};
  const names = [lead.agency, lead.agent].filter((name) => agency_id && name).map(String);
  const isLinked = /^(distributed|returned|assigned|refused|delivery )/.test(event);
  const linked = isLinked ? names.map((name) => name.replace(/[^\w\s]/g, "\\$&")) : [];
  const parts = detail.split(RegExp(`(${[UUID, ...linked].join("|")})`));
  return (
    <span className="is-sentence">
      <strong>{event === "stored" ? "received" : event}</strong> {event === "stored" && lead.vendor && (
        <>
          from <Link href={`/operator/leads?vendor=${lead.vendor}`}>{nameOf(lead.vendor)}</Link>,{" "}
        </>
      )}
      {parts.map((part, n) => {
        if (n % 2 === 0) return part;
        if (names.includes(part)) return <Link key={n} href={`/operator/agencies/${agency_id}`}>{part}</Link>;
        // What is written of an id is its beginning; the fields have it whole.
        const words = part.slice(0, 8);
        const kind = isLinked && /(order|delivery) $/.exec(parts[n - 1]!)?.[1];
        return kind ? <Link key={n} href={`/operator/${PATHS[kind]}/${part}`}>{words}</Link> : words;
      })}
    </span>
  );
}

const PATHS: Record<string, string> = { order: "orders", delivery: "deliveries" };

/** What the vendor has said of the lead in words, and below it all that is stored, as it is stored. */
function Fields({ lead }: Pick<ShownLead, "lead">) {
  const nameOf = useVendorName();
  const { vendor, vendor_lead_id, phone, email, state, vendor_metadata: metadata } = lead;
  const others = Object.entries({ ...metadata, ...lead }).filter(([name]) => !ELSEWHERE.has(name));
  return (
    <>
      <JsonFields
        fields={{
          ...vendor && { vendor: nameOf(vendor), "The vendor's id": vendor_lead_id ?? null },
          phone: phone && phoneText(phone),
          "E-mail address": email,
          state,
          ...Object.fromEntries(others),
          ...Object.fromEntries(
            (metadata?.answers ?? []).map(({ question, answer }) => [question ?? "Answer", answer]),
          ),
          consent: metadata?.consent ?? null,
        }}
      />
      <details>
        <summary>As it is stored</summary>
        <pre tabIndex={0} role="region" aria-label="As it is stored">{JSON.stringify(lead, null, 2)}</pre>
      </details>
    </>
  );
}

/** The place of a lead, and the reason. The sentence with which `explain` begins. */
function Where({ kind, lead: { id, distribution, agency, agent, source }, explained }: ShownLead) {
  const { data: greeting } = useQuery(greetingOf(id));
  if (kind === "sales") {
    return (
      <p className="headline">
        Imported from {source}, for <bdi>{agent}</bdi> of <bdi>{agency}</bdi>.
      </p>
    );
  }
  const { agency_id, order_id, distributed_at } = explained!.lead;
  if (distribution !== "distributed") {
    const next = explained!.orders.find(({ gets_it }) => gets_it);
    const waits = distribution === "unmatched" || distribution === "pending";
    return (
      <p className="headline">
        {distributionText(distribution!)}. {waits && (
          next === undefined ? "No order wants it now." : (
            <>
              <bdi>{next.agency}</bdi> would get it now.
            </>
          )
        )}
      </p>
    );
  }
  return (
    <p className="headline">
      Distributed to{" "}
      <Link href={`/operator/agencies/${agency_id}`}>
        <bdi>{agency}</bdi>
      </Link>
      {agent !== "" && (
        <>
          , <bdi>{agent}</bdi>
        </>
      )}
      {order_id !== null && (
        <>
          , by the <Link href={`/operator/orders/${order_id}`}>order {order_id.slice(0, 8)}</Link>
        </>
      )}
      {distributed_at !== null && (
        <>
          , <Time at={distributed_at} />
        </>
      )}. {greeting && greetingText(greeting)}{" "}
      {greeting?.cause === "no_hours" && <Link href="/operator/outbox?cause=no_hours">Texts without open hours</Link>}
    </p>
  );
}
