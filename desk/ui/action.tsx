import { type SubmitEvent, useRef, useState } from "react";

/** Something that the user does and that may fail. */
export interface Action {
  isRunning: boolean;
  isDone: boolean;
  /** What went wrong the last time, in a sentence. */
  problem: string | null;
}

/**
 * Runs `act` when the user asks for it, and never twice at once. The problem is shown beside the thing by
 * {@link Problem}.
 */
export function useAction<Given = void>(act: (given: Given) => unknown) {
  const [action, setAction] = useState<Action>({ isRunning: false, isDone: false, problem: null });
  // State comes too late for a double click.
  const isRunning = useRef(false);

  async function run(given: Given): Promise<void> {
    if (isRunning.current) return;
    isRunning.current = true;
    setAction({ isRunning: true, isDone: false, problem: null });
    try {
      await act(given);
      setAction({ isRunning: false, isDone: true, problem: null });
    } catch (error) {
      setAction({ isRunning: false, isDone: false, problem: error instanceof Error ? error.message : String(error) });
    } finally {
      isRunning.current = false;
    }
  }

  /** For a form: `act` gets its fields. */
  function onSubmit(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault();
    void run(new FormData(event.currentTarget) as Given);
  }

  return { ...action, run, onSubmit };
}

/** The sentence about what went wrong, for the screen reader too. */
export function Problem({ of: { problem } }: { of: Action }) {
  return problem === null ? null : <p className="problem" role="alert">{problem}</p>;
}

/** A button that does one thing, with what went wrong beside it. */
export function ActionButton(
  { act, className, children }: { act: () => unknown; className?: string; children: React.ReactNode },
) {
  const action = useAction(act);
  return (
    <span className="action">
      {/* Not disabled while it runs: the focus would be lost. */}
      <button type="button" className={className} aria-disabled={action.isRunning} onClick={() => action.run()}>
        {children}
      </button>
      <Problem of={action} />
    </span>
  );
}
