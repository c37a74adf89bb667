import Clock from "lucide-react/icons/clock";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import { Link } from "wouter";
import type { AgentFigures, Figures } from "../data/figures.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Badge } from "../ui/badge.tsx";
import { countText } from "../ui/count.ts";
import { Nothing } from "../ui/nothing.tsx";
import { Table, type TableColumn } from "../ui/table.tsx";
import { minutesText } from "./time_text.ts";

/** A first response that took longer is slow, in minutes. */
const SLOW = 60;

/** The agents: what waits for each, and what each has done in the days. */
export function Agents({ figures: { days, agents } }: { figures: Figures }) {
  return (
    <section aria-labelledby="agents" className="panel is-half">
      <div className="panel-head">
        <h2 id="agents">Agents</h2>
        <small>who waits now, and the last {days} days</small>
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

const COLUMNS: TableColumn<AgentFigures>[] = [
  {
    title: "Agent",
    key: "name",
    sortBy: ({ name }) => name,
    cell: ({ id, name, is_active }) => (
      <>
        <Avatar id={id} name={name} isNamed /> {!is_active && <small>deactivated</small>}
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
    sortBy: (row) => row[key],
    cell: (row) => countText(row[key] ?? 0),
    isNumber: true,
    isGreatestFirst: true,
  };
}
