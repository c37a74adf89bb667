import { useQuery } from "@tanstack/react-query";
import ArrowLeft from "lucide-react/icons/arrow-left";
import Phone from "lucide-react/icons/phone";
import { useEffect } from "react";
import { Link } from "wouter";
import { type RecruitCard, recruitQueries, useMarkRecruitSeen } from "../data/recruits.ts";
import type { Agent } from "../data/user.ts";
import { Badge } from "../ui/badge.tsx";
import { latenessOf, waitText } from "../ui/lateness.ts";
import { DotSeparated } from "../ui/dot_separated.tsx";
import { useHasRail, useIsPhone } from "../ui/is_wide.ts";
import { fullName } from "../ui/name.ts";
import { Page } from "../ui/page.tsx";
import { isPhone, phoneText } from "../ui/phone.ts";
import { CallLink, RecruitFacts, ResumeButton } from "../ui/recruit_facts.tsx";
import { RecruitStage } from "../ui/recruit_stage.tsx";
import { RecruitTimeline } from "../ui/lazy_timeline.tsx";
import { ScreeningTags } from "../ui/screening.tsx";
import { Time } from "../ui/time.tsx";
import { EmptyState, QueryResult } from "../ui/query_result.tsx";
import type { LeftList } from "./filter.ts";
import { GiveTo } from "./recruit_table.tsx";
import { Writer } from "./writer.tsx";

/** The page of a recruit: the facts, and what can be done next. */
export function RecruitPage(
  { id, agent, list }: {
    id: string;
    agent: Agent;
    list: LeftList;
  },
) {
  const query = useQuery(recruitQueries.detail(id));
  const recruit = query.data;
  return (
    <Page title={recruit ? fullName(recruit) : "Recruit"} className="card">
      {/* The list itself: where it was left is known once it is gone. */}
      <Link href={list.href} state={list} className="button plain icon-button" title="All recruits">
        <ArrowLeft size={20} />
        <span className="visually-hidden">All recruits</span>
      </Link>
      <QueryResult query={query} resource="recruit">
        {(recruit) =>
          recruit === null
            ? <EmptyState title="There is no such recruit.">It was deleted, or has gone to another agent.</EmptyState>
            : <RecruitDetails recruit={recruit} agent={agent} />}
      </QueryResult>
    </Page>
  );
}

function RecruitDetails({ recruit, agent }: { recruit: RecruitCard; agent: Agent }) {
  const { id, phone, vendor, state, created_at, unread: notifications, consent, waiting_since } = recruit;
  const { mutate: markSeen } = useMarkRecruitSeen(id);
  const unread = notifications.join();
  useEffect(() => {
    // A failed mark is set when the recruit is opened again.
    if (unread !== "") markSeen(unread.split(","));
  }, [markSeen, unread]);
  const facts = (
    <RecruitFacts recruit={recruit}>{recruit.applications > 1 && <OtherApplications id={id} />}</RecruitFacts>
  );
  const isBeside = useHasRail();
  const label = useIsPhone() ? "visually-hidden" : "quiet";
  return (
    <>
      {waiting_since !== null && (
        <p className="waits">
          <Badge meaning={latenessOf(waiting_since)}>{waitText(waiting_since)}</Badge>
        </p>
      )}
      {!isBeside && (
        <p className="brief quiet">
          <DotSeparated>
            {isPhone(phone) ? <CallLink id={id} phone={phone}>{phoneText(phone)}</CallLink> : phone}
            <bdi>{vendor}</bdi>
            {state}
            <Time at={created_at} isShort />
          </DotSeparated>
        </p>
      )}
      {!isBeside && <ScreeningTags recruit={recruit} />}
      <p className="buttons">
        <label>
          <span className={label}>Stage</span> <RecruitStage recruit={recruit} />
        </label>
        {agent.role === "manager" && (
          <label>
            <span className={label}>Agent</span> <GiveTo agent={agent} rows={[recruit]} count={fullName(recruit)} />
          </label>
        )}
        {isPhone(phone) && (
          <CallLink
            id={id}
            phone={phone}
            className={consent === "none" && waiting_since === null ? "button primary" : "button"}
          >
            <Phone size={16} />
            Call
          </CallLink>
        )}
        <ResumeButton recruit={recruit} />
      </p>
      <div className="recruit-columns">
        {isBeside ? <div className="panel">{facts}</div> : (
          <details className="panel">
            <summary>Details and answers</summary>
            {facts}
          </details>
        )}
        <Writer recruit={recruit} agent={agent} />
        <div className="panel">
          <RecruitTimeline id={id} name={recruit.first_name} />
        </div>
      </div>
    </>
  );
}

/** The other applications of the same person to the agency. */
function OtherApplications({ id }: { id: string }) {
  const query = useQuery(recruitQueries.others(id));
  return (
    <QueryResult query={query} resource="other applications">
      {(others) => (
        <section aria-labelledby="other-applications">
          <h2 id="other-applications">Other applications</h2>
          <ul>
            {others.map(({ id, received_at, vendor, agent, may_read }) => (
              <li key={id} className="is-sentence">
                {may_read ? <Link href={`/recruits/${id}`}>{vendor}</Link> : vendor}, <Time at={received_at} />,{" "}
                {agent === null ? "no agent" : <bdi>{agent}</bdi>}
              </li>
            ))}
          </ul>
        </section>
      )}
    </QueryResult>
  );
}
