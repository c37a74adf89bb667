import { useState } from "react";
import { AGENCY_SORTS, agencyQueries, type ListedAgency } from "../data/agency.ts";
import { usePages } from "../data/pages.ts";
import { Badge } from "../ui/badge.tsx";
import { countText } from "../ui/count.ts";
import { Page } from "../ui/page.tsx";
import { EmptyState } from "../ui/query_result.tsx";
import { Search, useDebounced } from "../ui/search.tsx";
import { Table, type TableColumn } from "../ui/table.tsx";
import { useSort } from "../ui/table_sort.ts";
import { zoneText } from "../ui/zone_text.ts";
import { ProblemCount, useProblemsOf } from "./agency_problems.tsx";

const COLUMNS: TableColumn<ListedAgency>[] = [
  { title: "Time zone", key: "timezone", isMinor: true, cell: ({ timezone }) => zoneText(timezone) },
  {
    title: "Active people",
    key: "active_agents",
    cell: ({ active_agents }) => active_agents,
    isNumber: true,
    isMinor: true,
    isGreatestFirst: true,
  },
  {
    title: "Open orders",
    key: "open_orders",
    cell: ({ open_orders, filled, quantity }) =>
      open_orders === 0 ? 0 : `${open_orders} (${countText(filled)} of ${countText(quantity)} leads)`,
    isNumber: true,
    isGreatestFirst: true,
  },
  {
    title: "Waiting recruits",
    key: "waiting",
    cell: ({ waiting }) => countText(waiting),
    isNumber: true,
    isGreatestFirst: true,
  },
  {
    title: "Numbers",
    key: "numbers",
    cell: ({ numbers, paused_numbers }) => (
      <>
        {numbers} {paused_numbers > 0 && <Badge meaning="warn">{paused_numbers} paused</Badge>}
      </>
    ),
    isNumber: true,
    isMinor: true,
    isGreatestFirst: true,
  },
  { title: "Bot", isMinor: true, cell: ({ has_bot }) => has_bot ? <Badge meaning="good">on</Badge> : "off" },
];

/** The agencies of the service, each of which opens its settings. */
export function Agencies() {
  const [typed, setTyped] = useState("");
  const [sort] = useSort("name");
  const column = AGENCY_SORTS.find((name) => name === sort.key) ?? "name";
  const problemsOf = useProblemsOf();
  const query = usePages(agencyQueries.list(useDebounced(typed), column, sort.isDescending));
  return (
    <Page title="Agencies">
      <Search label="Name of the agency" value={typed} onChange={setTyped} />
      <Table
        query={query}
        resource="agencies"
        label="Agencies"
        sort="name"
        empty={<EmptyState title="No agency has this name." />}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        hrefOf={({ id }) => `/operator/agencies/${id}`}
        columns={[
          { title: "Name", key: "name", isHeader: true, cell: ({ name }) => <bdi>{name}</bdi> },
          { title: "Problems", cell: ({ id }) => <ProblemCount of={problemsOf(id)} />, isNumber: true, isCorner: true },
          ...COLUMNS,
        ]}
      />
    </Page>
  );
}
