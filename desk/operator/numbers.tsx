import { useQuery } from "@tanstack/react-query";
import { operatorQueries } from "../data/operator.ts";
import type { ServiceNumber } from "../data/operator_rows.ts";
import { usePages } from "../data/pages.ts";
import { HeldTexts, isHeldTooLong, NumberStatus } from "../ui/held_texts.tsx";
import { Page } from "../ui/page.tsx";
import { phoneText } from "../ui/phone.ts";
import { EmptyState } from "../ui/query_result.tsx";
import { Table } from "../ui/table.tsx";
import { sorted } from "../ui/table_sort.ts";
import { causeTitle, NextStep, Resume } from "./unsent_texts.tsx";

/** The service’s numbers, paused ones first, which can be resumed. */
export function Numbers() {
  const query = usePages(operatorQueries.numbers());
  return (
    <Page title="Numbers">
      <p className="quiet">
        Texts are sent from these numbers. A paused number still receives texts, and holds those that it would send.
      </p>
      <Table
        label="Numbers"
        query={{ ...query, data: query.data && sorted(query.data, isStuck, true) }}
        resource="numbers"
        empty={<EmptyState title="There is no number.">Nothing is sent without one.</EmptyState>}
        keyOf={({ phone }) => phone}
        nameOf={({ phone }) => phoneText(phone)}
        columns={[
          { title: "Number", cell: ({ phone }) => phoneText(phone), isHeader: true },
          { title: "Agency", isPlain: true, isSentence: true, cell: ({ agency }) => agency },
          { title: "Texts", isPlain: true, isSentence: true, cell: (number) => <Texts of={number} /> },
          { title: "Status", isCorner: true, cell: ({ status }) => <NumberStatus status={status} /> },
        ]}
      />
    </Page>
  );
}

/** Whether it sends nothing: 2 where it is paused, so that these are first. */
function isStuck({ status, waiting_since: since }: ServiceNumber): number {
  return status === "paused" ? 2 : Number(isHeldTooLong(since));
}

/** What a number holds and why, and what sends it. */
function Texts({ of: number }: { of: ServiceNumber }) {
  const { data: causes } = useQuery(operatorQueries.unsentCauses());
  const isPaused = number.status === "paused";
  if (number.waiting === 0 && !isPaused) return null;
  // With several causes, nobody knows which are those of the number.
  const cause = !isPaused && isStuck(number) && causes?.length === 1 ? causes[0]! : null;
  const why = isPaused ? number.paused_reason ?? "no reason given" : cause && causeTitle(cause);
  return (
    <span className="line">
      <HeldTexts of={number} isOperator /> {why && <small>{why}</small>}
      {isPaused ? <Resume number={number} /> : cause && <NextStep of={cause} />}
    </span>
  );
}
