import { usePages } from "../data/pages.ts";
import { numberQueries } from "../data/team.ts";
import { Badge } from "../ui/badge.tsx";
import { HeldTexts } from "../ui/held_texts.tsx";
import { List } from "../ui/list.tsx";
import { phoneText } from "../ui/phone.ts";
import { EmptyState } from "../ui/query_result.tsx";

/** The numbers that texts are sent from. */
export function Numbers({ agencyId, isOperator }: { agencyId: string; isOperator: boolean }) {
  return (
    <List
      query={usePages(numberQueries.list(agencyId))}
      resource="numbers"
      empty={
        <EmptyState title="No number yet.">
          The people who run the service add one. Until then no texts are sent.
        </EmptyState>
      }
      keyOf={({ phone }) => phone}
      row={({ phone, status, paused_reason, waiting, waiting_since }) => (
        <li className="line">
          <strong>{phoneText(phone)}</strong>
          {status === "active" ? <Badge meaning="good">active</Badge> : (
            <>
              <Badge meaning="warn">paused</Badge>
              <span>
                Texts wait until the people who run the service resume it{paused_reason && ` (${paused_reason})`}.
              </span>
            </>
          )}
          {isOperator && waiting > 0 && <HeldTexts phone={phone} waiting={waiting} since={waiting_since} />}
        </li>
      )}
    />
  );
}
