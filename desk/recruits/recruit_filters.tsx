import { useQuery } from "@tanstack/react-query";
import Columns from "lucide-react/icons/columns-3";
import Rows from "lucide-react/icons/rows-3";
import { useEffect, useState } from "react";
import { agentQueries } from "../data/agents.ts";
import { type RecruitFilter, STAGES } from "../data/recruits.ts";
import type { Agent } from "../data/user.ts";
import { labelOf } from "../ui/json_value.tsx";
import { useParameter } from "../ui/location.ts";
import { Search, useDebounced } from "../ui/search.tsx";
import { ExportButton } from "./export_button.tsx";
import { useBoard } from "./filter.ts";

/** The line above the recruits: what is shown, and how. All of it stands in the address. */
export function RecruitFilters({ agent, filter }: { agent: Agent; filter: RecruitFilter }) {
  const isManager = agent.role === "manager";
  const [isBoard, setBoard] = useBoard();
  const [stage, setStage] = useParameter("stage");
  return (
    <form className="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <SearchField />
      {!isBoard && (
        <select
          aria-label="Stage"
          value={stage ?? ""}
          onChange={({ target }) => setStage(target.value || null)}
        >
          <option value="">All stages</option>
          {STAGES.map((stage) => <option key={stage} value={stage}>{labelOf(stage)}</option>)}
        </select>
      )}
      {isManager && <AgentFilter agent={agent} />}
      <span className="switch" role="group" aria-label="View">
        <button type="button" aria-pressed={!isBoard} onClick={() => setBoard(false)}>
          <Rows size={16} /> Table
        </button>
        <button type="button" aria-pressed={isBoard} onClick={() => setBoard(true)}>
          <Columns size={16} /> Board
        </button>
      </span>
      {isManager && <ExportButton filter={filter} />}
    </form>
  );
}

/** What is typed goes into the address once the typing pauses. */
function SearchField() {
  const [searched, setSearched] = useParameter("q");
  const [typed, setTyped] = useState(searched ?? "");
  const words = useDebounced(typed);
  useEffect(() => {
    if (words !== (searched ?? "")) setSearched(words || null);
    // Only what the user types changes the address.
  }, [words]);
  return <Search value={typed} onChange={setTyped} label="Name, e-mail or last digits" />;
}

function AgentFilter({ agent }: { agent: Agent }) {
  const { data: agents = [] } = useQuery(agentQueries.active(agent.agency_id));
  const [chosen, choose] = useParameter("agent");
  return (
    <select aria-label="Agent" value={chosen ?? ""} onChange={({ target }) => choose(target.value || null)}>
      <option value="">All agents</option>
      {agents.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
    </select>
  );
}
