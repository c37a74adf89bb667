import { useRef, useState } from "react";
import { useRoute } from "wouter";
import type { Agent } from "../data/user.ts";
import { RecruitPage } from "./recruit_page.tsx";
import { RecruitList } from "./recruit_list.tsx";

/** The recruits of an agent, or of a manager's agency: the list, or one of them. */
export function Recruits({ agent }: { agent: Agent }) {
  const isManager = agent.role === "manager";
  // Kept while a recruit is open.
  const [filter, setFilter] = useState({
    agency_id: agent.agency_id,
    agent_id: isManager ? null : agent.id,
    typed: "",
  });
  const scrolled = useRef(0);
  const [, params] = useRoute("/recruits/:id");
  return params?.id
    ? <RecruitPage key={params.id} id={params.id} isManager={isManager} />
    : <RecruitList agent={agent} filter={filter} onFilter={setFilter} scrolled={scrolled} />;
}
