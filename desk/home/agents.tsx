import { Link } from "wouter";
import type { AgentFigures, Figures } from "../data/figures.ts";
import { Avatar } from "../ui/avatar.tsx";
import { countText } from "../ui/count.ts";
import { Table, type TableColumn } from "../ui/table.tsx";
import { allRecruits } from "./figures.tsx";
import { minutesText } from "./time_text.ts";

/** The agents: what waits for each, and what each has done in the days. */
export function Agents({ figures }: { figures: Figures }) {
  const { days, agents } = figures;
  const all = allRecruits(figures);
  const nobodys = all - agents.reduce((sum, { recruits }) => sum + recruits, 0);
  return (
    <section aria-labelledby="agents" className="panel is-half">
      <div className="panel-head">
        <h2 id="agents">Agents</h2>
        {nobodys > 0 && <small>{countText(nobodys)} of {countText(all)} recruits have no agent</small>}
      </div>
      <Table
        label="Agents"
        query={{ data: agents, error: null, refetch() {} }}
        resource="agents"
        empty={null}
        sort="-waiting"
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        columns={COLUMNS.map((column, place) => place > 1 ? { ...column, group: `In the last ${days} days` } : column)}
      />
    </section>
  );
}

const COLUMNS: TableColumn<AgentFigures>[] = [
  {
    title: "Agent",
    key: "name",
    sortBy: ({ name }) => name,
    cell: ({ id, name, is_active }) => (
      <>
        <Avatar id={id} name={name} isNamed /> {!is_active && <span className="quiet">deactivated</span>}
      </>
    ),
    isHeader: true,
  },
  {
    ...numberColumn("Waiting", "waiting"),
    cell: ({ id, waiting }) =>
      waiting === 0 ? "0" : <Link href="/inbox/waiting" state={{ agentId: id }}>{countText(waiting)}</Link>,
  },
  numberColumn("Recruits", "recruits"),
  numberColumn("Answered", "answered"),
  {
    ...numberColumn("First response", "median"),
    cell: ({ median }) => median === null ? "–" : minutesText(median),
    isGreatestFirst: false,
  },
  numberColumn("Moved on", "moved_on"),
  numberColumn("Hired", "hired"),
];

function numberColumn(
  title: string,
  key: Exclude<keyof AgentFigures, "id" | "name" | "is_active">,
): TableColumn<AgentFigures> {
  return {
    title,
    key,
    sortBy: (row) => row[key],
    cell: (row) => countText(row[key] ?? 0),
    isNumber: true,
    isGreatestFirst: true,
  };
}
