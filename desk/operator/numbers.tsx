import { operatorQueries, type ServiceNumber } from "../data/operator.ts";
import { useResumeNumber } from "../data/operator_acts.ts";
import { usePages } from "../data/pages.ts";
import { Badge } from "../ui/badge.tsx";
import { ConfirmButton } from "../ui/confirm.tsx";
import { countText } from "../ui/count.ts";
import { HeldTexts, isHeldTooLong } from "../ui/held_texts.tsx";
import { Page } from "../ui/page.tsx";
import { phoneText } from "../ui/phone.ts";
import { EmptyState } from "../ui/query_result.tsx";
import { Table } from "../ui/table.tsx";

/** Our numbers, paused ones first, which can be resumed. */
export function Numbers() {
  const query = usePages(operatorQueries.numbers());
  return (
    <Page title="Numbers">
      <p className="quiet">
        Texts are sent from these numbers. A paused one receives texts, and holds what is to be sent.
      </p>
      <Table
        label="Numbers"
        query={query}
        resource="numbers"
        empty={<EmptyState title="There is no number.">Nothing is sent without one.</EmptyState>}
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
          { title: "Status", isCorner: true, isSentence: true, cell: (number) => <Status of={number} /> },
        ]}
      />
    </Page>
  );
}

function Status({ of: number }: { of: ServiceNumber }) {
  if (number.status !== "paused") {
    return number.waiting_since !== null && isHeldTooLong(number.waiting_since)
      ? <Badge meaning="warn">holding {countText(number.waiting)}</Badge>
      : <Badge meaning="good">{number.status}</Badge>;
  }
  return (
    <span className="line">
      <Badge meaning="bad">paused</Badge> <small>{number.paused_reason ?? "no reason given"}</small>
      <Resume number={number} />
    </span>
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
