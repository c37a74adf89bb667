import { useQuery } from "@tanstack/react-query";
import MessageSquare from "lucide-react/icons/message-square";
import Phone from "lucide-react/icons/phone";
import UserRound from "lucide-react/icons/user-round";
import { agentQueries } from "../data/agents.ts";
import { usePages } from "../data/pages.ts";
import {
  assignRecruits,
  needOf,
  type Recruit,
  type RecruitFilter,
  recruitQueries,
  type Stage,
  STAGES,
  useSetStage,
} from "../data/recruits.ts";
import type { Agent } from "../data/user.ts";
import { ActionButton, ActionError, useAction } from "../ui/action.tsx";
import { Avatar } from "../ui/avatar.tsx";
import { Badge } from "../ui/badge.tsx";
import { ConsentBadge } from "../ui/consent.tsx";
import { useIsPhone } from "../ui/is_wide.ts";
import { labelOf } from "../ui/json_value.tsx";
import { fullName } from "../ui/name.ts";
import { Nothing } from "../ui/nothing.tsx";
import { isPhone, phoneText } from "../ui/phone.ts";
import { latenessOf, waitText } from "../ui/lateness.ts";
import { EmptyState } from "../ui/query_result.tsx";
import { CallLink } from "../ui/recruit_facts.tsx";
import { RecruitStage } from "../ui/recruit_stage.tsx";
import { ScreeningTags } from "../ui/screening.tsx";
import { Table, type TableColumn } from "../ui/table.tsx";
import { ago, Time } from "../ui/time.tsx";
import { showToast } from "../ui/toast.tsx";
import { downloadRecruits } from "./export_button.tsx";
import { STANDARD_SORT } from "./filter.ts";

/** The columns for every reader. */
export const COLUMNS: TableColumn<Recruit>[] = [
  {
    title: "Name",
    key: "name",
    isHeader: true,
    cell: (recruit) => (
      <>
        <bdi title={fullName(recruit)}>{fullName(recruit)}</bdi> <Need recruit={recruit} />
        <Applications recruit={recruit} />
      </>
    ),
  },
  {
    title: "Phone",
    key: "phone",
    cell: (recruit) =>
      recruit.phone === null ? "no phone" : isPhone(recruit.phone)
        ? (
          <CallLink
            id={recruit.id}
            phone={recruit.phone}
            label={`Call ${fullName(recruit)}, ${phoneText(recruit.phone)}`}
          >
            <Phone size={18} />
            {phoneText(recruit.phone)}
          </CallLink>
        )
        : phoneText(recruit.phone),
  },
  { title: "State", key: "state", isPlain: true, isMinor: "in_card", cell: ({ state }) => state },
  { title: "Vendor", key: "vendor", isMinor: true, cell: ({ vendor }) => <bdi>{vendor}</bdi> },
  { title: "Stage", key: "stage", isPlain: true, cell: (recruit) => <RecruitStage recruit={recruit} /> },
  { title: "Screening", isMinor: true, cell: (recruit) => <ScreeningTags recruit={recruit} /> },
  // Most may be texted: only who may not is marked.
  { title: "Texts", isPlain: true, cell: ({ consent }) => consent !== "given" && <ConsentBadge consent={consent} /> },
  {
    title: "Last text",
    key: "text",
    isGreatestFirst: true,
    isMinor: "in_card",
    cell: ({ last_text_at }) =>
      last_text_at === null ? <Nothing words="none yet" /> : <Time at={last_text_at} isShort />,
  },
  {
    title: "Received",
    key: "received",
    isGreatestFirst: true,
    isPlain: true,
    cell: ({ created_at }) => <Time at={created_at} isShort />,
  },
];

/** What a recruit asks for: an answer, or to be opened for the first time. */
export function Need({ recruit }: { recruit: Recruit }) {
  const { waiting_since } = recruit;
  const need = needOf(recruit);
  if (need === "answer") {
    return (
      <Badge meaning={latenessOf(waiting_since!)} title={waitText(waiting_since!)}>
        <span>
          <span className="visually-hidden">waits</span> {ago(waiting_since!)}
        </span>
      </Badge>
    );
  }
  return need === "opening" && <span className="badge unopened" title="Not opened">not opened</span>;
}

/** The number of applications of the person, if there are two or more. */
export function Applications({ recruit: { applications } }: { recruit: Recruit }) {
  return applications > 1 && (
    <Badge title={`${applications} applications`}>
      <span aria-hidden>×{applications}</span>
      <span className="visually-hidden">{applications} applications</span>
    </Badge>
  );
}

const AGENT: TableColumn<Recruit> = {
  title: "Agent",
  key: "agent",
  isPlain: true,
  cell: ({ agent_id, agent }) =>
    agent_id === null ? <span className="person">No agent</span> : <Avatar id={agent_id} name={agent!} isNamed />,
};

