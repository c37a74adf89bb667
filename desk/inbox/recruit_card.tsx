import { Link } from "wouter";
import type { Conversation } from "../data/conversation.ts";
import { isPhone, phoneText } from "../ui/phone.ts";

/** Who the recruit is. */
export function RecruitCard(
  { conversation: { recruiting_lead_id, recruit_phone, state } }: { conversation: Conversation },
) {
  return (
    <>
      <dl>
        <dt>Phone</dt>
        <dd>
          {isPhone(recruit_phone) ? <a href={`tel:${recruit_phone}`}>{phoneText(recruit_phone)}</a> : recruit_phone}
        </dd>
        {state !== null && (
          <>
            <dt>State</dt>
            <dd>{state}</dd>
          </>
        )}
      </dl>
      {recruiting_lead_id !== null && <Link href={`/recruits/${recruiting_lead_id}`}>All about this recruit</Link>}
    </>
  );
}
