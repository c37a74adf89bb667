import { useQuery } from "@tanstack/react-query";
import Columns from "lucide-react/icons/columns-3";
import Rows from "lucide-react/icons/rows-3";
import { agentQueries } from "../data/agents.ts";
import { type RecruitFilter, STAGES } from "../data/recruits.ts";
import type { Agent } from "../data/user.ts";
import { SearchField, SelectField } from "../ui/filters.tsx";
import { labelOf } from "../ui/json_value.tsx";
import { ExportButton } from "./export_button.tsx";
import { useBoard } from "./filter.ts";

/** The line above the recruits: what is shown, and how. All of it stands in the address. */
export function RecruitFilters({ agent, filter }: { agent: Agent; filter: RecruitFilter }) {
  const isManager = agent.role === "manager";
  const [isBoard, setBoard] = useBoard();
  return (
    <form className="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <SearchField label="Name, e-mail or last digits" />
      {!isBoard && (
        <SelectField
          name="stage"
          label="Stage"
          all="All stages"
          options={STAGES.map((stage) => [stage, labelOf(stage)])}
        />
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

function AgentFilter({ agent }: { agent: Agent }) {
  const { data: agents = [] } = useQuery(agentQueries.active(agent.agency_id));
  return <SelectField name="agent" label="Agent" all="All agents" options={agents.map(({ id, name }) => [id, name])} />;
}
