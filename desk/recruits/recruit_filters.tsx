import { agencyQueries } from "../data/agency.ts";
import { usePages } from "../data/pages.ts";
import { type RecruitFilter, SCREENINGS, STAGES } from "../data/recruits.ts";
import type { Agent } from "../data/user.ts";
import { AgentFilter, Filters, SelectField, StateFilter } from "../ui/filters.tsx";
import { useIsPhone } from "../ui/is_wide.ts";
import { labelOf } from "../ui/json_value.tsx";
import { SCREENING_WORDS } from "../ui/screening.tsx";
import { SortSelect } from "../ui/table.tsx";
import { ExportButton } from "./export_button.tsx";
import { STANDARD_SORT, useBoard } from "./filter.ts";
import { COLUMNS } from "./recruit_table.tsx";

/** The line above the recruits: which are shown. All of it stands in the address. */
export function RecruitFilters({ agent, filter }: { agent: Agent; filter: RecruitFilter }) {
  const isManager = agent.role === "manager";
  const [isBoard] = useBoard();
  const isPhone = useIsPhone();
  const { stage, state, need, screening, agent_id } = filter;
  const on = [stage, state, need, screening, isManager ? agent_id : null];
  return (
    <Filters search="Name, e-mail or last digits" on={on}>
      {isPhone && !isBoard && <SortSelect columns={COLUMNS} standard={STANDARD_SORT} />}
      {!isBoard && (
        <SelectField
          name="stage"
          label="Stage"
          all="All stages"
          options={STAGES.map((stage) => [stage, labelOf(stage)])}
        />
      )}
      <StateFilter />
      {isManager && <AgentFilter agent={agent} hasNone />}
      <SelectField
        name="need"
        label="Waiting"
        all="Waiting: all"
        options={[["answer", "Waiting for an answer"], ["opening", "Not opened"]]}
      />
      <ScreeningFilter agent={agent} />
      {isManager && isPhone && <ExportButton filter={filter} />}
    </Filters>
  );
}

/** What is read of a question in a script of the bot. */
interface Question {
  id: string;
  answer: string | { choice?: object };
}

/** The choice of a state of the screening; for a manager also of an answer to a question of the agency's script. */
function ScreeningFilter({ agent }: { agent: Agent }) {
  const scripts = agencyQueries.scripts(agent.agency_id);
  const { data = [] } = usePages({ ...scripts, enabled: agent.role === "manager" });
  const script = data.find(({ script }) => script !== null)?.script as { questions: Question[] } | undefined;
  const answers = script?.questions.flatMap((question) =>
    choicesOf(question).map((answer): [string, string] => [
      `${question.id}:${answer}`,
      `${labelOf(question.id)}: ${labelOf(answer)}`,
    ])
  ) ?? [];
  return (
    <SelectField
      name="screening"
      label="Screening"
      all="Any screening"
      options={[...SCREENINGS.map((state): [string, string] => [state, SCREENING_WORDS[state]]), ...answers]}
    />
  );
}

/** The answers that a question offers; none: it is answered in other ways. */
function choicesOf({ answer }: Question): string[] {
  if (answer === "yes_no") return ["yes", "no"];
  return typeof answer === "object" ? Object.keys(answer.choice ?? {}) : [];
}
