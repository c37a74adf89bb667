import type { ReactNode } from "react";
import { Link } from "wouter";
import { operatorQueries, type ServiceNumber } from "../data/operator.ts";
import { useResumeNumber } from "../data/operator_acts.ts";
import { usePages } from "../data/pages.ts";
import { ConfirmButton } from "../ui/confirm.tsx";
import { List } from "../ui/list.tsx";
import { Page } from "../ui/page.tsx";
import { phoneText } from "../ui/phone.ts";
import { EmptyState } from "../ui/query_result.tsx";

/** Our numbers, of which a paused one can be resumed. */
export function Numbers() {
  return (
    <Page title="Numbers">
      <p className="quiet">
        Texts are sent from these numbers. A paused one receives texts, and holds what is to be sent.
      </p>
      <OfStatus status="paused" title="Paused" empty={<p className="quiet">No number is paused.</p>} />
      <OfStatus
        status="active"
        title="Active"
        empty={<EmptyState title="No number is active.">Nothing is sent without one.</EmptyState>}
      />
    </Page>
  );
}

function OfStatus({ status, title, empty }: { status: "active" | "paused"; title: string; empty: ReactNode }) {
  const query = usePages(operatorQueries.numbers(status));
  return (
    <section aria-labelledby={status}>
      <h2 id={status}>{title}</h2>
      <List
        query={query}
        resource="numbers"
        empty={empty}
        keyOf={({ phone }) => phone}
        row={(number) => <NumberRow number={number} />}
      />
    </section>
  );
}

function NumberRow({ number: { phone, agency, status, paused_reason, waiting } }: { number: ServiceNumber }) {
  const { mutateAsync: resume } = useResumeNumber();
  const held = waiting === 1 ? "1 text waits" : `${waiting.toLocaleString("en-US")} texts wait`;
  return (
    <li className="service-number">
      <p>
        <strong>{phoneText(phone)}</strong> {agency}{" "}
        <small>
          {waiting > 0
            ? <Link href="/operator/outbox">{held} to be sent</Link>
            : status === "paused" && "No text waits"}
        </small>
      </p>
      {status === "paused" && (
        <>
          <p className="problem">Paused: {paused_reason ?? "no reason given"}</p>
          <p className="buttons">
            <ConfirmButton
              label="Resume"
              of={phoneText(phone)}
              question={
                <p>
                  {held}{" "}
                  for this number. All are sent now, as fast as the number may send. First mend the cause of the pause,
                  else it is paused again. It is noted with your name.
                </p>
              }
              act={() => resume(phone)}
            />
          </p>
        </>
      )}
    </li>
  );
}
