import { usePages } from "../data/pages.ts";
import { numberQueries } from "../data/team.ts";
import { countOf } from "../ui/count.ts";
import { NumberState } from "../ui/held_texts.tsx";
import { List } from "../ui/list.tsx";
import { phoneText } from "../ui/phone.ts";
import { EmptyState } from "../ui/query_result.tsx";

/** The numbers that texts are sent from. */
export function Numbers({ agencyId, isOperator }: { agencyId: string; isOperator: boolean }) {
  return (
    <List
      query={usePages(numberQueries.list(agencyId))}
      resource="numbers"
      className="cards"
      empty={
        <EmptyState title="No number yet.">
          The people who run the service add one. Until then no texts are sent.
        </EmptyState>
      }
      keyOf={({ phone }) => phone}
      row={({ phone, status, paused_reason, conversations, waiting, waiting_since }) => (
        <li className="panel">
          <p className="line">
            <strong>{phoneText(phone)}</strong>
            <NumberState of={{ phone, status, waiting, waiting_since }} isOperator={isOperator} />
          </p>
          {status === "paused" && (
            <p>Texts wait until the people who run the service resume it{paused_reason && ` (${paused_reason})`}.</p>
          )}
          <p className="quiet">{countOf(conversations, "conversation", "conversations")}</p>
        </li>
      )}
    />
  );
}
