import { useEffect, useRef, useState } from "react";
import { openDeliveries, readAgain } from "../data/operator.ts";
import type { Group } from "../data/operator_rows.ts";
import { BATCH, replay, type Replayed } from "../data/operator_acts.ts";
import { countText } from "../ui/count.ts";
import { ActionError, useAction } from "../ui/action.tsx";

/** So many of the reasons for which deliveries are still refused are shown. */
const REASONS_SHOWN = 20;

/** A replay of many: their number, those that are left, and the outcomes of the others. */
interface Job {
  isDryRun: boolean;
  /** The text of a mapping that a dry run tries in place of the saved one. */
  mapping?: string;
  total: number;
  left: string[];
  results: Replayed[];
}

/**
 * Replays all open deliveries of a group, or says what a replay would make of them, one batch after the other. After a
 * fault it goes on where it was, and also when a response was lost: a delivery that is replayed again gives the same lead.
 */
export function useReplayAll(group?: Group) {
  const [job, setJob] = useState<Job | null>(null);
  const current = useRef<Job | null>(null);
  const isStopped = useRef(false);
  const given = useRef<{ isDryRun: boolean; ids?: string[]; mapping?: string }>({ isDryRun: false });

  function show(job: Job | null): void {
    current.current = job;
    setJob(job);
  }

  const action = useAction(async () => {
    isStopped.current = false;
    try {
      let job = current.current;
      if (job === null) {
        const { isDryRun, ids = await openDeliveries(group!), mapping } = given.current;
        job = { isDryRun, mapping, total: ids.length, left: ids, results: [] };
      }
      show(job);
      while (job.left.length > 0 && !isStopped.current) {
        const results = await replay(job.left.slice(0, BATCH), job.isDryRun, job.mapping);
        const tried = new Set(results.map(({ delivery_id }) => delivery_id));
        job = {
          ...job,
          left: job.left.filter((id) => !tried.has(id)),
          results: [...job.results, ...results],
        };
        show(job);
      }
    } finally {
      void readAgain();
    }
  });

  // A user who has left the view no longer sees what happens.
  useEffect(() => () => {
    isStopped.current = true;
  }, []);

  const isTried = job !== null && job.isDryRun && job.left.length === 0;
  return {
    ...action,
    job,
    /** The deliveries that a dry run has just found to pass; undefined: no dry run has completed. */
    passing: isTried
      ? job.results.filter(({ status }) => status !== "refused").map(({ delivery_id }) => delivery_id)
      : undefined,
    goOn: () => void action.run(),
    /** Those of these ids, or all. */
    start: (isDryRun: boolean, ids?: string[], mapping?: string) => {
      if (action.isRunning) return;
      given.current = { isDryRun, ids, mapping };
      show(null);
      void action.run();
    },
    stop: () => {
      isStopped.current = true;
    },
  };
}

/** The progress of a replay of many, and its outcomes. */
export function ReplayAll({ of }: { of: ReturnType<typeof useReplayAll> }) {
  const { job, isRunning, error } = of;
  const done = job?.results.length ?? 0;
  const total = job?.total ?? 0;
  const isOver = job !== null && !isRunning && job.left.length === 0;
  return (
    <div className={`replay ${isOver && job.isDryRun ? meaningOf(job) : ""}`}>
      <div role="status">
        {isRunning && job === null && <p>Reading the list</p>}
        {job !== null && !isOver && (
          <p>{!isRunning ? "Stopped" : job.isDryRun ? "Trying" : "Replaying"}: {done} of {total}</p>
        )}
        {isOver && <p>{summary(job)}</p>}
      </div>
      {job !== null && !isOver && <progress value={done} max={total} aria-label="Progress" />}
      <ActionError action={of} />
      {isRunning && <button type="button" onClick={of.stop}>Stop</button>}
      {!isRunning && !isOver && (job !== null || error !== null) && (
        <button type="button" onClick={of.goOn}>{error === null ? "Go on" : "Try again"}</button>
      )}
      {job !== null && <Refused results={job.results} />}
    </div>
  );
}

/** Whether something is still refused by a dry run, as a colour. */
function meaningOf({ results }: Job): string {
  return results.some(({ status }) => status === "refused") ? "is-warn" : "is-good";
}

function summary({ isDryRun, results }: Job): string {
  const by = Object.groupBy(results, ({ status, was_replayed }) => was_replayed ? "before" : status);
  const count = (came: keyof typeof by) => by[came]?.length ?? 0;
  return [
    `${isDryRun ? "Nothing is stored by this dry run of" : "Replayed"} ${results.length}`,
    `New leads: ${count("created")}`,
    `Leads that had come meanwhile: ${count("duplicate")}`,
    ...count("before") > 0 ? [`Already replayed: ${count("before")}`] : [],
    `Still refused: ${count("refused")}`,
    "",
  ].join(". ").trim();
}

/** Why deliveries are still refused, and how many of them, the most frequent reason first. */
function Refused({ results }: { results: Replayed[] }) {
  const refused = results.filter(({ status }) => status === "refused");
  if (refused.length === 0) return null;
  const reasons = [...Map.groupBy(refused, ({ reason }) => reason)]
    .toSorted(([, one], [, other]) => other.length - one.length);
  return (
    <>
      <ul aria-label="Still refused">
        {reasons.slice(0, REASONS_SHOWN).map(([reason, those]) => (
          <li key={reason}>
            {countText(those.length)}: {reason}
          </li>
        ))}
      </ul>
      {reasons.length > REASONS_SHOWN && <p>And {countText(reasons.length - REASONS_SHOWN)} more reasons.</p>}
    </>
  );
}
