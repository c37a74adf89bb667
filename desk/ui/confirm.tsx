import { type ReactNode, type RefObject, useRef } from "react";
import { ActionError, useAction } from "./action.tsx";

interface Confirmed {
  label: string;
  /** The thing that it is about, for screen readers, where many buttons have one label. */
  of?: string;
  /** The sentence about what will happen, with the word on the button. */
  question: ReactNode;
  act: () => Promise<unknown>;
}

/** A button that asks before it acts. */
export function ConfirmButton({ className, ...confirmed }: Confirmed & { className?: string }) {
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <>
      <button type="button" className={className} onClick={() => dialog.current!.showModal()}>
        {confirmed.label}
        {confirmed.of !== undefined && <span className="visually-hidden">{` ${confirmed.of}`}</span>}
      </button>
      <ConfirmDialog dialog={dialog} {...confirmed} />
    </>
  );
}

/** A question before something is done. The caller opens it by `showModal()` of the dialog. */
export function ConfirmDialog(
  { dialog, label, of = "", question, act }: Confirmed & { dialog: RefObject<HTMLDialogElement | null> },
) {
  const action = useAction(async () => {
    await act();
    dialog.current?.close();
  });
  return (
    <dialog ref={dialog} aria-label={`${label} ${of}`.trim()}>
      {question}
      <p className="buttons">
        <button type="button" className="primary" aria-disabled={action.isRunning} onClick={() => action.run()}>
          {label}
        </button>
        <button type="button" onClick={() => dialog.current!.close()}>Cancel</button>
      </p>
      <ActionError action={action} />
    </dialog>
  );
}
