import { type SubmitEvent, useRef, useState } from "react";

/** The state of a thing that the user does and that may fail. */
export interface Action {
  isRunning: boolean;
  isDone: boolean;
  /** The error of the last time, with a sentence for the user; null: none. */
  error: Error | null;
}

/**
 * Runs `act` when the user asks for it, and never twice at once. {@link ActionError} shows its problem beside it.
 */
export function useAction<Given = void>(act: (given: Given) => unknown) {
  const [action, setAction] = useState<Action>({ isRunning: false, isDone: false, error: null });
  // State comes too late for a double click.
  const isRunning = useRef(false);

  async function run(given: Given): Promise<void> {
    if (isRunning.current) return;
    isRunning.current = true;
    setAction({ isRunning: true, isDone: false, error: null });
    try {
      await act(given);
      setAction({ isRunning: false, isDone: true, error: null });
    } catch (error) {
      setAction({ isRunning: false, isDone: false, error: error instanceof Error ? error : new Error(String(error)) });
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

/** The sentence about what went wrong in an action or a mutation, for the screen reader too. */
export function ActionError({ action: { error } }: { action: Pick<Action, "error"> }) {
  return error === null ? null : <p className="problem" role="alert">{error.message}</p>;
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
      <ActionError action={action} />
    </span>
  );
}
