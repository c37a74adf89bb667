import { useSearch } from "wouter";
import { type Lead, type LeadFilter, leadQueries, TYPES } from "../data/leads.ts";
import { usePages } from "../data/pages.ts";
import type { Agent } from "../data/user.ts";
import { ActionButton } from "../ui/action.tsx";
import { Avatar } from "../ui/avatar.tsx";
import { Badge } from "../ui/badge.tsx";
import { countText } from "../ui/count.ts";
import { AgentFilter, SearchField, SelectField, StateFilter, stateOf } from "../ui/filters.tsx";
import { fullName } from "../ui/name.ts";
import { Page } from "../ui/page.tsx";
import { phoneText } from "../ui/phone.ts";
import { EmptyState } from "../ui/query_result.tsx";
import { Table, type TableColumn } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { openPresentation } from "./present.ts";

/** The sales leads of an agent, or of a manager's agency. */
export function Sales({ agent }: { agent: Agent }) {
  const isManager = agent.role === "manager";
  const filter = useFilter(agent);
  const isNarrow = filter.typed !== "" || filter.type !== null || filter.state !== null ||
    isManager && filter.agent_id !== null;
  return (
    <Page title="Sales leads" isTitleHidden>
      <form className="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <SearchField label="Name or last digits of the phone" />
        <StateFilter />
        <SelectField
          name="type"
          label="Type"
          all="All types"
          options={TYPES.map((type) => [type, type.toUpperCase()])}
        />
        {isManager && <AgentFilter agent={agent} />}
      </form>
      <Table
        label="Sales leads"
        query={usePages(leadQueries.list(filter))}
        resource="sales leads"
        empty={<NoLeads isNarrow={isNarrow} />}
        keyOf={({ id }) => id}
        nameOf={fullName}
        columns={isManager ? COLUMNS.toSpliced(5, 0, AGENT) : COLUMNS}
      />
    </Page>
  );
}

/** The filter as the address has it. */
function useFilter({ id, agency_id, role }: Agent): LeadFilter {
  const parameters = new URLSearchParams(useSearch());
  return {
    agency_id,
    agent_id: role === "manager" ? parameters.get("agent") : id,
    state: stateOf(parameters),
    type: TYPES.find((type) => type === parameters.get("type")) ?? null,
    typed: parameters.get("q") ?? "",
  };
}

const COLUMNS: TableColumn<Lead>[] = [
  {
    title: "Name",
    isHeader: true,
    cell: (lead) => <bdi>{fullName(lead)}</bdi>,
  },
  { title: "Stage", isPlain: true, cell: ({ stage }) => <Badge>{stage}</Badge> },
  {
    title: "Phone",
    isPlain: true,
    cell: ({ phone, phone_e164 }) =>
      phone_e164 === null ? phone : <a href={`tel:${phone_e164}`}>{phoneText(phone_e164)}</a>,
  },
  { title: "State", isPlain: true, cell: ({ state }) => state },
  { title: "Type", isMinor: true, cell: ({ type }) => type.toUpperCase() },
  {
    title: "Presentations",
    isNumber: true,
    isMinor: true,
    cell: ({ lead_metrics }) => countText(lead_metrics?.presentations_submitted ?? 0),
  },
  { title: "Sales", isNumber: true, cell: ({ lead_metrics }) => countText(lead_metrics?.sales ?? 0) },
  {
    title: "Last activity",
    cell: ({ lead_metrics }) =>
      lead_metrics?.last_activity_at ? <Time at={lead_metrics.last_activity_at} /> : "none yet",
  },
  { title: "Received", cell: ({ created_at }) => <Time at={created_at} /> },
  {
    title: "Present",
    isPlain: true,
    cell: (lead) => (
      <ActionButton className="link" act={() => openPresentation(lead)}>
        Present<span className="visually-hidden">
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
