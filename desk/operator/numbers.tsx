import { useQuery } from "@tanstack/react-query";
import { operatorQueries, type ServiceNumber } from "../data/operator.ts";
import { usePages } from "../data/pages.ts";
import { HeldTexts, isHeldTooLong, NumberState } from "../ui/held_texts.tsx";
import { Page } from "../ui/page.tsx";
import { phoneText } from "../ui/phone.ts";
import { EmptyState } from "../ui/query_result.tsx";
import { Table } from "../ui/table.tsx";
import { causeTitle, NextStep, Resume } from "./unsent_texts.tsx";

/** Our numbers, paused ones first, which can be resumed. */
export function Numbers() {
  const query = usePages(operatorQueries.numbers());
  return (
    <Page title="Numbers">
      <p className="quiet">
        Texts are sent from these numbers. A paused number still receives texts, and holds those that it would send.
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
          { title: "Agency", isPlain: true, isSentence: true, cell: ({ agency }) => agency },
          {
            title: "To be sent",
            isPlain: true,
            isSentence: true,
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

function Status({ of: { phone, status, paused_reason, waiting, waiting_since: since } }: { of: ServiceNumber }) {
  const { data: causes } = useQuery(operatorQueries.unsentCauses());
  const isPaused = status === "paused";
  // With several causes, nobody knows which are those of the number.
  const cause = !isPaused && since !== null && isHeldTooLong(since) && causes?.length === 1 ? causes[0]! : null;
  const why = isPaused ? paused_reason ?? "no reason given" : cause && causeTitle(cause);
  return (
    <span className="line">
      <NumberState status={status} waiting={waiting} since={since} /> {why && <small>{why}</small>}
      {isPaused ? <Resume number={{ phone, waiting }} /> : cause && <NextStep of={cause} />}
    </span>
  );
}
