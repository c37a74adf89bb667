import { useRef } from "react";
import { createPortal } from "react-dom";
import { useOutbox } from "../data/outbox.ts";
import { ConfirmDialog } from "../ui/confirm.tsx";
import { signOut } from "./session.ts";

/** Signs out, and asks first where texts would be lost. */
export function SignOut({ className }: { className?: string }) {
  const { texts: { length } } = useOutbox();
  const asking = useRef<HTMLDialogElement>(null);
  const texts = length === 1 ? "1 text is" : `${length} texts are`;
  return (
    <>
      <button
        type="button"
        className={className}
        onClick={() => length === 0 ? void signOut() : asking.current!.showModal()}
      >
        Sign out
      </button>
      {/* Not inside the menu, which closes. */}
      {createPortal(
        <ConfirmDialog
          dialog={asking}
          label="Sign out and delete"
          question={<p>{texts} not sent yet. Who signs out deletes what is not sent.</p>}
          act={signOut}
        />,
        document.body,
      )}
    </>
  );
}