/** Recruits as the rows of a table. */
export function RecruitTable({ agent, filter }: { agent: Agent; filter: RecruitFilter }) {
  const isManager = agent.role === "manager";
  const isPhone = useIsPhone();
  const query = usePages(recruitQueries.list(filter));
  return (
    <Table
      label="Recruits"
      resource="recruits"
      query={query}
      sort={STANDARD_SORT}
      hasSortSelect={false}
      columns={isManager ? COLUMNS.toSpliced(6, 0, AGENT) : COLUMNS}
      keyOf={({ id }) => id}
      nameOf={fullName}
      hrefOf={({ id }) => `/recruits/${id}`}
      menuOf={isPhone ? undefined : ({ id, conversation_id }) => [
        { label: "View profile", icon: UserRound, href: `/recruits/${id}` },
        ...conversation_id === null
          ? []
          : [{ label: "Open the conversation", icon: MessageSquare, href: `/inbox/all/${conversation_id}` }],
      ]}
      acts={(rows, clear) => <Acts agent={agent} rows={rows} clear={clear} />}
      empty={<NoRecruits filter={filter} isManager={isManager} />}
    />
  );
}

/** What can be done with several recruits. */
function Acts({ agent, rows, clear }: { agent: Agent; rows: Recruit[]; clear: () => void }) {
  const setStage = useSetStage();
  const ids = rows.map(({ id }) => id);
  const count = `${rows.length} ${rows.length === 1 ? "recruit" : "recruits"}`;

  async function move(stage: Stage): Promise<void> {
    await setStage.mutateAsync({ ids, stage });
    showToast(`${count} set to ${labelOf(stage)}.`, { meaning: "good" });
    clear();
  }

  return (
    <>
      {agent.role === "manager" && <GiveTo agent={agent} rows={rows} count={count} clear={clear} />}
      <select aria-label="Set their stage" value="" onChange={({ target }) => void move(target.value as Stage)}>
        <option value="">Stage…</option>
        {STAGES.map((stage) => <option key={stage} value={stage}>{labelOf(stage)}</option>)}
      </select>
      {agent.role === "manager" && <ActionButton act={() => downloadRecruits(rows)}>Download as CSV</ActionButton>}
      <ActionError action={setStage} />
    </>
  );
}

/**
 * Gives recruits to an agent of the agency, and offers to take them back. Without `clear` it is one, whose agent shows.
 *
 * @param count how many they are, or who it is
 */
export function GiveTo(
  { agent, rows, count, clear }: { agent: Agent; rows: Recruit[]; count: string; clear?: () => void },
) {
  const { agent_id, agent: name } = rows[0]!;
  const current = clear === undefined ? agent_id : null;
  const { data: agents = [] } = useQuery(agentQueries.active(agent.agency_id));
  const giving = useAction(async (to: string) => {
    const before = Object.groupBy(rows.filter(({ agent_id }) => agent_id !== null), ({ agent_id }) => agent_id!);
    const given = await assignRecruits(rows.map(({ id }) => id), to);
    const name = agents.find(({ id }) => id === to)!.name;
    showToast(
      <>
        {count} given to <bdi>{name}</bdi>
        {given < rows.length && `, who had ${rows.length - given} already`}.
      </>,
      {
        meaning: "good",
        act: {
          label: "Undo",
          run: () =>
            Promise.all(Object.entries(before).map(([id, had]) => assignRecruits(had!.map(({ id }) => id), id))),
        },
      },
    );
    clear?.();
  });
  return (
    <>
      <select
        aria-label={clear && (rows.length === 1 ? `Give ${fullName(rows[0]!)} to` : "Give them to")}
        value={current ?? ""}
        aria-disabled={giving.isRunning}
        onChange={({ target }) => void giving.run(target.value)}
      >
        {current === null && <option value="">{clear ? "Give to…" : "No agent"}</option>}
        {/* Of those who have left none is among the agents. */}
        {current !== null && !agents.some(({ id }) => id === current) && <option value={current}>{name}</option>}
        {agents.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
      </select>
      <ActionError action={giving} />
    </>
  );
}

function NoRecruits({ filter, isManager }: { filter: RecruitFilter; isManager: boolean }) {
  const { typed, agent_id, stage, state, need, screening } = filter;
  if (typed !== "") {
    return <EmptyState title="Nobody is found.">Look for another part of the name or number.</EmptyState>;
  }
  if ((stage ?? state ?? need ?? screening) !== null) return <EmptyState title="No recruit matches the filters." />;
  if (isManager && agent_id === "none") return <EmptyState title="Each recruit has an agent." />;
  if (isManager && agent_id !== null) return <EmptyState title="This agent has no recruits yet." />;
  return (
    <EmptyState title="There are no recruits yet.">
      {isManager
        ? "They appear here as soon as an order of your agency receives them."
        : "They appear here as soon as one is assigned to you."}
    </EmptyState>
  );
}
