import { type ReactNode, useRef } from "react";
import { Problem, useAction } from "./action.tsx";

/** A button that asks before it acts. */
export function ConfirmButton(
  { label, question, act, className }: {
    label: string;
    /** What will happen, and the word for it on the button. */
    question: ReactNode;
    act: () => Promise<unknown>;
    className?: string;
  },
) {
  const dialog = useRef<HTMLDialogElement>(null);
  const action = useAction(async () => {
    await act();
    dialog.current?.close();
  });
  return (
    <>
      <button type="button" className={className} onClick={() => dialog.current!.showModal()}>{label}</button>
      <dialog ref={dialog} aria-label={label}>
        {question}
        <p className="buttons">
          <button type="button" className="primary" aria-disabled={action.isRunning} onClick={() => action.run()}>
            {label}
          </button>
          <button type="button" onClick={() => dialog.current!.close()}>Cancel</button>
        </p>
        <Problem of={action} />
      </dialog>
    </>
  );
}
