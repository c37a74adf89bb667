import Phone from "lucide-react/icons/phone";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "wouter";
import { type Lead, type LeadFilter, leadQueries, TYPES } from "../data/leads.ts";
import { usePages } from "../data/pages.ts";
import type { Stage } from "../data/recruits.ts";
import type { Agent } from "../data/user.ts";
import { ActionButton } from "../ui/action.tsx";
import { Avatar } from "../ui/avatar.tsx";
import { AgentFilter, Filters, peopleOf, SelectField, StateFilter } from "../ui/filters.tsx";
import { labelOf } from "../ui/json_value.tsx";
import { fullName } from "../ui/name.ts";
import { Nothing } from "../ui/nothing.tsx";
import { ListHead, Page } from "../ui/page.tsx";
import { phoneText } from "../ui/phone.ts";
import { EmptyState } from "../ui/query_result.tsx";
import { Table, type TableColumn } from "../ui/table.tsx";
import { useSort } from "../ui/table_sort.ts";
import { Time } from "../ui/time.tsx";
import { openPresentation } from "./present.ts";

/** The order of an address that names none. */
const STANDARD_SORT = "-received";

/** The sales leads of an agent, or of a manager's agency. */
export function Sales({ agent }: { agent: Agent }) {
  const isManager = agent.role === "manager";
  const filter = useFilter(agent);
  const { typed, type, state, stage, agent_id } = filter;
  const chosen = [type, state, stage, isManager ? agent_id : null];
  const isNarrow = typed !== "" || chosen.some((one) => one !== null);
  const { data: stages = [] } = useQuery(leadQueries.stages(agent.agency_id));
  const { data: count } = useQuery(leadQueries.count(filter));
  return (
    <Page title="Sales leads" isTitleHidden>
      <ListHead count={count} noun="lead" />
      <Filters search="Name or last digits" on={chosen}>
        <SelectField
          name="stage"
          label="Stage"
          all="All stages"
          options={stages.map((stage) => [stage, stageText(stage)])}
        />
        <StateFilter />
        <SelectField
          name="type"
          label="Type"
          all="All types"
          options={TYPES.map((type) => [type, typeText(type)])}
        />
        {isManager && <AgentFilter agent={agent} />}
      </Filters>
      <Table
        label="Sales leads"
        query={usePages(leadQueries.list(filter))}
        resource="sales leads"
        empty={<NoLeads isNarrow={isNarrow} />}
        sort={STANDARD_SORT}
        hasSortSelect={false}
        keyOf={({ id }) => id}
        nameOf={fullName}
        columns={isManager ? COLUMNS.toSpliced(5, 0, AGENT) : COLUMNS}
      />
    </Page>
  );
}

/** The filter as the address has it. */
function useFilter(agent: Agent): LeadFilter {
  const parameters = new URLSearchParams(useSearch());
  const [{ key, isDescending }] = useSort(STANDARD_SORT);
  return {
    ...peopleOf(parameters, agent),
    type: TYPES.find((type) => type === parameters.get("type")) ?? null,
    stage: parameters.get("stage"),
    ascending: key === "received" && !isDescending,
  };
}

/** A type in words where they are known. What the other codes stand for is the agency's to know. */
function typeText(type: string): string {
  if (type === "fe") return "Final expense";
  return ["union", "globe"].includes(type) ? labelOf(type) : type.toUpperCase();
}

/** The stages of recruits whose colours sales leads have. Agencies name their own stages. */
const COLOURS: Record<string, Stage> = { presented: "interview", sold: "hired", lost: "lost" };

function stageText(stage: string): string {
  return labelOf(stage.replaceAll(" ", "_"));
}

const COLUMNS: TableColumn<Lead>[] = [
  {
    title: "Name",
    isHeader: true,
    cell: (lead) => <bdi>{fullName(lead)}</bdi>,
  },
  {
    title: "Phone",
    cell: (lead) =>
      lead.phone_e164 === null
        ? lead.phone
        : (
          <a href={`tel:${lead.phone_e164}`} aria-label={`Call ${fullName(lead)}, ${phoneText(lead.phone_e164)}`}>
            <Phone size={18} />
            {phoneText(lead.phone_e164)}
          </a>
        ),
  },
  { title: "State", isPlain: true, cell: ({ state }) => state },
  { title: "Type", isPlain: true, cell: ({ type }) => typeText(type) },
  {
    title: "Stage",
    isPlain: true,
    cell: ({ stage }) => <span className={`stage-name is-${COLOURS[stage]}`}>{stageText(stage)}</span>,
  },
  {
    title: "Received",
    key: "received",
    isGreatestFirst: true,
    isPlain: true,
    cell: ({ created_at }) => <Time at={created_at} isShort />,
  },
  {
    title: "Presentations",
    isNumber: true,
    isMinor: true,
    cell: ({ lead_metrics }) => lead_metrics?.presentations_submitted || <Nothing words="0" />,
  },
  { title: "Sales", isNumber: true, cell: ({ lead_metrics }) => lead_metrics?.sales || <Nothing words="0" /> },
  {
    title: "Last activity",
    isMinor: true,
    cell: ({ lead_metrics }) =>
      lead_metrics?.last_activity_at
        ? <Time at={lead_metrics.last_activity_at} isShort />
        : <Nothing words="none yet" />,
  },
  {
    title: "Presentation",
    isTitleHidden: true,
    isPlain: true,
    cell: (lead) => (
      <ActionButton
        act={() => openPresentation(lead)}
        className={lead.lead_metrics?.presentations_submitted ? "plain quiet" : "plain"}
      >
        {lead.lead_metrics?.presentations_submitted ? "Present again" : "Present"}
        <span className="visually-hidden">
          to <bdi>{fullName(lead)}</bdi>
        </span>
      </ActionButton>
    ),
  },
];

const AGENT: TableColumn<Lead> = {
  title: "Agent",
  isMinor: true,
  cell: ({ agent_id, agents }) => agents && <Avatar id={agent_id} name={fullName(agents)} isNamed />,
};

function NoLeads({ isNarrow }: { isNarrow: boolean }) {
  if (isNarrow) {
    return (
      <EmptyState title="Nobody is found.">Look for another part of the name or number, or in all leads.</EmptyState>
    );
  }
  return (
    <EmptyState title="There are no sales leads yet.">They stand here as soon as your agency imports some.</EmptyState>
  );
}
