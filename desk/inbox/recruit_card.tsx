import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { Conversation } from "../data/conversation.ts";
import { recruitQueries } from "../data/recruits.ts";
import { fullName } from "../ui/name.ts";
import { isPhone, phoneText } from "../ui/phone.ts";
import { RecruitFacts, ResumeButton } from "../ui/recruit_facts.tsx";
import { RecruitStage } from "../ui/recruit_stage.tsx";
import { RecruitTimeline } from "../ui/lazy_timeline.tsx";
import { QueryResult, Skeleton } from "../ui/query_result.tsx";

/** The facts about the recruit. */
export function RecruitCard({ conversation, isManager }: { conversation: Conversation; isManager: boolean }) {
  const { recruiting_lead_id } = conversation;
  return recruiting_lead_id === null
    ? <PhoneFacts conversation={conversation} />
    : <KnownRecruit id={recruiting_lead_id} conversation={conversation} isManager={isManager} />;
}

function KnownRecruit({ id, conversation, isManager }: { id: string; conversation: Conversation; isManager: boolean }) {
  return (
    <QueryResult query={useQuery(recruitQueries.detail(id))} resource="recruit" skeleton={<Skeleton rows={4} />}>
      {(recruit) =>
        recruit === null ? <PhoneFacts conversation={conversation} /> : (
          <>
            <p>
              <strong>
                <Link href={`/recruits/${id}`}>
                  <bdi>{fullName(recruit)}</bdi>
                  <span className="visually-hidden">, the profile</span>
                </Link>
              </strong>
            </p>
            <div className="stage">
              <span className="quiet" aria-hidden>Stage</span>
              <RecruitStage recruit={recruit} />
            </div>
            <ResumeButton recruit={recruit} />
            <RecruitFacts recruit={recruit} showsAgent={isManager} />
            <RecruitTimeline id={id} name={recruit.first_name} besides={conversation.id} />
          </>
        )}
    </QueryResult>
  );
}

/** The facts of a recruit without a lead. */
function PhoneFacts({ conversation: { recruit_phone, state } }: { conversation: Conversation }) {
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
