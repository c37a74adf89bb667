import { Link } from "wouter";
import type { Conversation } from "../data/conversation.ts";
import { useRecruit } from "../data/recruits.ts";
import { isPhone, phoneText } from "../ui/phone.ts";
import { RecruitFacts, ResumeButton } from "../ui/recruit_facts.tsx";
import { Shown, Skeleton } from "../ui/states.tsx";

/** Who the recruit is. */
export function RecruitCard({ conversation, isManager }: { conversation: Conversation; isManager: boolean }) {
  const { recruiting_lead_id } = conversation;
  return recruiting_lead_id === null
    ? <Unknown conversation={conversation} />
    : <Known id={recruiting_lead_id} conversation={conversation} isManager={isManager} />;
}

function Known({ id, conversation, isManager }: { id: string; conversation: Conversation; isManager: boolean }) {
  return (
    <Shown query={useRecruit(id)} of="recruit" skeleton={<Skeleton rows={4} />}>
      {(recruit) =>
        recruit === null ? <Unknown conversation={conversation} /> : (
          <>
            <RecruitFacts recruit={recruit} isManager={isManager} />
            <p className="buttons">
              <ResumeButton recruit={recruit} />
              <Link href={`/recruits/${id}`} className="button">Open the recruit</Link>
            </p>
          </>
        )}
    </Shown>
  );
}

/** All that an agent may read of a colleague's recruit whose conversation the agent was given. */
function Unknown({ conversation: { recruit_phone, state } }: { conversation: Conversation }) {
  return (
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
  );
}
