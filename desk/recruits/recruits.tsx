import { useRef, useState } from "react";
import { useLocation, useRoute } from "wouter";
import { type RecruitFilter, type Stage, STAGES } from "../data/recruits.ts";
import type { Agent } from "../data/user.ts";
import { RecruitPage } from "./recruit_page.tsx";
import { RecruitList } from "./recruit_list.tsx";

/** The recruits of an agent, or of a manager's agency: the list, or one of them. */
export function Recruits({ agent }: { agent: Agent }) {
  const isManager = agent.role === "manager";
  // Kept while a recruit is open.
  const [kept, setKept] = useState({
    agency_id: agent.agency_id,
    agent_id: isManager ? null : agent.id,
    typed: "",
  });
  const [, staged] = useRoute("/recruits/stage/:stage");
  const [, navigate] = useLocation();
  const stage = STAGES.find((stage) => stage === staged?.stage) ?? null;
  const setFilter = ({ stage: wanted, ...others }: RecruitFilter) => {
    setKept(others);
    if (wanted !== stage) navigate(pathOf(wanted), { replace: true });
  };
  const filter = { ...kept, stage };
  const scrolled = useRef(0);
  const [, params] = useRoute("/recruits/:id");
  const left = useRef(stage);
  if (!params?.id) left.current = stage;
  return params?.id
    ? <RecruitPage key={params.id} id={params.id} agent={agent} list={pathOf(left.current)} />
    : <RecruitList agent={agent} filter={filter} onFilter={setFilter} scrolled={scrolled} />;
}

function pathOf(stage: Stage | null): string {
  return stage === null ? "/recruits" : `/recruits/stage/${stage}`;
}
