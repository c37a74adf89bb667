import type { ReactNode } from "react";
import { operatorQueries, type ServiceNumber } from "../data/operator.ts";
import { useResumeNumber } from "../data/operator_acts.ts";
import { usePages } from "../data/pages.ts";
import { ConfirmButton } from "../ui/confirm.tsx";
import { countText } from "../ui/count.ts";
import { HeldTexts } from "../ui/held_texts.tsx";
import { Page } from "../ui/page.tsx";
import { phoneText } from "../ui/phone.ts";
import { EmptyState } from "../ui/query_result.tsx";
import { Table } from "../ui/table.tsx";

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
      <Table
        label={`${title} numbers`}
        query={query}
        resource="numbers"
        empty={empty}
        keyOf={({ phone }) => phone}
        nameOf={({ phone }) => phoneText(phone)}
        columns={[
          { title: "Number", cell: ({ phone }) => phoneText(phone), isHeader: true },
          { title: "Agency", isPlain: true, cell: ({ agency }) => agency },
          {
            title: "To be sent",
            isPlain: true,
            cell: ({ phone, waiting, waiting_since }) => (
              <HeldTexts phone={phone} waiting={waiting} since={waiting_since} />
            ),
          },
          ...status === "paused"
            ? [
              { title: "Why", cell: ({ paused_reason }: ServiceNumber) => paused_reason ?? "No reason given" },
              { title: "Mend", cell: (number: ServiceNumber) => <Resume number={number} /> },
            ]
            : [],
        ]}
      />
    </section>
  );
}

/** Sends what waits for a paused number. */
export function Resume({ number }: { number: Pick<ServiceNumber, "phone" | "waiting"> }) {
  const { mutateAsync: resume } = useResumeNumber();
  return (
    <ConfirmButton
      label="Resume"
      of={phoneText(number.phone)}
      question={
        <p>
          {number.waiting === 1 ? "1 text waits" : `${countText(number.waiting)} texts wait`}{" "}
          for this number. All are sent now, as fast as the number may send. First mend the cause of the pause, else it
          is paused again. It is noted with your name.
        </p>
      }
      act={() => resume(number.phone)}
    />
  );
}
