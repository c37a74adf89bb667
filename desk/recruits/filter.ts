import { useSearch } from "wouter";
import { NEEDS, NEWEST_FIRST, ORDERS, type RecruitFilter, STAGES } from "../data/recruits.ts";
import type { Agent } from "../data/user.ts";
import { peopleOf } from "../ui/filters.tsx";
import { useParameter } from "../ui/location.ts";
import { useSort } from "../ui/table_sort.ts";

/** The order of an address that names none. */
export const STANDARD_SORT = "-received";

/** The list as it was left: its address, with the filters, and the distance from the top. */
export interface LeftList {
  href: string;
  scrolled: number;
}

/** The filter as the address has it: `?stage=hired&state=IL&need=answer&screening=licensed:yes&agent=<id>&q=ada&sort=name`. */
export function useFilter(agent: Agent): RecruitFilter {
  const parameters = new URLSearchParams(useSearch());
  const [{ key, isDescending }] = useSort(STANDARD_SORT);
  const isOrder = Object.hasOwn(ORDERS, key);
  return {
    ...peopleOf(parameters, agent),
    stage: STAGES.find((stage) => stage === parameters.get("stage")) ?? null,
    need: NEEDS.find((need) => need === parameters.get("need")) ?? null,
    screening: parameters.get("screening"),
    order: isOrder ? { column: ORDERS[key as keyof typeof ORDERS], ascending: !isDescending } : NEWEST_FIRST,
  };
}

/** Whether recruits are shown as a board of their stages. */
export function useBoard(): [boolean, (isBoard: boolean) => void] {
  const [view, setView] = useParameter("view");
  return [view === "board", (isBoard) => setView(isBoard ? "board" : null)];
}
