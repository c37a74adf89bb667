import { usePages } from "../data/pages.ts";
import { numberQueries, type ServiceNumber } from "../data/team.ts";
import { countText } from "../ui/count.ts";
import { HeldTexts, NumberStatus } from "../ui/held_texts.tsx";
import { phoneText } from "../ui/phone.ts";
import { EmptyState } from "../ui/query_result.tsx";
import { Table } from "../ui/table.tsx";

/** The numbers that texts are sent from. */
export function Numbers({ agencyId, isOperator }: { agencyId: string; isOperator: boolean }) {
  const query = usePages(numberQueries.list(agencyId));
  const holdsTexts = query.data?.some(({ waiting, status }) => waiting > 0 || status === "paused");
  return (
    <Table
      label="Numbers"
      query={query}
      resource="numbers"
      empty={
        <EmptyState title="No number yet.">
          The people who run the service add one. Until then no texts are sent.
        </EmptyState>
      }
      keyOf={({ phone }) => phone}
      nameOf={({ phone }) => phoneText(phone)}
      columns={[
        { title: "Number", cell: ({ phone }) => phoneText(phone), isHeader: true },
        { title: "Conversations", cell: ({ conversations }) => countText(conversations), isNumber: true },
        ...holdsTexts
          ? [{
            title: "Texts",
            isPlain: true,
            isSentence: true,
            cell: (number: ServiceNumber) => (
              <span className="line">
                <HeldTexts of={number} isOperator={isOperator} />
                {number.status === "paused" && (
                  <small>
                    They wait until the people who run the service resume it
                    {number.paused_reason && ` (${number.paused_reason})`}.
                  </small>
                )}
              </span>
            ),
          }]
          : [],
        { title: "Status", isCorner: true, cell: ({ status }) => <NumberStatus status={status} /> },
      ]}
    />
  );
}
