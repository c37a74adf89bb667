import { Link } from "wouter";
import { Badge } from "../ui/badge.tsx";
import { useIsPhone } from "../ui/is_wide.ts";
import { NextStep } from "./next_step.tsx";
import { When } from "./today.tsx";
import { isOpen } from "./trouble_words.ts";
import { useWords } from "./use_words.ts";
import { type Trouble, useTroubles } from "./troubles.ts";

/** Gives what is to do about an agency, the worst first. */
export function useProblemsOf(): (agencyId: string) => Trouble[] {
  const { data = [] } = useTroubles();
  return (agencyId) =>
    data.filter((trouble) => trouble.agency_id === agencyId && isOpen(trouble) && trouble.severity < 3)
      .toSorted((one, other) => one.severity - other.severity);
}

/** What is to do about an agency, each with its next step; on a phone, or where it is not `isWhole`, in a line that unfolds. */
export function AgencyProblems({ agencyId, isWhole }: { agencyId: string; isWhole: boolean }) {
  const problems = useWords(useProblemsOf()(agencyId));
  const isPhone = useIsPhone();
  if (!problems || problems.length === 0) return null;
  const list = (
    <ul className="problems panel" aria-label="Problems">
      {problems.map((problem) => (
        <li key={problem.id}>
          {problem.severity === 1 ? <Badge meaning="bad">Now</Badge> : <Badge meaning="warn">To do</Badge>}
          <span className="two-lines">
            <Link href={problem.link ?? `/operator?alert=${problem.id}`}>{problem.title}</Link>{" "}
            <small>{/^.*?: (.+)|^((?:Destination|\().+?) of /.exec(problem.name)?.slice(1)}</small>
          </span>
          <When of={problem} />
          <span className="buttons">
            <NextStep of={problem} />
          </span>
        </li>
      ))}
    </ul>
  );
  if (isWhole && !isPhone) return list;
  return (
    <details>
      <summary>
        <ProblemCount of={problems} isNamed />
      </summary>
      {list}
    </details>
  );
}

/** How many problems there are, the worst first; with the noun on a card, which has no heading, and where it `isNamed`. */
export function ProblemCount({ of: problems, isNamed = false }: { of: Trouble[]; isNamed?: boolean }) {
  return problems.length > 0 && (
    <Badge meaning={problems[0]!.severity === 1 ? "bad" : "warn"}>
      {problems.length}
      <span className={isNamed ? undefined : "if-narrow"}>{problems.length === 1 ? " problem" : " problems"}</span>
    </Badge>
  );
}
