import { createContext, type ReactNode, use, useEffect, useRef, useState } from "react";
import { createKey } from "../data/operator_acts.ts";
import { ConfirmButton, ConfirmDialog } from "../ui/confirm.tsx";
import { CopyButton } from "../ui/copy_button.tsx";
import { useVendorName } from "./vendor_name.tsx";

const Made = createContext<(made: { vendor: string; key: string }) => void>(() => {});

/** Shows the key that a {@link NewKey} below it has made. The row with the button may go away. */
export function MadeKey({ children }: { children: ReactNode }) {
  const [made, setMade] = useState<{ vendor: string; key: string } | null>(null);
  const nameOf = useVendorName();
  return (
    <>
      <p className="notice" role="status">
        {made && (
          <>
            The new key of {nameOf(made.vendor)}, shown only this once: <code>{made.key}</code>{" "}
            <CopyButton words={made.key} what="the key" />
          </>
        )}
      </p>
      <Made value={setMade}>{children}</Made>
    </>
  );
}

/** Makes a further key of a vendor. */
export function NewKey({ vendor }: { vendor: string }) {
  return <ConfirmButton {...useQuestion(vendor)} />;
}

/** The question of {@link NewKey}, opened at once. */
export function AskKey({ vendor }: { vendor: string }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current!.showModal(), []);
  return <ConfirmDialog dialog={dialog} {...useQuestion(vendor)} />;
}

function useQuestion(vendor: string) {
  const setMade = use(Made);
  const name = useVendorName()(vendor);
  return {
    label: "New key",
    of: `of ${name}`,
    question: (
      <p>
        {name}{" "}
        can send leads with it at once, and its other keys keep working. The new key is shown only once. It is noted
        with your name.
      </p>
    ),
    act: async () => setMade({ vendor, key: await createKey(vendor) }),
  };
}
