import { useQuery } from "@tanstack/react-query";
import { type RefObject, useEffect, useLayoutEffect } from "react";
import { Link } from "wouter";
import { agentQueries } from "../data/agents.ts";
import { type Recruit, type RecruitFilter, recruitQueries, type Stage, STAGES } from "../data/recruits.ts";
import { usePages } from "../data/pages.ts";
import type { Agent } from "../data/user.ts";
import { labelOf } from "../ui/json_value.tsx";
import { ExportButton } from "./export_button.tsx";
import { List } from "../ui/list.tsx";
import { fullName } from "../ui/name.ts";
import { Page } from "../ui/page.tsx";
import { DotSeparated } from "../ui/dot_separated.tsx";
import { phoneText } from "../ui/phone.ts";
import { RecruitStage } from "../ui/recruit_stage.tsx";
import { Search, useDebounced } from "../ui/search.tsx";
import { EmptyState } from "../ui/query_result.tsx";
import { Time } from "../ui/time.tsx";

export function RecruitList(
  { agent, filter, onFilter, scrolled }: {
    agent: Agent;
    filter: RecruitFilter;
    onFilter: (filter: RecruitFilter) => void;
    /** The distance from the top at which the list was left. */
    scrolled: RefObject<number>;
  },
) {
  // After the title has got the focus, which is at the top.
  useEffect(() => scrollTo(0, scrolled.current), []);
  // Runs before the list is gone, and the page shrinks.
  useLayoutEffect(() => () => {
    scrolled.current = scrollY;
  }, []);
  const isManager = agent.role === "manager";
  const query = usePages(recruitQueries.list({ ...filter, typed: useDebounced(filter.typed) }));
  return (
    <Page title="Recruits" isTitleHidden>
      <List
        query={query}
        resource="recruits"
        filters={
          <>
            <Search value={filter.typed} onChange={(typed) => onFilter({ ...filter, typed })} />
            <select
              aria-label="Stage"
              value={filter.stage ?? ""}
              onChange={(event) => onFilter({ ...filter, stage: (event.currentTarget.value || null) as Stage | null })}
            >
              <option value="">All stages</option>
              {STAGES.map((stage) => <option key={stage} value={stage}>{labelOf(stage)}</option>)}
            </select>
            {isManager && (
              <AgentFilter
                agent={agent}
                value={filter.agent_id}
                onChange={(agent_id) => onFilter({ ...filter, agent_id })}
              />
            )}
          </>
        }
        empty={<NoRecruits filter={filter} isManager={isManager} />}
        above={isManager && <ExportButton filter={filter} />}
        className="people staged"
        keyOf={({ id }) => id}
        row={(recruit) => (
          <li>
            <RecruitRow recruit={recruit} isManager={isManager} />
            <RecruitStage recruit={recruit} />
          </li>
        )}
      />
    </Page>
  );
}

function RecruitRow({ recruit, isManager }: { recruit: Recruit; isManager: boolean }) {
  const { id, phone, state, created_at, agents, agent_notifications, recruiting_conversations } = recruit;
  return (
    <Link href={`/recruits/${id}`}>
      <span className="name">
        <bdi>{fullName(recruit)}</bdi> {agent_notifications.length > 0 && <span className="badge strong">New</span>}
      </span>
      <span className="quiet">
        <DotSeparated>
          {phone === null ? "no phone" : phoneText(phone)}
          {state}
          {isManager && (agents === null ? "no agent" : <bdi>{fullName(agents)}</bdi>)}
          {recruiting_conversations.length === 0 && "not texted"}
        </DotSeparated>
      </span>
      <Time at={created_at} />
    </Link>
  );
}

function AgentFilter(
  { agent, value, onChange }: { agent: Agent; value: string | null; onChange: (agent_id: string | null) => void },
) {
  const { data: agents = [] } = useQuery(agentQueries.active(agent.agency_id));
  return (
    <select
      aria-label="Agent"
      value={value ?? ""}
      onChange={(event) => onChange(event.currentTarget.value || null)}
    >
      <option value="">All agents</option>
      {agents.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
    </select>
  );
}

function NoRecruits({ filter: { typed, agent_id, stage }, isManager }: { filter: RecruitFilter; isManager: boolean }) {
  if (typed !== "") {
    return <EmptyState title="Nobody is found.">Look for another part of the name or number.</EmptyState>;
  }
  if (stage !== null) return <EmptyState title="No recruit is in this stage." />;
  if (isManager && agent_id !== null) return <EmptyState title="This agent has no recruits yet." />;
  return (
    <EmptyState title="There are no recruits yet.">
      {isManager
        ? "They stand here as soon as an order of your agency gets them."
        : "They stand here as soon as you are given one."}
    </EmptyState>
  );
}
