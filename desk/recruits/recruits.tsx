import { useQuery } from "@tanstack/react-query";
import Columns from "lucide-react/icons/columns-3";
import Rows from "lucide-react/icons/rows-3";
import { type RefObject, useLayoutEffect, useRef } from "react";
import { useRoute, useSearch } from "wouter";
import { recruitQueries } from "../data/recruits.ts";
import type { Agent } from "../data/user.ts";
import { useIsPhone } from "../ui/is_wide.ts";
import { ListHead, Page } from "../ui/page.tsx";
import { ExportButton } from "./export_button.tsx";
import { RecruitBoard } from "./recruit_board.tsx";
import { RecruitFilters } from "./recruit_filters.tsx";
import { RecruitPage } from "./recruit_page.tsx";
import { RecruitTable } from "./recruit_table.tsx";
import { type LeftList, useBoard, useFilter } from "./filter.ts";

/** The recruits of an agent, or of a manager's agency: as a table, as a board of their stages, or one of them. */
export function Recruits({ agent }: { agent: Agent }) {
  const [, parameters] = useRoute("/recruits/:id");
  const search = useSearch();
  const left = useRef<LeftList>({ href: "/recruits", scrolled: 0 });
  if (!parameters?.id) left.current.href = search === "" ? "/recruits" : `/recruits?${search}`;
  return parameters?.id
    ? <RecruitPage key={parameters.id} id={parameters.id} agent={agent} list={left.current} />
    : <AllRecruits agent={agent} left={left} />;
}

function AllRecruits({ agent, left }: { agent: Agent; left: RefObject<LeftList> }) {
  const filter = useFilter(agent);
  const [isBoard, setBoard] = useBoard();
  const isPhone = useIsPhone();
  const { data: count } = useQuery(recruitQueries.count(filter));
  // Runs before the list is gone, and the page shrinks.
  useLayoutEffect(() => () => {
    left.current.scrolled = scrollY;
  }, [left]);
  return (
    <Page title="Recruits" isTitleHidden className={isBoard ? "board-page" : undefined}>
      <ListHead count={count} noun="recruit">
        {agent.role === "manager" && !isPhone && <ExportButton filter={filter} />}
        <span className="segments" role="group" aria-label="View">
          <button type="button" aria-pressed={!isBoard} onClick={() => setBoard(false)}>
            <Rows size={16} /> Table
          </button>
          <button type="button" aria-pressed={isBoard} onClick={() => setBoard(true)}>
            <Columns size={16} /> Board
          </button>
        </span>
      </ListHead>
      <RecruitFilters agent={agent} filter={filter} />
      {isBoard ? <RecruitBoard filter={filter} /> : <RecruitTable agent={agent} filter={filter} />}
    </Page>
  );
}
