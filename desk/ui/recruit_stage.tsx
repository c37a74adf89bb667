import { type Recruit, type Stage, STAGES, useSetStage } from "../data/recruits.ts";
import { ActionError } from "./action.tsx";
import { labelOf } from "./json_value.tsx";
import { fullName } from "./name.ts";

/** The stage of a recruit, which the user may change. */
export function RecruitStage({ recruit }: { recruit: Recruit }) {
  const change = useSetStage();
  return (
    <span className="action">
      <select
        aria-label={`Stage of ${fullName(recruit)}`}
        className={`stage-of is-${recruit.stage}`}
        value={recruit.stage}
        onChange={({ target }) => change.mutate({ ids: [recruit.id], stage: target.value as Stage })}
      >
        {STAGES.map((stage) => <option key={stage} value={stage}>{labelOf(stage)}</option>)}
      </select>
      <ActionError action={change} />
    </span>
  );
}
