import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { operatorQueries, type ServiceNumber } from "../data/operator.ts";
import { useResumeNumber } from "../data/operator_acts.ts";
import { ConfirmButton } from "../ui/confirm.tsx";
import { Page } from "../ui/page.tsx";
import { phoneText } from "../ui/phone.ts";
import { EmptyState, QueryResult } from "../ui/states.tsx";

/** Our numbers, of which a paused one can be resumed. */
export function Numbers() {
  const query = useQuery(operatorQueries.numbers());
  return (
    <Page title="Numbers">
      <p className="quiet">
        Texts are sent from these numbers. A paused one receives texts, and holds what is to be sent.
      </p>
      <QueryResult query={query} resource="numbers">
        {({ rows, more }) => (
          <>
            {rows.length === 0
              ? <EmptyState title="No number is ours yet.">Nothing is sent without one.</EmptyState>
              : <ul className="rows">{rows.map((number) => <NumberRow key={number.phone} number={number} />)}</ul>}
            {more > 0 && <p className="quiet">And {more} further numbers, all of them active.</p>}
          </>
        )}
      </QueryResult>
    </Page>
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
