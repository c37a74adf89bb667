import Clock from "lucide-react/icons/clock";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import { Link } from "wouter";
import type { AgentFigures, Figures } from "../data/figures.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Badge } from "../ui/badge.tsx";
import { countText } from "../ui/count.ts";
import { Nothing } from "../ui/nothing.tsx";
import { Table, type TableColumn } from "../ui/table.tsx";
import { allRecruits } from "./figures.tsx";
import { minutesText } from "./time_text.ts";

/** A first response that took longer is slow, in minutes. */
const SLOW = 60;

/** The agents: what waits for each, and what each has done in the days. */
export function Agents({ figures }: { figures: Figures }) {
  const nobody = ofNobody(figures);
  const agents = nobody.waiting + nobody.recruits + nobody.wrote > 0 ? [...figures.agents, nobody] : figures.agents;
  return (
    <section aria-labelledby="agents" className="panel is-half">
      <div className="panel-head">
        <h2 id="agents">Agents</h2>
        <small>who waits now, and the last {figures.days} days</small>
      </div>
      <Table
        label="Agents"
        query={{ data: agents, error: null, refetch() {} }}
        resource="agents"
        empty={null}
        sort="-waiting"
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        columns={COLUMNS}
      />
    </section>
  );
}

/** What is of no agent, so that the rows add up to the figures. */
export function ofNobody({ agents, vendors, waiting, first_response }: Figures): AgentFigures {
  const rest = (all: number, key: "waiting" | "recruits" | "wrote" | "answered") =>
    agents.reduce((rest, agent) => rest - agent[key], all);
  return {
    ...{ id: "", name: "No agent", is_active: true, median: null, moved_on: 0, hired: 0 },
    waiting: rest(waiting.recruits, "waiting"),
    recruits: rest(allRecruits({ vendors }), "recruits"),
    wrote: rest(first_response.recruits, "wrote"),
    answered: rest(first_response.answered, "answered"),
  };
}

const COLUMNS: TableColumn<AgentFigures>[] = [
  {
    title: "Agent",
    key: "name",
    sortBy: ({ id, name }) => id === "" ? null : name,
    cell: ({ id, name, is_active }) => (
      <>
        <Avatar id={id || null} name={name} isNamed /> {!is_active && <small>deactivated</small>}
      </>
    ),
    isHeader: true,
  },
  {
    ...numberColumn("Waiting", "waiting"),
    cell: ({ id, waiting }) =>
      waiting === 0 ? "0" : (
        <Link href={id === "" ? "/inbox/nobody" : "/inbox/waiting"} state={{ agentId: id || null }}>
          {countText(waiting)}
        </Link>
      ),
  },
  {
    ...numberColumn("Recruits", "recruits"),
    // Who has left has given them to others, and keeps what was done before.
    cell: ({ is_active, recruits }) =>
      is_active || recruits > 0 ? countText(recruits) : <Nothing words="none any more" />,
  },
  {
    ...numberColumn("Answered", "answered"),
    cell: ({ wrote, answered }) => {
      if (wrote === 0) return <Nothing words="none" />;
      const words = `${countText(answered)} of ${countText(wrote)}`;
      if (answered >= wrote / 2) return words;
      return <Badge meaning="warn" icon={TriangleAlert} title="Fewer than half were answered">{words}</Badge>;
    },
  },
  {
    ...numberColumn("First response", "median"),
    cell: ({ median }) => {
      if (median === null) return <Nothing words="none" />;
      return median > SLOW ? <Badge meaning="warn" icon={Clock}>{minutesText(median)}</Badge> : minutesText(median);
    },
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
    sortBy: (row) => row.id === "" ? null : row[key],
    cell: (row) => countText(row[key] ?? 0),
    isNumber: true,
    isGreatestFirst: true,
  };
}
