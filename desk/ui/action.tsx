import { type SubmitEvent, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { CallError } from "../data/client.ts";

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
      const thrown = error instanceof Error ? error : new Error(String(error));
      flushSync(() => setAction({ isRunning: false, isDone: false, error: thrown }));
    } finally {
      isRunning.current = false;
    }
  }

  /** For a form: `act` gets its fields. One that shows what is wrong with it has the focus then. */
  async function onSubmit(event: SubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const form = event.currentTarget;
    await run(new FormData(form) as Given);
    form.querySelector<HTMLElement>("[aria-invalid]")?.focus();
  }

  return { ...action, run, onSubmit };
}

/**
 * The sentence about what went wrong in an action or a mutation, for the screen reader too.
 *
 * @param fields the names of the fields that show what is wrong with them, by {@link problemOf}
 */
export function ActionError({ action, fields = [] }: { action: Pick<Action, "error">; fields?: string[] }) {
  const { error } = action;
  if (error === null || fields.some((name) => problemOf(action, name))) return null;
  return <p className="problem" role="alert">{error.message}</p>;
}

/** What was wrong with a field; undefined: nothing. */
export function problemOf({ error }: Pick<Action, "error">, name: string): string | undefined {
  return error instanceof CallError && error.field === name ? error.message : undefined;
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
