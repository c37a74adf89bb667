import { useQuery } from "@tanstack/react-query";
import ArrowRightLeft from "lucide-react/icons/arrow-right-left";
import { type DragEvent, useState } from "react";
import { Link } from "wouter";
import { usePages } from "../data/pages.ts";
import { type Recruit, type RecruitFilter, recruitQueries, type Stage, STAGES, useSetStage } from "../data/recruits.ts";
import { ActionError } from "../ui/action.tsx";
import { Avatar } from "../ui/avatar.tsx";
import { countText } from "../ui/count.ts";
import { DotSeparated } from "../ui/dot_separated.tsx";
import { labelOf } from "../ui/json_value.tsx";
import { LoadMoreButton } from "../ui/load_more_button.tsx";
import { Menu } from "../ui/menu.tsx";
import { fullName } from "../ui/name.ts";
import { QueryResult } from "../ui/query_result.tsx";
import { screeningOf, ScreeningTags } from "../ui/screening.tsx";
import { Time } from "../ui/time.tsx";
import { showToast } from "../ui/toast.tsx";
import { Applications, Need } from "./recruit_table.tsx";

/** Recruits as cards below their stages. A card is dragged to another stage, or moved there by its menu. */
export function RecruitBoard({ filter }: { filter: RecruitFilter }) {
  const setStage = useSetStage();

  function move({ id, name, stage }: Moved, to: Stage): void {
    if (stage === to) return;
    setStage.mutate({ ids: [id], stage: to }, {
      onSuccess: () =>
        showToast(
          <>
            <bdi>{name}</bdi> is in {labelOf(to)} now.
          </>,
          {
            act: { label: "Undo", run: () => setStage.mutate({ ids: [id], stage }) },
          },
        ),
    });
  }

  return (
    <>
      <ActionError action={setStage} />
      <div className="board">
        {STAGES.map((stage) => <Stack key={stage} filter={{ ...filter, stage }} stage={stage} onMove={move} />)}
      </div>
    </>
  );
}

/** The recruit who is moved, and the stage before. */
interface Moved {
  id: string;
  name: string;
  stage: Stage;
}

/** From so many days on, a recruit is late in a stage in which an agent has something to do. */
const LATE_DAYS = 14;

/** The type of what is dragged, so that a card is told from a file. */
const DRAGGED = "application/x-recruit";

function Stack({ filter, stage, onMove }: {
  filter: RecruitFilter;
  stage: Stage;
  onMove: (recruit: Moved, to: Stage) => void;
}) {
  const query = usePages(recruitQueries.list(filter));
  const [isOver, setOver] = useState(false);
  const shown = query.data?.length ?? 0;
  const { data: count } = useQuery({ ...recruitQueries.count(filter), enabled: query.hasNextPage });
  const words = !query.hasNextPage ? countText(shown) : count === undefined ? `${shown}+` : countText(count);

  function drag(event: DragEvent): void {
    if (!event.dataTransfer.types.includes(DRAGGED)) return;
    event.preventDefault();
    setOver(true);
  }

  return (
    <section
      aria-label={labelOf(stage)}
      className={isOver ? "stack is-over" : "stack"}
      onDragOver={drag}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        const moved = event.dataTransfer.getData(DRAGGED);
        if (moved !== "") onMove(JSON.parse(moved), stage);
      }}
    >
      <h2 className={`is-${stage}`}>
        {labelOf(stage)} <span className="count-of">{words}</span>
      </h2>
      <QueryResult query={query} resource="recruits">
        {(recruits) => (
          <>
            <ul>
              {recruits.map((recruit) => <Card key={recruit.id} recruit={recruit} onMove={onMove} />)}
            </ul>
            <LoadMoreButton query={query} />
          </>
        )}
      </QueryResult>
    </section>
  );
}

function Card({ recruit, onMove }: { recruit: Recruit; onMove: (recruit: Moved, to: Stage) => void }) {
  const { id, state, agent_id, agent, stage, created_at, waiting_since } = recruit;
  const isLate = waiting_since === null && ["new", "contacted", "interview"].includes(stage) &&
    Date.now() - Date.parse(created_at) > LATE_DAYS * 86_400_000;
  const moved = { id, name: fullName(recruit), stage };
  return (
    <li
      className="panel"
      draggable
      onDragStart={({ dataTransfer }) => {
        dataTransfer.setData(DRAGGED, JSON.stringify(moved));
        dataTransfer.effectAllowed = "move";
      }}
    >
      <span className="line">
        <Link href={`/recruits/${id}`} draggable={false} className="name">
          <bdi>{moved.name}</bdi>
        </Link>
        <Need recruit={recruit} />
        <Applications recruit={recruit} />
      </span>
      <Menu
        label={`Move ${moved.name}`}
        icon={ArrowRightLeft}
        items={STAGES.filter((to) => to !== stage).map((to) => ({ label: labelOf(to), run: () => onMove(moved, to) }))}
      />
      {screeningOf(recruit).length > 0 && (
        <span className="quiet">
          <ScreeningTags recruit={recruit} most={2} />
        </span>
      )}
      <span className="quiet">
        <DotSeparated>
          {state}
          <span className={isLate ? "is-late" : undefined}>
            <span className="visually-hidden">received</span>
            <Time at={created_at} isAge />
          </span>
        </DotSeparated>
      </span>
      <Avatar id={agent_id} name={agent ?? "No agent"} />
    </li>
  );
}
