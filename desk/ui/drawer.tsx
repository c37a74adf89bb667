import X from "lucide-react/icons/x";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { IconButton } from "./icon_button.tsx";

/** A part of the page that slides in from the right, open as long as it is there. On a phone it has all of the window. */
export function Drawer({ title, onClose, children }: { title: ReactNode; onClose: () => void; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const { current } = dialog;
    current!.showModal();
    // Otherwise the button that closes it has the focus.
    current!.querySelector<HTMLElement>(".drawer-body :is(input, select, textarea)")?.focus();
    return () => current!.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className="drawer"
      aria-labelledby={id}
      onClose={onClose}
      onClick={({ target }) => {
        // The backdrop belongs to the dialog; what is inside stands in its elements.
        if (target === dialog.current) dialog.current!.close();
      }}
    >
      <div className="drawer-head">
        <h2 id={id}>{title}</h2>
        <IconButton icon={X} label="Close" onClick={() => dialog.current!.close()} />
      </div>
      <div className="drawer-body">{children}</div>
    </dialog>
  );
}
